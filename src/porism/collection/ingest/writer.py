"""Writing of chunks of posts and comments to the database, each in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import repeat

from porism.collection.ingest.chunks import (
    FORMULA,
    ID,
    PLACE,
    REPAIR,
    IdentifiedRow,
    PreparedChunk,
    Row,
    row_name,
    with_fresh_ids,
)
from porism.collection.ingest.draft import DraftCollection
from porism.collection.ingest.sources import SourcePart
from porism.collection.schema import storable, transaction
from porism.errors import FormatError
from porism.formats.dumps.rows import CommentRow, PostRow


def rows_by_id(
    connection: sqlite3.Connection, table: str, column: str, ids: Iterable[int]
) -> dict[int, int]:
    """One column of the rows with these ids, by id."""
    return dict(
        connection.execute(
            f"SELECT id, {column} FROM {table} WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
    )


def remove_posts(connection: sqlite3.Connection, ids: Iterable[tuple[int]]) -> None:
    """Delete posts with all that belongs to them."""
    rows = list(ids)
    for table, column in (
        ("instances", "post_id"),
        ("comments", "post_id"),
        ("locations", "post_id"),
        ("posts", "id"),
    ):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)


def write_posts(
    draft: DraftCollection,
    part: SourcePart[object],
    pass_number: int,
    chunk: PreparedChunk[PostRow],
) -> None:
    """Write a chunk of posts and record the progress."""
    connection = draft.connection
    with transaction(connection):
        rows = _begin(draft, part, pass_number, chunk, "posts")
        rows = _with_instances(draft, part, rows)
        connection.executemany(
            f"INSERT OR REPLACE INTO posts VALUES (?{', ?' * 16})",
            [_post_values(ready, pass_number) for ready in rows],
        )
        connection.executemany(
            "INSERT OR REPLACE INTO locations VALUES (?, ?, ?, ?, ?)",
            [
                (ready.row.id, place.path, "\n".join(place.headings), place.anchor, place.label)
                for ready in rows
                if (place := ready.row.part) is not None
            ],
        )


def write_comments(
    draft: DraftCollection,
    part: SourcePart[object],
    pass_number: int,
    chunk: PreparedChunk[CommentRow],
) -> None:
    """Write the comments of a chunk whose posts are there, and record the progress."""
    connection = draft.connection
    with transaction(connection):
        rows = _begin(draft, part, pass_number, chunk, "comments")
        present = rows_by_id(connection, "posts", "id", {ready.row.post_id for ready in rows})
        # A source with a part of a site or of its years always has comments without their post.
        orphans = [(ready.row.id,) for ready in rows if ready.row.post_id not in present]
        draft.count_orphans("comments", len(orphans))
        connection.executemany("DELETE FROM comments WHERE id = ?", orphans)
        rows = [ready for ready in rows if ready.row.post_id in present]
        rows = _with_instances(draft, part, rows)
        connection.executemany(
            "INSERT OR REPLACE INTO comments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_comment_values(ready, pass_number) for ready in rows],
        )


def _begin(
    draft: DraftCollection,
    part: SourcePart[object],
    pass_number: int,
    chunk: PreparedChunk[Row],
    table: str,
) -> list[IdentifiedRow[Row]]:
    """Write all of a chunk but its rows; return these without rows whose id occurred before."""
    connection = draft.connection
    connection.executemany("INSERT INTO pending VALUES (?, ?, ?)", chunk.pending)
    draft.advance(part, chunk.read)
    connection.executemany(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
        [
            (storable(file.name), part.name, file.fingerprint, storable("\n".join(file.includes)))
            for file in chunk.files
        ],
    )
    for rejected in chunk.rejected:
        draft.reject(part, *rejected)
    ids = [ready.row.id for ready in chunk.rows] + [row_id for _, row_id in chunk.unchanged]
    last_seen = rows_by_id(connection, table, "seen", ids)
    in_this_pass = {row_id for row_id, seen in last_seen.items() if seen == pass_number}
    rows: list[IdentifiedRow[Row]] = []
    for line, row_id, ready in _in_file_order(chunk):
        if row_id in in_this_pass:
            what = f"{table.removesuffix('s')} {row_id}" if ready is None else row_name(ready.row)
            draft.reject(part, line, what, _DUPLICATE)
            continue
        in_this_pass.add(row_id)
        if ready is None:
            connection.execute(
                f"UPDATE {table} SET seen = ?, line = ? WHERE id = ?", (pass_number, line, row_id)
            )
            continue
        rows.append(ready)
        if row_id in last_seen:
            connection.execute(_DELETE_INSTANCES[table], (row_id,))
    return rows


_DELETE_INSTANCES = {
    "posts": "DELETE FROM instances WHERE post_id = ? AND comment_id IS NULL",
    # Of the post that it was on before, since a comment may move.
    "comments": "DELETE FROM instances WHERE comment_id = ?1 "
    "AND post_id = (SELECT post_id FROM comments WHERE id = ?1)",
}


_DUPLICATE = "an id that an earlier row has; remove one of them"


def _in_file_order(chunk: PreparedChunk[Row]) -> list[tuple[int, int, IdentifiedRow[Row] | None]]:
    """Line and id of all rows of a chunk, with the row itself if it is to be written."""
    rows: list[tuple[int, int, IdentifiedRow[Row] | None]] = [
        (ready.row.line, ready.row.id, ready) for ready in chunk.rows
    ]
    rows += [(line, row_id, None) for line, row_id in chunk.unchanged]
    return sorted(rows, key=lambda row: row[0])


def _with_instances(
    draft: DraftCollection, part: SourcePart[object], rows: list[IdentifiedRow[Row]]
) -> list[IdentifiedRow[Row]]:
    """Write the instances of the rows; a formula with the id of another gets a fresh one."""
    rows = [
        _rejected(draft, part, ready, ready.duplicate_ids) if ready.duplicate_ids else ready
        for ready in rows
    ]
    instances = [values for ready in rows for values in _instance_values(ready)]
    written = draft.connection.executemany(_INSERT_INSTANCE, instances).rowcount
    if written == len(instances):
        return rows
    return [_with_free_ids(draft, part, ready) for ready in rows]


_INSERT_INSTANCE = """
INSERT OR IGNORE INTO instances (id, post_id, comment_id, place, formula, repairs)
VALUES (?, ?, ?, ?, ?, ?)
"""

InstanceValues = tuple[int, int, int | None, int, int, int]


def _with_free_ids(
    draft: DraftCollection, part: SourcePart[object], ready: IdentifiedRow[Row]
) -> IdentifiedRow[Row]:
    """The row, with fresh ids for those of its formulas that could not be written."""
    connection = draft.connection
    post_id, comment_id = _owner(ready.row)
    stored = connection.execute(
        "SELECT id FROM instances WHERE id IN (SELECT value FROM json_each(?)) "
        "AND NOT (post_id = ? AND comment_id IS ?)",
        (json.dumps(ready.numbers[ID].tolist()), post_id, comment_id),
    )
    taken = frozenset(formula_id for (formula_id,) in stored)
    if not taken:
        return ready
    renewed = with_fresh_ids(_rejected(draft, part, ready, sorted(taken)), taken)
    old = set(ready.numbers[ID]) - taken
    fresh = [values for values in _instance_values(renewed) if values[0] not in old]
    if connection.executemany(_INSERT_INSTANCE, fresh).rowcount != len(fresh):
        raise FormatError(
            str(part.path),
            ready.row.line,
            f"formula ids {sorted(taken)} and their replacements are all in use; "
            "remove the ids from this row",
        )
    return renewed


def _rejected(
    draft: DraftCollection,
    part: SourcePart[object],
    ready: IdentifiedRow[Row],
    formula_ids: Iterable[int],
) -> IdentifiedRow[Row]:
    """The row, with its formula ids that others have recorded as rejected.

    It gets no digest, so that the next ingest processes and reports it again, when the ids may be
    free.
    """
    for formula_id in formula_ids:
        draft.reject(part, ready.row.line, f"formula {formula_id}", _TAKEN)
    return ready._replace(digest=_NO_DIGEST)


_TAKEN = "a formula id that another formula has; with --skip-bad it gets a new one"
_NO_DIGEST = -1


def _owner(row: PostRow | CommentRow) -> tuple[int, int | None]:
    return (row.id, None) if isinstance(row, PostRow) else (row.post_id, row.id)


def _instance_values(ready: IdentifiedRow[Row]) -> Iterator[InstanceValues]:
    post_id, comment_id = _owner(ready.row)
    numbers = ready.numbers
    ids = numbers[ID]
    return zip(
        ids,
        repeat(post_id, len(ids)),
        repeat(comment_id, len(ids)),
        numbers[PLACE],
        numbers[FORMULA],
        numbers[REPAIR],
        strict=True,
    )


def _post_values(ready: IdentifiedRow[PostRow], pass_number: int) -> tuple[str | int | None, ...]:
    row = ready.row
    return (
        row.id,
        row.kind,
        row.parent_id,
        row.title,
        "\n".join(row.tags),
        row.created,
        row.score,
        row.views,
        row.owner_id,
        row.accepted_id,
        row.answer_count,
        row.comment_count,
        row.name or None,
        ready.digest,
        pass_number,
        row.line,
        row.body,
    )


def _comment_values(
    ready: IdentifiedRow[CommentRow], pass_number: int
) -> tuple[str | int | None, ...]:
    row = ready.row
    return (
        row.id,
        row.post_id,
        row.created,
        row.score,
        row.user_id,
        ready.digest,
        pass_number,
        row.line,
        row.text,
    )
