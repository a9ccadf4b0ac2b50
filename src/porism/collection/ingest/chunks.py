"""What is done to a chunk of posts or comments before it is written, by a process of its own."""

from __future__ import annotations

import logging
from array import array
from functools import lru_cache
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from porism.collection.ingest.formula_trees import PendingValues
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
from porism.formats.dumps.rows import CommentRow, PostRow

log = logging.getLogger(__name__)

Row = TypeVar("Row", PostRow, CommentRow)

KNOWN_FORMULAS = 50_000
"""Numbers of formulas that a process remembers to have handed on; then it begins anew."""


class RejectedRow(NamedTuple):
    """A row that was not taken in as it stands, and why."""

    line: int
    what: str
    reason: str
    severity: RejectSeverity = RejectSeverity.BAD


class RowChunk(NamedTuple, Generic[Row]):
    """Some rows of a part: how many were read, those to be taken in, those known as they are."""

    work: str  # the same for all chunks of one piece of work, and for no others
    read: int
    rows: list[tuple[Row, int]]  # each with its digest
    unchanged: list[tuple[int, int]]  # line and id
    bad: list[RejectedRow]


class IdentifiedRow(NamedTuple, Generic[Row]):
    """A row whose text has an id at every formula; ``twice`` are ids that it had used before.

    ``numbers`` has four for each instance, in the order of ``Instance``: so they go from one
    process to another at a fraction of what records would cost.
    """

    row: Row
    digest: int
    duplicate_ids: list[int]
    numbers: array[int]


ID, PLACE, FORMULA, REPAIR = (slice(place, None, 4) for place in range(4))
"""Where in ``Ready.numbers`` the ids, the places, the distinct formulas and the repairs stand."""


def _ready(row: Row, digest: int, result: IdentifiedTexts) -> IdentifiedRow[Row]:
    numbers = array("q", chain.from_iterable(result.instances))
    return IdentifiedRow(_with_texts(row, result), digest, result.duplicate_ids, numbers)


class PreparedChunk(NamedTuple, Generic[Row]):
    """A chunk as it is written; ``pending`` are the formulas that were not handed on before."""

    read: int
    rows: list[IdentifiedRow[Row]]
    unchanged: list[tuple[int, int]]
    bad: list[RejectedRow]
    pending: list[PendingValues]


def row_name(row: PostRow | CommentRow) -> str:
    """What a row is called in messages."""
    if isinstance(row, CommentRow):
        return f"comment {row.id}"
    return f"document {row.name}" if row.name else f"post {row.id}"


def prepared_chunk(chunk: RowChunk[Row]) -> PreparedChunk[Row]:
    """The chunk with the formulas found and identified, each distinct one handed on once.

    A process gets its chunks in the order in which they are written, so a formula that it handed
    on with an earlier one is in the database when a later one is written.
    """
    known = _handed_on(chunk.work)
    if len(known) > KNOWN_FORMULAS:
        known.clear()
    rows: list[IdentifiedRow[Row]] = []
    pending: list[PendingValues] = []
    bad = list(chunk.bad)
    for row, digest in chunk.rows:
        try:
            result = identified_row_texts(row)
        except Exception as error:  # one post must not stop an ingest
            reason = f"skipped because of an error in Porism ({error_summary(error)})"
            log.warning("%s: %s", row_name(row), reason)
            bad.append(RejectedRow(row.line, row_name(row), reason, RejectSeverity.SKIPPED))
            continue
        if len(result.instances) > PLACES:
            reason = f"{len(result.instances):,} formulas, more than {PLACES:,}; divide it"
            bad.append(RejectedRow(row.line, row_name(row), reason))
            continue
        rows.append(_ready(row, digest, result))
        for formula in result.formulas:
            if formula.number not in known:
                known.add(formula.number)
                pending.append((formula.number, formula.latex, formula.macros))
    return PreparedChunk(chunk.read, rows, chunk.unchanged, bad, pending)


def with_fresh_ids(ready: IdentifiedRow[Row], taken: frozenset[int]) -> IdentifiedRow[Row]:
    """The same row with fresh ids for formulas whose ids are ``taken``."""
    result = identified_row_texts(ready.row, taken)
    # The text was repaired the first time, so what it was repaired of is known from there.
    again = _ready(ready.row, ready.digest, result)
    again.numbers[REPAIR] = ready.numbers[REPAIR]
    return again._replace(duplicate_ids=ready.duplicate_ids)


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
def _handed_on(work: str) -> set[int]:
    """The numbers of the formulas that this process has handed on in this piece of work."""
    return set()
