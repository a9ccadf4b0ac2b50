"""An index stays whole: killed writers, full disks, readers beside writers, other formats."""

from __future__ import annotations

import json
import resource
import shutil
from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.inverted import (
    Clause,
    Field,
    IndexFormatError,
    IndexWriter,
    Layout,
    Term,
    open_inverted_index,
)
from tests.inverted.small_indexes import FIELDS, SMALL, random_documents, write
from tests.killing import forked, kill

ASKED = [Clause("words", (Term("w"),))]
BOTH = [*ASKED, Clause("words", (Term("a"), Term("b")))]

COMMITS = 6


def commit_often(path: Path) -> None:
    """Leave half of the documents of each commit but the last, and merge now and then."""
    with IndexWriter(path, [Field("words")], layout=Layout(64, 2, 0.25)) as writer:
        for commit in range(COMMITS):
            for number in range(100):
                words = ["w"] * (1 + number % 3) + [str(commit)]
                writer.add(f"{commit}-{number}", {"words": words})
            writer.delete([f"{commit - 1}-{number}" for number in range(0, 100, 2)])
            writer.merge() if commit % 3 == 2 else writer.commit()


def test_a_killed_writer_leaves_a_commit(tmp_path: Path) -> None:
    commit_often(tmp_path / "undisturbed")  # compiled code is loaded
    events = forked(lambda: commit_often(tmp_path / "counted"), 0, kill)
    path = tmp_path / "index"
    sizes = set()
    for event in range(3, events, events // 8):
        shutil.rmtree(path, ignore_errors=True)
        assert forked(lambda: commit_often(path), event, kill) == 0
        if not (path / "meta.json").exists():
            continue  # killed before anything was committed
        index = open_inverted_index(path)
        hits = index.search(ASKED, 10**6)
        assert len(hits) == index.documents
        assert {hit.doc_id for hit in hits} == set(index.doc_ids())
        sizes.add(len(hits))
    assert sizes < {100 + 50 * commit for commit in range(COMMITS)}
    assert len(sizes) > 3
    with IndexWriter(path, [Field("words")]) as writer:
        writer.merge()
    names = {entry.name for entry in path.iterdir()}
    assert not [name for name in names if name.startswith("unfinished")]
    assert len([name for name in names if name.startswith("segment")]) <= 1


def test_readers_see_one_state_while_a_writer_commits(tmp_path: Path) -> None:
    documents = random_documents(2, 150)
    before = write(tmp_path / "index", documents, parts=2)
    expected = before.search(BOTH, 50)
    with IndexWriter(tmp_path / "index", FIELDS, layout=SMALL) as writer:
        writer.delete(list(documents)[::2])
        writer.add("new", {"words": ["a"]})
        writer.merge()
        assert before.search(BOTH, 50) == expected
        after = open_inverted_index(tmp_path / "index")
        assert after.documents == 76
        assert before.documents == 150
        assert after.fingerprint != before.fingerprint


def test_an_index_deleted_while_open_can_be_searched(tmp_path: Path) -> None:
    index = write(tmp_path / "index", {"one": {"words": ["w"]}})
    shutil.rmtree(tmp_path / "index")
    assert [hit.doc_id for hit in index.search(ASKED, 5)] == ["one"]
    with pytest.raises(IndexFormatError, match="is not an index"):
        open_inverted_index(tmp_path / "index")


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "index", FIELDS) as writer:
        with pytest.raises(PorismError, match="another process is writing"):
            IndexWriter(tmp_path / "index", FIELDS)
        writer.commit()
    IndexWriter(tmp_path / "index", FIELDS).close()


def test_a_full_disk_leaves_the_index_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "index"
    write(path, {"one": {"words": ["w"]}})
    largest = resource.getrlimit(resource.RLIMIT_FSIZE)
    with IndexWriter(path, FIELDS) as writer:
        for number in range(3000):
            writer.add(f"d{number}", {"words": ["w", f"t{number}"]})
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, largest[1]))
        try:
            with pytest.raises(PorismError, match=r"no space left .*index .*unchanged"):
                writer.commit()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, largest)
    assert list(open_inverted_index(path).doc_ids()) == ["one"]
    with IndexWriter(path, FIELDS) as writer:
        writer.add("two", {"words": ["w"]})
        writer.commit()
    assert sorted(open_inverted_index(path).doc_ids()) == ["one", "two"]


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index"
    write(path, {"one": {"words": ["w"]}})
    meta = json.loads((path / "meta.json").read_text())
    for text, message in [
        (json.dumps({**meta, "format": 0}), "has format 0, .* index again"),
        (json.dumps({**meta, "format": "next"}), "has format 'next'"),
        ("{}", "damaged"),
        ("not json", "damaged"),
        (json.dumps({"format": meta["format"]}), "damaged"),
    ]:
        (path / "meta.json").write_text(text)
        with pytest.raises(IndexFormatError, match=message):
            open_inverted_index(path)
        with pytest.raises(IndexFormatError, match=message):
            IndexWriter(path, FIELDS)


def test_missing_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "index"
    write(path, {"one": {"words": ["w"]}})
    (path / "segment-000001").unlink()
    with pytest.raises(IndexFormatError, match="is incomplete: files named"):
        open_inverted_index(path)
