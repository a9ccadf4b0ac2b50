"""Ingest of documents: names, new and deleted files, other sources in the same collection."""

import os
from pathlib import Path

import pytest

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.ingest.sources import open_source
from porism.collection.store import open_collection
from porism.errors import PorismError
from tests.collection.dumps import question, write_table

ALONE = IngestOptions(jobs=1)


def names(collection: Path) -> list[str]:
    with open_collection(collection) as opened:
        return [post.id for post in opened.posts()]


def test_documents_are_posts_with_names(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# First\n\nLet $a^2$ be.\n")
    (notes / "b.md").write_text("# Second\n\nText.\n")
    report = ingest(notes, tmp_path / "collection", ALONE)
    assert report.documents == 2
    with open_collection(tmp_path / "collection") as collection:
        assert collection.post("notes/a.md").title == ("First",)
    (notes / "b.md").unlink()
    (notes / "c.md").write_text("# Third\n\n$c$\n")
    ingest(notes, tmp_path / "collection", ALONE)
    with open_collection(tmp_path / "collection") as collection:
        assert [post.id for post in collection.posts()] == ["notes/a.md", "notes/c.md"]


def test_records_deleted_from_a_file_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n')
    ingest(path, tmp_path / "collection", ALONE)
    path.write_text('{"id": "2", "text": "b"}\n')
    ingest(path, tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes.jsonl#2"]


def test_a_folder_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "notes").symlink_to(tmp_path / "real")
    for name in "ab":
        (tmp_path / "real" / f"{name}.md").write_text("Text.\n")
    ingest(tmp_path / "notes", tmp_path / "collection", ALONE)
    (tmp_path / "real" / "b.md").unlink()
    ingest(tmp_path / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/a.md"]


def test_a_file_moved_within_the_folder_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "notes" / "old").mkdir(parents=True)
    (tmp_path / "notes" / "old" / "a.md").write_text("Text.\n")
    ingest(tmp_path / "notes", tmp_path / "collection", ALONE)
    (tmp_path / "notes" / "old").rename(tmp_path / "notes" / "new")
    ingest(tmp_path / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/new/a.md"]


@pytest.mark.parametrize("source", ["book", "book/main.tex"])
def test_a_change_of_an_included_file_is_noticed(source: str, tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    start, end = r"\documentclass{article}\begin{document}", r"\end{document}"
    (tmp_path / "book" / "main.tex").write_text(rf"{start}\input{{part}}{end}")
    for formula in ("a", "bb"):
        (tmp_path / "book" / "part.tex").write_text(f"Let ${formula}$ be.")
        ingest(tmp_path / source, tmp_path / "collection", ALONE)
        with open_collection(tmp_path / "collection") as collection:
            assert [each.latex for each in collection.formulas()] == [formula]


def test_another_folder_of_the_same_name_is_refused(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name / "notes").mkdir(parents=True)
        (tmp_path / name / "notes" / f"{name}.md").write_text("Text.\n")
    ingest(tmp_path / "a" / "notes", tmp_path / "collection", ALONE)
    with pytest.raises(PorismError, match="under the same names"):
        ingest(tmp_path / "b" / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/a.md"]
    (tmp_path / "a").rename(tmp_path / "c")  # the folder has moved
    ingest(tmp_path / "c" / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/a.md"]


def test_a_post_with_the_number_of_a_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Text.\n")
    write_table(tmp_path / "dump", "Posts", [question(1), question(1_000_000_000)])
    ingest(tmp_path / "notes", tmp_path / "first", ALONE)
    with pytest.raises(PorismError, match="post 1000000000: an id that a document"):
        ingest(tmp_path / "dump", tmp_path / "first", ALONE)
    assert names(tmp_path / "first") == ["notes/a.md"]
    ingest(tmp_path / "dump", tmp_path / "second", ALONE)
    ingest(tmp_path / "notes", tmp_path / "second", ALONE)
    assert names(tmp_path / "second") == ["1", "1000000000", "notes/a.md"]


def test_file_names_that_are_not_utf8_are_ingested(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / os.fsdecode(b"b\xff.md")).write_text("Text.\n")
    ingest(notes, tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/b\\xff.md"]
    odd = tmp_path / os.fsdecode(b"dump\xff")
    write_table(odd, "Posts", [question(1), {"Id": 2, "PostTypeId": 1}])
    with pytest.raises(PorismError, match="post 2: a post without a body"):
        ingest(odd, tmp_path / "other", ALONE)


def test_files_that_cannot_be_read_are_skipped_counted_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Text.\n")
    (notes / "b.md").write_bytes("Où est l'élément naïf?".encode("latin-1"))
    (notes / "c.md").write_bytes(b"\xff\0\x81")
    (notes / "d.ipynb").write_text('{"cells": [' + "1" * 5_000 + "]}")
    (notes / "e.ipynb").write_text("[" * 100_000)
    report = ingest(notes, tmp_path / "collection", ALONE)
    assert (report.documents, report.skipped, report.guessed, report.left_out) == (2, 3, 1, 0)
    assert names(tmp_path / "collection") == ["notes/a.md", "notes/b.md"]
    rejects = (tmp_path / "collection" / "rejects.tsv").read_text()
    for name in ("notes/c.md", "notes/d.ipynb", "notes/e.ipynb"):
        assert f"document {name}\tskipped: " in rejects
        assert f"{name}: skipped: " in caplog.text
    assert "document notes/b.md\tnot UTF-8; read as cp1252" in rejects
    again = ingest(notes, tmp_path / "collection", ALONE)
    assert (again.skipped, again.guessed) == (3, 1)
    (notes / "c.md").write_text("Mended.\n")
    assert ingest(notes, tmp_path / "collection", ALONE).documents == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_a_file_without_permission_is_skipped_and_read_once_it_is_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    for name in "ab":
        (tmp_path / "notes" / f"{name}.md").write_text("Text.\n")
    (tmp_path / "notes" / "b.md").chmod(0)
    tmp_path.chmod(0o777)
    monkeypatch.chdir(tmp_path)  # other users cannot read the folders above

    def read_as_another() -> tuple[str, list[str]]:
        os.seteuid(NOBODY)
        try:
            (part,) = open_source(Path("notes")).posts
            rows = list(part.read(lambda consumed: None))
        finally:
            os.seteuid(0)
        return part.fingerprint, [type(row).__name__ for row in rows]

    denied, rows = read_as_another()
    assert rows == ["PostRow", "FileRead", "FileNote"]
    (tmp_path / "notes" / "b.md").chmod(0o644)
    granted, rows = read_as_another()
    assert rows == ["PostRow", "FileRead"] * 2
    assert granted != denied  # or the next ingest would skip the folder


NOBODY = 65534
