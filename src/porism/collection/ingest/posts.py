"""Ingest of posts and comments: read and written here, prepared by worker processes.

Each chunk of rows is one transaction that also records the progress of the part, so that an ingest
can be killed and continued without losing or repeating rows.
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
from porism.collection.ingest.writer import remove_posts, rows_by_id, write_comments, write_posts
from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import RejectSeverity, transaction
from porism.formats.dumps.rows import CommentRow, FileNote, FileRead, PostRow
from porism.hashing import text_number
from porism.model import PostKind
from porism.parallel import map_in_order

log = logging.getLogger(__name__)

CHUNK_ROWS = 400
"""Rows that a worker process prepares at once, and that are written in one transaction."""

SMALL_PART = 2_000_000
"""A part of fewer bytes is prepared faster than worker processes start."""

DOCUMENTS_FROM = 1_000_000_000
"""The first number of documents, above the post ids of any site."""

AnyRow = TypeVar("AnyRow")
Row = TypeVar("Row", PostRow, CommentRow)


@dataclass(frozen=True, slots=True)
class IngestRules:
    """Settings of the whole ingest: the last year to keep, and the number of processes."""

    until: int | None = None
    jobs: int = 1

    def includes(self, created: str | None) -> bool:
        """Whether rows created at that time are kept; rows without a date are."""
        return self.until is None or created is None or created[:4] <= str(self.until)


def rows_with_progress(
    part: SourcePart[AnyRow], done: int, step: str, watch: Watch
) -> Iterator[AnyRow]:
    """The rows of a part after the first ``done``, reporting progress."""
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
    """The rows in chunks."""
    rest = iter(rows)
    while chunk := list(islice(rest, CHUNK_ROWS)):
        yield chunk


def ingest_posts(
    draft: DraftCollection,
    part: SourcePart[PostRow | FileNote | FileRead],
    rules: IngestRules,
    watch: Watch,
) -> None:
    """Ingest the posts of a part; unchanged posts cost little."""
    pass_number, done = draft.begin(part, "posts")
    rows = rows_with_progress(part, done, "posts", watch)
    ingest_rows(draft, part, pass_number, rows, rules, part.size)
    with transaction(draft.connection):
        draft.finish_part(part)


def ingest_rows(
    draft: DraftCollection,
    part: SourcePart[PostRow | FileNote | FileRead],
    pass_number: int,
    rows: Iterable[PostRow | FileNote | FileRead],
    rules: IngestRules,
    size: int,
) -> None:
    """Ingest posts of a part; ``size`` bytes are to be read for them."""
    numbered = _numbered(draft.connection, rows)
    chunks = _row_chunks_to_prepare(draft.connection, "posts", numbered, rules)
    for chunk in map_in_order(prepared_chunk, chunks, _jobs(size, rules)):
        write_posts(draft, part, pass_number, chunk)


def ingest_comments(
    draft: DraftCollection, part: SourcePart[CommentRow], rules: IngestRules, watch: Watch
) -> None:
    """Ingest the comments of a part on posts in the collection."""
    pass_number, done = draft.begin(part, "comments")
    rows = rows_with_progress(part, done, "comments", watch)
    chunks = _row_chunks_to_prepare(draft.connection, "comments", rows, rules)
    for chunk in map_in_order(prepared_chunk, chunks, _jobs(part.size, rules)):
        write_comments(draft, part, pass_number, chunk)
    with transaction(draft.connection):
        draft.finish_part(part)


def _jobs(size: int, rules: IngestRules) -> int:
    return rules.jobs if size >= SMALL_PART else 1


def _numbered(
    connection: sqlite3.Connection, rows: Iterable[PostRow | FileNote | FileRead]
) -> Iterator[PostRow | FileNote | FileRead]:
    """The rows, with a number for each document: its old one, or the next free one."""
    (last,) = connection.execute(
        "SELECT max(id) FROM posts WHERE id >= ?", (DOCUMENTS_FROM,)
    ).fetchone()
    next_number = DOCUMENTS_FROM if last is None else last + 1
    unwritten: OrderedDict[str, int] = OrderedDict()  # numbers that are not yet in the database
    for row in rows:
        if isinstance(row, FileNote | FileRead) or row.kind is not PostKind.DOCUMENT:
            yield row
            continue
        known = connection.execute("SELECT id FROM posts WHERE name = ?", (row.name,)).fetchone()
        number = unwritten.get(row.name) if known is None else known[0]
        if number is None:
            number = next_number
            next_number += 1
        unwritten[row.name] = number
        if len(unwritten) > 100 * CHUNK_ROWS:
            unwritten.popitem(last=False)
        yield row._replace(id=number)


def _row_chunks_to_prepare(
    connection: sqlite3.Connection,
    table: str,
    rows: Iterable[Row | FileNote | FileRead],
    rules: IngestRules,
) -> Iterator[RowChunk[Row]]:
    """The rows in chunks, divided into changed (or new), unchanged and rejected ones."""
    work = uuid4().hex
    for chunk in row_chunks(rows):
        read = [row for row in chunk if not isinstance(row, FileNote | FileRead)]
        kept = [row for row in read if rules.includes(row.created)]
        documents = _documents_among(connection, kept)
        faults = [(row, _fault(row, documents)) for row in kept]
        rejected = [_rejected_file(row) for row in chunk if isinstance(row, FileNote)]
        rejected += [RejectedRow(row.line, row_name(row), fault) for row, fault in faults if fault]
        valid = [(row, _digest(row)) for row, fault in faults if not fault]
        known = rows_by_id(connection, table, "digest", [row.id for row, _ in valid])
        changed = [(row, digest) for row, digest in valid if known.get(row.id) != digest]
        unchanged = [(row.line, row.id) for row, digest in valid if known.get(row.id) == digest]
        files = [row for row in chunk if isinstance(row, FileRead)]
        yield RowChunk(work, len(chunk), changed, unchanged, rejected, files)


def _rejected_file(note: FileNote) -> RejectedRow:
    if not note.is_document:  # a folder of notes may have many pictures
        what = f"file {note.name}"
        return RejectedRow(note.line, what, note.reason, RejectSeverity.OTHER)
    severity = RejectSeverity.SKIPPED if note.is_skipped else RejectSeverity.GUESSED
    log.warning("%s: %s", note.name, note.reason)
    return RejectedRow(note.line, f"document {note.name}", note.reason, severity)


def _fault(row: PostRow | CommentRow, documents: Container[int]) -> str | None:
    """Why a row is bad, if it is; ``documents`` are the numbers of documents."""
    if isinstance(row, CommentRow):
        return None if 0 <= row.id < MAX_COMMENTS else _ID_RANGE.format(MAX_COMMENTS)
    if row.body is None:
        return "a post without a body; give it one, or leave it out"
    if not 0 <= row.id < MAX_POSTS:
        return _ID_RANGE.format(MAX_POSTS)
    if row.kind is not PostKind.DOCUMENT and row.id in documents:
        return "an id that a document of this collection has; ingest it into another collection"
    return None


_ID_RANGE = "an id out of range for the ids of formulas: expected one from 0 to below {:,}"


def _documents_among(
    connection: sqlite3.Connection, rows: Iterable[PostRow | CommentRow]
) -> frozenset[int]:
    """The ids that belong to documents in the collection."""
    ids = [row.id for row in rows if isinstance(row, PostRow) and row.id >= DOCUMENTS_FROM]
    if not ids:
        return frozenset()
    named = rows_by_id(connection, "posts", "name IS NOT NULL", ids)
    return frozenset(post_id for post_id, is_named in named.items() if is_named)


def _digest(row: PostRow | CommentRow) -> int:
    """A number that changes with every field of the row but its line."""
    if isinstance(row, CommentRow):
        return text_number(repr(row[:-1]))
    fields = row[: PostRow._fields.index("line")]
    return text_number(repr(fields if row.part is None else (*fields, tuple(row.part))))


def remove_vanished(connection: sqlite3.Connection, source: str, pass_number: int) -> None:
    """Remove the documents of a folder or file that were not seen in this pass over it."""
    starts = (source, source) if source.endswith("/") else (f"{source}#", f"{source}/")
    vanished = connection.execute(
        "SELECT id FROM posts WHERE (name = ?1 OR substr(name, 1, ?2) IN (?3, ?4)) AND seen <> ?5",
        (source, len(starts[0]), *starts, pass_number),
    ).fetchall()
    remove_posts(connection, vanished)
