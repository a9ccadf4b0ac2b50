"""What the posts of a collection have at all, so that pages can leave out what never occurs."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass

from porism.model import PostKind

PROFILE = "profile"
"""The key under which an ingest records the profile."""


@dataclass(frozen=True, slots=True)
class CollectionProfile:
    """Whether any post has votes, tags, an accepted answer or a date; and what the posts are.

    ``is_notes`` means documents only: no questions and no answers. An empty collection has nothing
    and is not notes.
    """

    has_votes: bool
    has_tags: bool
    has_acceptance: bool
    has_dates: bool
    has_questions: bool
    is_notes: bool


def computed_profile(connection: sqlite3.Connection) -> CollectionProfile:
    """The profile from the posts. What never occurs takes a scan of all posts."""

    def occurs(condition: str, *values: str) -> bool:
        query = f"SELECT EXISTS (SELECT 1 FROM posts WHERE {condition})"
        return bool(connection.execute(query, values).fetchone()[0])

    has_documents = occurs("kind = ?", PostKind.DOCUMENT)
    return CollectionProfile(
        has_votes=occurs("score IS NOT NULL AND score <> 0"),
        has_tags=occurs("tags <> ''"),
        has_acceptance=occurs("accepted_id IS NOT NULL"),
        has_dates=occurs("created IS NOT NULL"),
        has_questions=occurs("kind = ?", PostKind.QUESTION),
        is_notes=has_documents and not occurs("kind <> ?", PostKind.DOCUMENT),
    )


def profile_record(profile: CollectionProfile) -> str:
    """The profile as an ingest records it."""
    return json.dumps(asdict(profile))


def recorded_profile(record: str) -> CollectionProfile:
    """The profile that ``profile_record`` wrote."""
    return CollectionProfile(**json.loads(record))
