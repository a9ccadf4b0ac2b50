"""Ingest of the small tables: links, tags, users, votes, linked titles, months, formula files."""

from __future__ import annotations

import logging
from collections.abc import Callable
from html import escape, unescape
from typing import TypeVar

from porism.collection.ingest.draft import DraftCollection
from porism.collection.ingest.posts import IngestRules, row_chunks, rows_with_progress
from porism.collection.ingest.sources import CollectionSource, SourcePart
from porism.collection.progress import Watch
from porism.collection.schema import is_number, transaction
from porism.errors import FormatError, error_summary
from porism.formats.dumps.rows import FormulaRow
from porism.formats.markup import bare_text, find_formulas, with_formula_spans
from porism.hashing import text_number

log = logging.getLogger(__name__)

Row = TypeVar("Row")
Value = str | int | None


def ingest_small_tables(
    draft: DraftCollection, source: CollectionSource, rules: IngestRules, watch: Watch
) -> None:
    """Ingest new or changed tables other than posts, comments and formula files."""

    def ingest_table(
        parts: tuple[SourcePart[Row], ...],
        table: str,
        sql: str,
        values: Callable[[Row], tuple[Value, ...] | None],
    ) -> None:
        for part in parts:
            if not draft.is_finished(part):
                _ingest_table(draft, part, table, sql, values, watch)

    ingest_table(
        source.links,
        "links",
        "INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?)",
        lambda row: (
            (row.post_id, row.related_id, row.kind, row.id, row.created)
            if rules.includes(row.created)
            else None
        ),
    )
    ingest_table(
        source.tags,
        "tags",
        "INSERT OR REPLACE INTO tags VALUES (?, ?, ?)",
        lambda row: (row.name, row.posts, row.id),
    )
    ingest_table(
        source.users,
        "users",
        "INSERT OR REPLACE INTO users VALUES (?, ?, ?, ?)",
        lambda row: (
            (row.id, row.name, row.reputation, row.created) if rules.includes(row.created) else None
        ),
    )
    ingest_table(
        source.votes,
        "votes",
        "INSERT INTO votes VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET votes = votes + 1",
        lambda row: (row.post_id, row.kind) if rules.includes(row.created) else None,
    )
    ingest_table(
        source.linked_titles,
        "linked titles",
        "INSERT OR REPLACE INTO linked_titles VALUES (?, ?)",
        lambda row: (row[0], _marked_title(*row)),
    )
    ingest_table(
        source.months,
        "months",
        "UPDATE posts SET created = ?2 WHERE id = ?1 AND created IS NULL",
        lambda row: row,  # threads after ``until`` are removed when all posts are there
    )


def _marked_title(post_id: int, title: str) -> str:
    """The title with its formulas marked; they are no instances and get no ids."""
    try:
        found = find_formulas(title)
        return with_formula_spans(title, found, [formula.id for formula in found])
    except Exception as error:  # one title must not stop an ingest
        log.warning("linked title %s: kept as plain text (%s)", post_id, error_summary(error))
        return escape(bare_text(title), quote=False)


def ingest_formula_files(draft: DraftCollection, source: CollectionSource, watch: Watch) -> None:
    """Ingest the lab's formula files, to be joined with the instances in posts."""
    for part in source.formulas:
        if draft.is_finished(part):
            continue

        def values(row: FormulaRow, path: str = str(part.path)) -> tuple[Value, ...]:
            numbers = (row.id, row.post_id, row.comment_id, row.visual_id, row.old_visual_id)
            for text in numbers:
                if text and not is_number(text):
                    why = f"found the id {text[:40]!r}: expected a whole number below 2^63"
                    raise FormatError(path, row.line, why)
            if not (row.id and row.post_id):
                why = "found no id of the formula or its post: expected both in every line"
                raise FormatError(path, row.line, why)
            formula_id, post_id, comment_id, visual_id, old_visual_id = map(_optional, numbers)
            return (
                formula_id,
                post_id,
                comment_id,
                spelling_number(row.representation),
                visual_id,
                old_visual_id,
                row.issue or None,
                row.line,
            )

        _ingest_table(
            draft,
            part,
            "formula files",
            "INSERT OR REPLACE INTO annotations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            values,
            watch,
        )


def _optional(text: str) -> int | None:
    return int(text) if text else None


def spelling_number(latex: str) -> int:
    """A hash of LaTeX that ignores white space and HTML escapes."""
    return text_number("".join(unescape(latex).split()))


def _ingest_table(
    draft: DraftCollection,
    part: SourcePart[Row],
    table: str,
    sql: str,
    values: Callable[[Row], tuple[Value, ...] | None],
    watch: Watch,
) -> None:
    _, done = draft.begin(part, table)
    for chunk in row_chunks(rows_with_progress(part, done, table, watch)):
        with transaction(draft.connection):
            rows = [row for row in map(values, chunk) if row is not None]
            draft.connection.executemany(sql, rows)
            draft.advance(part, len(chunk))
    with transaction(draft.connection):
        draft.finish_part(part)
