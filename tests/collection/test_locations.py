"""Locations of documents in their files, as a collection stores them."""

import sqlite3
from contextlib import closing
from pathlib import Path

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.schema import DATABASE
from porism.collection.store import Collection, open_collection
from porism.model import Location

NOTE = "# Groups\n\nA group has a unit.\n\n## Index of $H$\n\nThe index is $[G:H]$.\n"
SECTION = "notes/algebra.md#index-of-h"


def ingested(folder: Path, text: str = NOTE) -> Collection:
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "algebra.md").write_text(text, encoding="utf-8")
    ingest(notes, folder / "collection", IngestOptions(jobs=1))
    return open_collection(folder / "collection")


def test_a_section_knows_its_file_headings_anchor_and_line(tmp_path: Path) -> None:
    with ingested(tmp_path) as collection:
        location = collection.post(SECTION).location
        assert location == Location(
            "notes/algebra.md", ("Groups", "Index of $H$"), "index-of-h", line=5
        )
        assert collection.source_file(location) == tmp_path / "notes" / "algebra.md"
        (tmp_path / "notes" / "algebra.md").unlink()
        assert collection.source_file(location) is None


def test_the_documents_of_a_file_are_in_reading_order(tmp_path: Path) -> None:
    text = NOTE + "\n# Rings\n\nA ring is a group.\n"
    ingested(tmp_path, text).close()
    moved = text.replace("# Rings", "# Fields").replace("## Index", "# Rings\n\nFirst.\n\n## Index")
    with ingested(tmp_path, moved) as collection:
        anchors = [each.location for each in collection.documents_of("notes/algebra.md")]
        assert [each.anchor for each in anchors if each] == ["", "rings", "index-of-h", "fields"]
        assert collection.documents_of("notes/other.md") == ()


def test_a_section_that_moved_keeps_its_digest_and_gets_its_new_line(tmp_path: Path) -> None:
    with ingested(tmp_path) as collection:
        before = collection.digest(SECTION)
    with ingested(tmp_path, NOTE.replace("a unit.", "a unit.\n\nIt is unique.")) as collection:
        assert collection.digest(SECTION) == before
        location = collection.post(SECTION).location
        assert location is not None
        assert location.line == 7


def test_the_location_of_a_deleted_section_is_deleted(tmp_path: Path) -> None:
    ingested(tmp_path).close()
    with ingested(tmp_path, "# Groups\n\nOnly this.") as collection:
        assert len(collection.documents_of("notes/algebra.md")) == 1
    with closing(sqlite3.connect(tmp_path / "collection" / DATABASE)) as connection:
        assert connection.execute("SELECT count(*) FROM locations").fetchone() == (1,)


def test_a_collection_made_before_locations_is_read_and_gets_them(tmp_path: Path) -> None:
    ingested(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "collection" / DATABASE)) as connection, connection:
        connection.execute("DROP TABLE locations")
        connection.execute("UPDATE posts SET digest = 0")
    with open_collection(tmp_path / "collection") as collection:
        assert collection.post(SECTION).location is None
        assert collection.documents_of("notes/algebra.md") == ()
    with ingested(tmp_path, NOTE + "\nMore.") as collection:
        assert collection.post(SECTION).location is not None
