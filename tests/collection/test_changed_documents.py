"""An ingest of documents reads only the files that are new or have changed."""

import os
import signal
from collections.abc import Iterator
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import pytest

from porism.collection.ingest import documents, draft
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.schema import connect_to_write
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formats.documents.folders import DocumentFile, read_file
from porism.model import plain_text

ALONE = IngestOptions(jobs=1)
PROCESSES = get_context("forkserver")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(5):
        text = f"# Note {number}\n\nOf $x_{number}$.\n\n## More\n\n$y_{number}$"
        (folder / f"{number}.md").write_text(text)
    return folder


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that an ingest reads."""
    names: list[str] = []

    def recorded(file: DocumentFile, source: Path) -> Iterator[object]:
        names.append(file.name)
        return read_file(file, source)

    monkeypatch.setattr(documents, "read_file", recorded)
    return names


def contents(folder: Path) -> dict[str, object]:
    """The documents as people see them, by name; ids of formulas depend on the order of ingest."""
    with open_collection(folder) as collection:
        return {
            post.id: (plain_text(post.title), plain_text(post.body), post.location)
            for post in collection.posts()
        }


def fresh(notes: Path, name: str = "fresh") -> dict[str, object]:
    """What a new collection has of the notes."""
    ingest(notes, notes.parent / name, ALONE)
    return contents(notes.parent / name)


def test_only_changed_new_and_deleted_files_are_processed(notes: Path, read: list[str]) -> None:
    collection = notes.parent / "collection"
    ingest(notes, collection, ALONE)
    assert len(read) == 5
    read.clear()
    (notes / "1.md").write_text("# Changed\n\n$z$")
    (notes / "2.md").unlink()
    (notes / "new.md").write_text("New.")
    report = ingest(notes, collection, ALONE)
    assert read == ["notes/1.md", "notes/new.md"]
    assert report.documents == 3 * 2 + 2
    assert contents(collection) == fresh(notes)
    read.clear()
    ingest(notes, collection, ALONE)
    assert read == []


def test_reports_of_unchanged_files_are_kept(notes: Path, read: list[str]) -> None:
    (notes / "bad.md").write_bytes(b"\xff\0\x81")
    (notes / "picture.png").write_bytes(b"")
    collection = notes.parent / "collection"
    for text in ("# A", "# Other"):
        (notes / "1.md").write_text(text)
        read.clear()
        report = ingest(notes, collection, ALONE)
        assert (report.skipped, report.other_files) == (1, {"not a document: .png": 1})
    assert read == ["notes/1.md", "notes/bad.md"]  # what cannot be read is tried again


def test_too_many_files_leave_the_collection_unchanged(notes: Path) -> None:
    collection = notes.parent / "collection"
    ingest(notes, collection, ALONE)
    before = contents(collection)
    (notes / "new.md").write_text("New.")
    with pytest.raises(PorismError, match="more than 5 files"):
        ingest(notes, collection, IngestOptions(jobs=1, max_files=5))
    assert contents(collection) == before


@pytest.mark.parametrize("change", ["part", "new"])
def test_a_change_of_an_included_file_is_noticed(notes: Path, change: str, read: list[str]) -> None:
    (notes / "main.tex").write_text(r"\input{part} \input{new}")
    (notes / "part.tex").write_text("Let $a$ be.")
    (notes / "other.tex").write_text("Other.")
    collection = notes.parent / "collection"
    ingest(notes, collection, ALONE)
    read.clear()
    (notes / f"{change}.tex").write_text("Let $bb$ be.")
    ingest(notes, collection, ALONE)
    assert read == ["notes/main.tex"]
    assert "notes/new.tex" not in contents(collection)
    with open_collection(collection) as opened:
        assert "bb" in [each.latex for each in opened.formulas()]


def _ingest_in_child(notes: Path, collection: Path, event: int) -> None:
    """Ingest, and be killed at a commit or fsync."""
    events = count(1)

    def step(*_: object) -> None:
        if next(events) == event:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(path: Path) -> object:
        connection = connect_to_write(path)
        connection.set_trace_callback(lambda sql: step() if sql == "COMMIT" else None)
        return connection

    with (
        mock.patch.object(draft, "connect_to_write", traced),
        mock.patch("os.fsync", step),
        mock.patch("porism.collection.ingest.posts.CHUNK_ROWS", 2),
    ):
        ingest(notes, collection, ALONE)


def test_an_update_killed_at_any_moment_leaves_the_old_or_the_new_collection(notes: Path) -> None:
    collection = notes.parent / "collection"
    ingest(notes, collection, ALONE)
    kills = 0
    for event in count(1):
        old = contents(collection)
        (notes / "1.md").write_text(
            f"# Changed {event}\n\n$z_{{{event}}}$\n\n## B\n\nb\n\n## C\n\nc"
        )
        (notes / f"new{event}.md").write_text("# New\n\nText.")
        process = PROCESSES.Process(target=_ingest_in_child, args=(notes, collection, event))
        process.start()
        process.join()
        new = fresh(notes, f"fresh{event}")
        assert contents(collection) in (old, new)
        ingest(notes, collection, ALONE)
        assert contents(collection) == new
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        kills += 1
    assert kills > 8
