"""Posts and comments taken in: read here, their formulas found by other processes, written here.

Rows are worked on in chunks; each chunk is one transaction, with the note of how far the part has
come, so that a killed ingest goes on after the last one without losing or doubling anything.
"""

from __future__ import annotations

import logging
import sqlite3
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from uuid import uuid4

from porism.collection.ingest.chunks import RejectedRow, RowChunk, prepared_chunk, row_name
from porism.collection.ingest.draft import DraftCollection
from porism.collection.ingest.instance_ids import MAX_COMMENTS, MAX_POSTS
from porism.collection.ingest.sources import SourcePart
from porism.collection.ingest.writer import rows_by_id, write_comments, write_posts
from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import RejectSeverity, transaction
from porism.formats.dumps.rows import CommentRow, FileNote, PostRow
from porism.hashing import text_number
from porism.model import PostKind
from porism.parallel import map_in_order

log = logging.getLogger(__name__)

CHUNK_ROWS = 400
"""Rows that go to a process at a time and are then written in one transaction."""

SMALL_PART = 2_000_000
"""A part of fewer bytes is done sooner than other processes have begun."""

DOCUMENTS_FROM = 1_000_000_000
"""Documents, which have names, are numbered from here, beyond the posts of any site."""

AnyRow = TypeVar("AnyRow")
Row = TypeVar("Row", PostRow, CommentRow)


@dataclass(frozen=True, slots=True)
class IngestRules:
    """What holds for the whole ingest: the last year that is kept, and how many processes work."""

    until: int | None = None
    jobs: int = 1

    def includes(self, created: str | None) -> bool:
        """Whether what was created then is kept; what has no date is."""
        return self.until is None or created is None or created[:4] <= str(self.until)


def rows_with_progress(
    part: SourcePart[AnyRow], done: int, step: str, watch: Watch
) -> Iterator[AnyRow]:
    """The rows of a part after the first ``done``, telling how far the reading is."""
    read_bytes = 0

    def consumed(count: int) -> None:
        nonlocal read_bytes
        read_bytes = count

    for number, row in enumerate(part.read(consumed), start=1):
        if number > done:
            if number % CHUNK_ROWS == 0:
                watch(StepProgress(step, read_bytes, part.size, number))
            yield row


def row_chunks(rows: Iterable[AnyRow]) -> Iterator[list[AnyRow]]:
    """The rows by the chunk."""
    rest = iter(rows)
    while chunk := list(islice(rest, CHUNK_ROWS)):
        yield chunk


def ingest_posts(
    building: DraftCollection,
    part: SourcePart[PostRow | FileNote],
    rules: IngestRules,
    watch: Watch,
) -> None:
    """Take in the posts of a part; those that are in the collection as they are cost little."""
    pass_number, done = building.begin(part, "posts")
    rows = _numbered(building.connection, rows_with_progress(part, done, "posts", watch))
    todo = _todo(building.connection, "posts", rows, rules)
    for chunk in map_in_order(prepared_chunk, todo, _jobs(part, rules)):
        write_posts(building, part, pass_number, chunk)
    with transaction(building.connection):
        _remove_vanished(building.connection, part.name, pass_number)
        building.finish_part(part)


def ingest_comments(
    building: DraftCollection, part: SourcePart[CommentRow], rules: IngestRules, watch: Watch
) -> None:
    """Take in the comments of a part, as far as their posts are in the collection."""
    pass_number, done = building.begin(part, "comments")
    todo = _todo(
        building.connection, "comments", rows_with_progress(part, done, "comments", watch), rules
    )
    for chunk in map_in_order(prepared_chunk, todo, _jobs(part, rules)):
        write_comments(building, part, pass_number, chunk)
    with transaction(building.connection):
        building.finish_part(part)


def _jobs(part: SourcePart[AnyRow], rules: IngestRules) -> int:
    return rules.jobs if part.size >= SMALL_PART else 1


