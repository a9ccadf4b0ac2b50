"""What the posts of a collection have at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.profile import CollectionProfile
from porism.collection.schema import DATABASE
from porism.collection.store import open_collection


def profile_of_notes(folder: Path, notes: dict[str, str]) -> CollectionProfile:
    source = folder / "notes"
    source.mkdir()
    for name, text in notes.items():
        (source / name).write_text(text)
    ingest(source, folder / "collection", IngestOptions(jobs=1))
    with open_collection(folder / "collection") as collection:
        return collection.profile


def test_a_site_has_votes_tags_accepted_answers_and_dates(sample_collection: Path) -> None:
    with open_collection(sample_collection) as collection:
        assert collection.profile == CollectionProfile(
            has_votes=True,
            has_tags=True,
            has_acceptance=True,
            has_dates=True,
            has_questions=True,
            is_notes=False,
        )


def test_plain_notes_have_neither_votes_nor_tags_nor_dates(tmp_path: Path) -> None:
    assert profile_of_notes(tmp_path, {"a.md": "# Sets\n\nLet $x$."}) == CollectionProfile(
        has_votes=False,
        has_tags=False,
        has_acceptance=False,
        has_dates=False,
        has_questions=False,
        is_notes=True,
    )


def test_front_matter_gives_notes_tags_and_dates(tmp_path: Path) -> None:
    text = "---\ntags: [sets]\ndate: 2020-01-02\n---\nLet $x$."
    profile = profile_of_notes(tmp_path, {"a.md": text})
    assert (profile.has_tags, profile.has_dates, profile.is_notes) == (True, True, True)


def test_a_collection_without_a_record_is_examined(tmp_path: Path) -> None:
    recorded = profile_of_notes(tmp_path, {"a.md": "Let $x$."})
    with closing(sqlite3.connect(tmp_path / "collection" / DATABASE)) as connection, connection:
        connection.execute("DELETE FROM meta WHERE key = 'profile'")
    with open_collection(tmp_path / "collection") as collection:
        assert collection.profile == recorded
