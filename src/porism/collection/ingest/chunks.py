"""Preparation of a chunk of posts or comments for writing, in a worker process."""

from __future__ import annotations

import logging
from array import array
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from porism.collection.ingest.formula_trees import PendingFormula
from porism.collection.ingest.instance_ids import (
    COMMENTS_FROM,
    PLACES,
    POSTS_FROM,
    IdentifiedTexts,
    PlacedText,
    identified_texts,
)
from porism.collection.schema import InstancePlace, RejectSeverity
from porism.errors import error_summary
from porism.formats.dumps.rows import CommentRow, FileRead, PostRow

log = logging.getLogger(__name__)

Row = TypeVar("Row", PostRow, CommentRow)

KNOWN_FORMULAS = 50_000
"""Formulas that a process remembers to have sent, before it forgets them all."""


class RejectedRow(NamedTuple):
    """A row that was left out or changed, and why."""

    line: int
    what: str
    reason: str
    severity: RejectSeverity = RejectSeverity.BAD


class RowChunk(NamedTuple, Generic[Row]):
    """Rows of a part: the number read, new and changed rows, unchanged rows, rejected rows.

    ``files`` end in this chunk, or before it.
    """

    work: str  # the same for all chunks of one part in one ingest, and for no others
    read: int
    rows: list[tuple[Row, int]]  # each with its digest
    unchanged: list[tuple[int, int]]  # line and id
    rejected: list[RejectedRow]
    files: list[FileRead]


class IdentifiedRow(NamedTuple, Generic[Row]):
    """A row whose text has an id at every formula; ``duplicate_ids`` occurred twice in it.

    ``numbers`` are those of ``IdentifiedTexts``; to send them to another process costs a fraction
    of what records would.
    """

    row: Row
    digest: int
    duplicate_ids: list[int]
    numbers: array[int]


ID, PLACE, FORMULA, REPAIR = (slice(place, None, 4) for place in range(4))
"""The ids, places, distinct formulas and repairs in ``IdentifiedRow.numbers``."""


def _identified(row: Row, digest: int, result: IdentifiedTexts) -> IdentifiedRow[Row]:
    numbers = array("q", result.numbers)
    return IdentifiedRow(_with_texts(row, result), digest, result.duplicate_ids, numbers)


class PreparedChunk(NamedTuple, Generic[Row]):
    """A chunk ready to be written; ``pending`` are formulas that were not sent before."""

    read: int
    rows: list[IdentifiedRow[Row]]
    unchanged: list[tuple[int, int]]
    rejected: list[RejectedRow]
    pending: list[PendingFormula]
    files: list[FileRead]


def row_name(row: PostRow | CommentRow) -> str:
    """The name of a row in messages."""
    if isinstance(row, CommentRow):
        return f"comment {row.id}"
    return f"document {row.name}" if row.name else f"post {row.id}"


def prepared_chunk(chunk: RowChunk[Row]) -> PreparedChunk[Row]:
    """The chunk with all formulas identified, and each distinct one sent once.

    A process gets its chunks in the order in which they are written, so a formula that it sent
    with an earlier chunk is in the database when a later one is written.
    """
    known = _sent_formulas(chunk.work)
    if len(known) > KNOWN_FORMULAS:
        known.clear()
    rows: list[IdentifiedRow[Row]] = []
    pending: list[PendingFormula] = []
    rejected = list(chunk.rejected)
    for row, digest in chunk.rows:
        try:
            result = identified_row_texts(row)
        except Exception as error:  # one post must not stop an ingest
            reason = f"skipped because of an error in Porism ({error_summary(error)})"
            log.warning("%s: %s", row_name(row), reason)
            rejected.append(RejectedRow(row.line, row_name(row), reason, RejectSeverity.SKIPPED))
            continue
        if len(result.formulas) > PLACES:
            reason = f"{len(result.formulas):,} formulas, more than {PLACES:,}; split the text"
            rejected.append(RejectedRow(row.line, row_name(row), reason))
            continue
        rows.append(_identified(row, digest, result))
        for formula in result.formulas:
            if formula[0] not in known:
                known.add(formula[0])
                pending.append(formula)
    return PreparedChunk(chunk.read, rows, chunk.unchanged, rejected, pending, chunk.files)


def with_fresh_ids(row: IdentifiedRow[Row], taken: frozenset[int]) -> IdentifiedRow[Row]:
    """The row with fresh ids for formulas whose ids are ``taken``."""
    renewed = _identified(row.row, row.digest, identified_row_texts(row.row, taken))
    # Repairs were made and recorded the first time.
    renewed.numbers[REPAIR] = row.numbers[REPAIR]
    return renewed._replace(duplicate_ids=row.duplicate_ids)


def identified_row_texts(
    row: PostRow | CommentRow, taken: frozenset[int] = frozenset()
) -> IdentifiedTexts:
    """The texts of a post or comment with every formula identified."""
    if isinstance(row, PostRow):
        texts = (
            PlacedText(row.title or "", InstancePlace.TITLE),
            PlacedText(row.body or "", InstancePlace.BODY),
        )
        return identified_texts(texts, POSTS_FROM + row.id * PLACES, row.macros, taken)
    text = PlacedText(row.text, InstancePlace.COMMENT)
    return identified_texts((text,), COMMENTS_FROM + row.id * PLACES, "", taken)


def _with_texts(row: Row, result: IdentifiedTexts) -> Row:
    if isinstance(row, PostRow):
        title, body = result.texts
        return row._replace(title=None if row.title is None else title, body=body)
    return row._replace(text=result.texts[0])


@lru_cache(maxsize=1)
def _sent_formulas(work: str) -> set[int]:
    """The numbers of formulas that this process has sent for this part."""
    return set()