def _numbered(
    connection: sqlite3.Connection, rows: Iterable[PostRow | FileNote]
) -> Iterator[PostRow | FileNote]:
    """The rows, with a number for each document: the one it had, or the next."""
    (last,) = connection.execute(
        "SELECT max(id) FROM posts WHERE id >= ?", (DOCUMENTS_FROM,)
    ).fetchone()
    following = DOCUMENTS_FROM if last is None else last + 1
    under_way: OrderedDict[str, int] = OrderedDict()  # numbers that are not yet in the database
    for row in rows:
        if isinstance(row, FileNote) or row.kind is not PostKind.DOCUMENT:
            yield row
            continue
        known = connection.execute("SELECT id FROM posts WHERE name = ?", (row.name,)).fetchone()
        number = under_way.get(row.name) if known is None else known[0]
        if number is None:
            number = following
            following += 1
        under_way[row.name] = number
        if len(under_way) > 100 * CHUNK_ROWS:
            under_way.popitem(last=False)
        yield row._replace(id=number)


def _todo(
    connection: sqlite3.Connection, table: str, rows: Iterable[Row | FileNote], rules: IngestRules
) -> Iterator[RowChunk[Row]]:
    """The rows by the chunk, sorted into what is new or changed, what is not, and what is bad."""
    work = uuid4().hex
    for chunk in row_chunks(rows):
        read = [row for row in chunk if not isinstance(row, FileNote)]
        kept = [row for row in read if rules.includes(row.created)]
        documents = _documents_among(connection, kept)
        faults = [(row, _fault(row, documents)) for row in kept]
        bad = [_noted(row) for row in chunk if isinstance(row, FileNote)]
        bad += [RejectedRow(row.line, row_name(row), fault) for row, fault in faults if fault]
        whole = [(row, _digest(row)) for row, fault in faults if not fault]
        known = rows_by_id(connection, table, "digest", [row.id for row, _ in whole])
        changed = [(row, digest) for row, digest in whole if known.get(row.id) != digest]
        unchanged = [(row.line, row.id) for row, digest in whole if known.get(row.id) == digest]
        yield RowChunk(work, len(chunk), changed, unchanged, bad)


def _noted(note: FileNote) -> RejectedRow:
    severity = RejectSeverity.SKIPPED if note.is_skipped else RejectSeverity.GUESSED
    log.warning("%s: %s", note.name, note.reason)
    return RejectedRow(note.line, f"document {note.name}", note.reason, severity)


def _fault(row: PostRow | CommentRow, documents: Container[int]) -> str | None:
    """Why a row cannot be taken in, if so; ``documents`` are numbers that documents have."""
    if isinstance(row, CommentRow):
        return None if 0 <= row.id < MAX_COMMENTS else _ID_RANGE.format(MAX_COMMENTS)
    if row.body is None:
        return "a post without a body; give it one, or leave it out"
    if not 0 <= row.id < MAX_POSTS:
        return _ID_RANGE.format(MAX_POSTS)
    if row.kind is not PostKind.DOCUMENT and row.id in documents:
        return "an id that a document of this collection has; make another collection for it"
    return None


_ID_RANGE = "an id that Porism cannot number formulas by: expected one from 0 to below {:,}"


def _documents_among(
    connection: sqlite3.Connection, rows: Iterable[PostRow | CommentRow]
) -> frozenset[int]:
    """Which ids of posts belong to documents in the collection."""
    ids = [row.id for row in rows if isinstance(row, PostRow) and row.id >= DOCUMENTS_FROM]
    if not ids:
        return frozenset()
    named = rows_by_id(connection, "posts", "name IS NOT NULL", ids)
    return frozenset(post_id for post_id, is_named in named.items() if is_named)


def _digest(row: PostRow | CommentRow) -> int:
    """A number that changes with anything the row says, but not with where it stands."""
    return text_number(repr(row[:-1]))


def _remove_vanished(connection: sqlite3.Connection, source: str, pass_number: int) -> None:
    """Remove the documents of a folder, or of a file, that were not seen in this pass over it."""
    start = source if source.endswith("/") else f"{source}#"
    gone = connection.execute(
        "SELECT id FROM posts WHERE (name = ? OR substr(name, 1, ?) = ?) AND seen <> ?",
        (source, len(start), start, pass_number),
    ).fetchall()
    connection.executemany("DELETE FROM instances WHERE post_id = ?", gone)
    connection.executemany("DELETE FROM posts WHERE id = ?", gone)
