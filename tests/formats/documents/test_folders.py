"""Folders of documents: which files are read, in which order, under which names."""

import errno
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from porism.errors import FormatError, PorismError
from porism.formats.documents import (
    READERS,
    document_files,
    read_document_file,
    read_documents,
    read_file,
    scan_documents,
)
from porism.formats.dumps.rows import FileNote, FileRead, PostRow
from porism.model import PostKind


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def documents(source: Path) -> list[PostRow]:
    return [row for row in read_documents(source) if isinstance(row, PostRow)]


def notes(source: Path) -> list[FileNote]:
    return [row for row in read_documents(source) if isinstance(row, FileNote)]


def names(source: Path) -> list[str]:
    return [row.name for row in documents(source)]


def test_folder_is_read_by_suffix_in_the_order_of_names(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "notes",
        {
            "b.md": "# Title\n\nOf $x$.",
            "a/z.tex": r"\section{One}A \section{Two}B",
            "a/page.HTML": "<p>x</p>",
            "a/c.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": "x"}]}),
            "a/d.txt": "x",
            "e.jsonl": '{"id": 1, "text": "x"}\n{"id": 2, "text": "y"}\n',
            "picture.png": "",
            "README": "x",
            "blank.md": "",
        },
    )
    (folder / "f.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1, "text": "x"}'))
    assert names(folder) == [
        "notes/a/c.ipynb",
        "notes/a/d.txt",
        "notes/a/page.HTML",
        "notes/a/z.tex#1-one",
        "notes/a/z.tex#2-two",
        "notes/b.md",
        "notes/e.jsonl#1",
        "notes/e.jsonl#2",
        "notes/f.jsonl.gz#1",
    ]
    assert {(row.id, row.kind) for row in documents(folder)} == {(0, PostKind.DOCUMENT)}


def test_folder_has_the_same_name_by_any_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "notes", {"a.md": "x", "b/c.md": "x"})
    monkeypatch.chdir(folder)
    assert names(Path()) == names(Path("b/..")) == ["notes/a.md", "notes/b/c.md"]


def test_single_file_is_named_without_a_folder(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.md": "x", "main.tex": r"\input{part}", "part.tex": "y"})
    assert names(folder / "a.md") == ["a.md"]
    (row,) = documents(folder / "main.tex")
    assert (row.name, row.body) == ("main.tex", "<p>y</p>\n")


def test_file_may_be_read_under_any_name(tmp_path: Path) -> None:
    write(tmp_path, {"in/a.tex": r"\input{../b}", "b.tex": "y"})
    path = tmp_path / "in" / "a.tex"
    (row,) = read_document_file(path, "name", tmp_path)
    assert isinstance(row, PostRow)
    assert (row.name, row.body) == ("name", "<p>y</p>\n")
    assert list(read_document_file(path, "name")) == []


def test_hidden_files_and_folders_are_skipped(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {".a.md": "x", ".git/b.md": "x", "c/.d/e.md": "x", "f.md": "x"})
    assert names(folder) == ["n/f.md"]


def test_links_are_followed_only_to_other_files_inside_the_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {"a.md": "x", ".store/b": "y"})
    write(tmp_path, {"secret.md": "secret", "other/c.md": "secret"})
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "folder").symlink_to(tmp_path / "other")
    (folder / "again.md").symlink_to(folder / "a.md")
    (folder / "stored.md").symlink_to(folder / ".store" / "b")
    (folder / "round.md").symlink_to(folder / "round.md")
    (folder / "nowhere.md").symlink_to(folder / "none.md")
    (folder / "self").symlink_to(folder)
    assert names(folder) == ["n/a.md", "n/stored.md"]


