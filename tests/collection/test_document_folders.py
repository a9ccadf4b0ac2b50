"""Documents taken in: under which names, what is new or gone, and beside other sources."""

import os
from pathlib import Path

import pytest

from porism.collection.ingest import Options, ingest
from porism.collection.store import open_collection
from porism.errors import PorismError
from tests.collection.dumps import question, write_table

ALONE = Options(jobs=1)


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


def test_records_that_are_gone_from_a_file_go(tmp_path: Path) -> None:
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


def test_a_file_that_moved_within_the_folder_is_seen(tmp_path: Path) -> None:
    (tmp_path / "notes" / "old").mkdir(parents=True)
    (tmp_path / "notes" / "old" / "a.md").write_text("Text.\n")
    ingest(tmp_path / "notes", tmp_path / "collection", ALONE)
    (tmp_path / "notes" / "old").rename(tmp_path / "notes" / "new")
    ingest(tmp_path / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/new/a.md"]


@pytest.mark.parametrize("source", ["book", "book/main.tex"])
def test_a_change_of_an_included_file_is_seen(source: str, tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    start, end = r"\documentclass{article}\begin{document}", r"\end{document}"
    (tmp_path / "book" / "main.tex").write_text(rf"{start}\input{{part}}{end}")
    for formula in ("a", "bb"):
        (tmp_path / "book" / "part.tex").write_text(f"Let ${formula}$ be.")
        ingest(tmp_path / source, tmp_path / "collection", ALONE)
        with open_collection(tmp_path / "collection") as collection:
            assert [each.latex for each in collection.formulas()] == [formula]


def test_another_folder_of_the_same_name_does_not_take_its_place(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name / "notes").mkdir(parents=True)
        (tmp_path / name / "notes" / f"{name}.md").write_text("Text.\n")
    ingest(tmp_path / "a" / "notes", tmp_path / "collection", ALONE)
    with pytest.raises(PorismError, match="under the same names"):
        ingest(tmp_path / "b" / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/a.md"]
    (tmp_path / "a").rename(tmp_path / "c")  # the same folder may well have moved
    ingest(tmp_path / "c" / "notes", tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/a.md"]


def test_a_post_does_not_take_the_place_of_a_document(tmp_path: Path) -> None:
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


def test_names_that_are_no_text_are_taken_in(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / os.fsdecode(b"b\xff.md")).write_text("Text.\n")
    ingest(notes, tmp_path / "collection", ALONE)
    assert names(tmp_path / "collection") == ["notes/b\\xff.md"]
    odd = tmp_path / os.fsdecode(b"dump\xff")
    write_table(odd, "Posts", [question(1), {"Id": 2, "PostTypeId": 1}])
    with pytest.raises(PorismError, match="post 2: a post without a body"):
        ingest(odd, tmp_path / "other", ALONE)