def test_included_files_are_not_separate_documents(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "n",
        {
            "a.tex": "included",
            "main.tex": r"\documentclass{book}\begin{document}\input{a}\include{parts/b}",
            "parts/b.tex": r"\input{parts/c}",
            "parts/c.tex": "deep",
            "other.tex": "other",
        },
    )
    assert names(folder) == ["n/main.tex", "n/other.tex"]
    assert [row.body for row in documents(folder)] == [
        "<p>includeddeep</p>\n",
        "<p>other</p>\n",
    ]


def test_of_files_that_include_each_other_the_first_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {"a.tex": r"1 \input{b}", "b.tex": r"2 \input{a}"})
    assert [(row.name, row.body) for row in documents(folder)] == [("n/a.tex", "<p>1 2</p>\n")]


@pytest.mark.parametrize("file", ["", "picture.png"])
def test_folder_without_documents_is_an_error_that_names_the_suffixes(
    file: str, tmp_path: Path
) -> None:
    write(tmp_path, {"picture.png": ""})
    with pytest.raises(PorismError) as raised:
        document_files(tmp_path / file)
    assert all(suffix in str(raised.value) for suffix in READERS)


def test_single_file_with_unknown_suffix_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="the suffixes of documents are"):
        read_document_file(tmp_path / "a.png", "a.png")


def test_missing_source_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="does not exist"):
        list(documents(tmp_path / "none"))


def test_binary_file_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {"a.md": "x", "c.md": "x"})
    (folder / "b.tex").write_bytes(b"a\n\xe9\0")
    assert names(folder) == ["n/a.md", "n/c.md"]
    (note,) = notes(folder)
    assert (note.name, note.line, note.is_skipped) == ("n/b.tex", 2, True)
    assert "found byte 0xe9" in note.reason
    with pytest.raises(FormatError, match="UTF-8") as raised:
        names(folder / "b.tex")
    assert (raised.value.path, raised.value.line) == (str(folder / "b.tex"), 2)


def test_guessed_encoding_is_reported(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {"a.md": "x"})
    text = "Le théorème où l'élément naïf a été démontré"
    (folder / "b.md").write_bytes(text.encode("latin-1"))
    assert [row.body for row in documents(folder)] == ["<p>x</p>\n", f"<p>{text}</p>\n"]
    (note,) = notes(folder)
    assert (note.name, note.is_skipped) == ("n/b.md", False)
    assert note.reason == "not UTF-8; read as cp1252, which is a guess"


@pytest.mark.parametrize("name", ["b.md", "b.tex", "b.html", "b.ipynb", "b.txt", "b.jsonl"])
def test_unreadable_file_is_reported_and_the_others_are_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "n", {"a.md": "x", name: "{}", "c.md": "x"})
    opened = Path.open

    def denied(path: Path, *arguments: Any, **options: Any) -> Any:  # those of Path.open
        if path.name == name:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", denied)
    assert names(folder) == ["n/a.md", "n/c.md"]
    (note,) = notes(folder)
    assert (note.name, note.is_skipped) == (f"n/{name}", True)
    assert "Permission denied" in note.reason
    with pytest.raises(PorismError, match="Permission denied"):
        names(folder / name)


def test_unreadable_folder_is_reported_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "n", {"a.md": "x", "b/b.md": "x", "c.md": "x"})
    scandir = os.scandir

    def denied(path: str) -> Any:  # the iterator of os.scandir
        if os.path.basename(path) == "b":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)
    assert names(folder) == ["n/a.md", "n/c.md"]
    assert [(note.name, note.is_skipped) for note in notes(folder)] == [("n/b", True)]


def test_broken_link_is_skipped(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {"a.md": "x"})
    (folder / "b.md").symlink_to(folder / "gone.md")
    assert names(folder) == ["n/a.md"]
    (note,) = notes(folder)
    assert (note.name, note.reason) == ("n/b.md", "link that leads nowhere or to itself")


def test_files_that_are_no_documents_are_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "d.md").write_text("x")
    folder = write(tmp_path / "n", {"a.md": "x", "b.png": "", "Makefile": "", ".c.md": "x"})
    write(folder, {".git/d.md": "x"})
    (folder / "loop").symlink_to(folder)
    (folder / "out.md").symlink_to(tmp_path / "other" / "d.md")
    (folder / "again.md").symlink_to(folder / "a.md")
    (folder / "self.md").symlink_to(folder / "self.md")
    assert names(folder) == ["n/a.md"]
    assert {note.name: note.reason for note in notes(folder)} == {
        "n/.c.md": "hidden file",
        "n/.git": "hidden folder",
        "n/Makefile": "not a document: no suffix",
        "n/again.md": "link to a file that is read anyway, or to no file",
        "n/b.png": "not a document: .png",
        "n/loop": "link to a folder, which is not followed",
        "n/out.md": "link that leads out of the folder",
        "n/self.md": "link that leads nowhere or to itself",
    }
    assert not any(note.is_document for note in notes(folder))


def test_a_folder_with_too_many_files_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {f"{number}.md": "x" for number in range(5)})
    assert len(scan_documents(folder, max_files=5).files) == 5
    with pytest.raises(PorismError, match=r"more than 4 files; .* allow more with --max-files"):
        scan_documents(folder, max_files=4)


def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "n", {"a.md": "old"})
    texts = iter(("new text",))
    read = READERS[".md"]

    def changing(path: Path, name: str, folder: Path) -> Iterator[PostRow | FileNote]:
        yield from list(read(path, name, folder))
        for text in texts:
            path.write_text(text)
            break

    monkeypatch.setitem(READERS, ".md", changing)
    row, end = read_documents(folder)
    assert isinstance(row, PostRow)
    assert row.body == "<p>new text</p>\n"
    assert isinstance(end, FileRead)


def test_a_file_that_never_stops_changing_is_read_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "n", {"a.md": "1"})
    read = READERS[".md"]

    def changing(path: Path, name: str, folder: Path) -> Iterator[PostRow | FileNote]:
        yield from list(read(path, name, folder))
        path.write_text(path.read_text() + "1")

    monkeypatch.setitem(READERS, ".md", changing)
    row, note = read_documents(folder)
    assert isinstance(row, PostRow)
    assert row.body == "<p>111</p>\n"
    assert isinstance(note, FileNote)
    assert (note.name, note.is_skipped) == ("n/a.md", False)
    assert "changed while it was read" in note.reason


def test_a_file_that_vanishes_while_it_is_read_is_reported(tmp_path: Path) -> None:
    folder = write(tmp_path / "n", {"a.md": "x", "b.md": "x"})
    files = scan_documents(folder).files
    (folder / "a.md").unlink()
    (note,) = read_file(files[0], folder)
    assert isinstance(note, FileNote)
    assert "No such file" in note.reason


def test_file_that_breaks_a_reader_is_reported_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: Path, name: str, folder: Path) -> Iterator[PostRow]:
        raise ValueError("an error")

    folder = write(tmp_path / "n", {"a.md": "x", "b.txt": "x", "c.md": "x"})
    monkeypatch.setitem(READERS, ".txt", failing)
    assert names(folder) == ["n/a.md", "n/c.md"]
    (note,) = notes(folder)
    assert (note.name, note.is_skipped) == ("n/b.txt", True)
    assert "ValueError: an error" in note.reason


def test_names_that_are_not_utf8_are_escaped(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"\xe9.md")
    try:
        with open(path, "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (name,) = names(tmp_path)
    assert name == f"{tmp_path.name}/\\xe9.md"
    (document,) = documents(tmp_path)
    assert document.title == "\N{REPLACEMENT CHARACTER}"


def test_line_break_in_a_name_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\nb.md").write_text("x", encoding="utf-8")
    (document,) = documents(tmp_path)
    assert (document.name, document.title) == (f"{tmp_path.name}/a\\x0ab.md", "a b")


def test_pipes_are_skipped(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.md": "x"})
    os.mkfifo(folder / "b.md")
    assert document_files(folder) == (folder / "a.md",)
