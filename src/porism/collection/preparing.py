"""What is done to a chunk of posts or comments before it is written, by a process of its own."""

from __future__ import annotations

import logging
from array import array
from functools import lru_cache
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from porism.collection.identity import (
    COMMENTS_FROM,
    PLACES,
    POSTS_FROM,
    Identified,
    Text,
    identified,
)
from porism.collection.parsing import PendingValues
from porism.collection.schema import Place, Severity
from porism.errors import failure
from porism.formats.rows import CommentRow, PostRow

log = logging.getLogger(__name__)

Row = TypeVar("Row", PostRow, CommentRow)

KNOWN_FORMULAS = 50_000
"""Numbers of formulas that a process remembers to have handed on; then it begins anew."""


class Bad(NamedTuple):
    """A row that was not taken in as it stands, and why."""

    line: int
    what: str
    reason: str
    severity: Severity = Severity.BAD


class Chunk(NamedTuple, Generic[Row]):
    """Some rows of a part: how many were read, those to be taken in, those known as they are."""

    work: str  # the same for all chunks of one piece of work, and for no others
    read: int
    rows: list[tuple[Row, int]]  # each with its digest
    unchanged: list[tuple[int, int]]  # line and id
    bad: list[Bad]


class Ready(NamedTuple, Generic[Row]):
    """A row whose text has an id at every formula; ``twice`` are ids that it had used before.

    ``numbers`` has four for each instance, in the order of ``Instance``: so they go from one
    process to another at a fraction of what records would cost.
    """

    row: Row
    digest: int
    twice: list[int]
    numbers: array[int]


ID, PLACE, FORMULA, REPAIR = (slice(place, None, 4) for place in range(4))
"""Where in ``Ready.numbers`` the ids, the places, the distinct formulas and the repairs stand."""


def _ready(row: Row, digest: int, result: Identified) -> Ready[Row]:
    numbers = array("q", chain.from_iterable(result.instances))
    return Ready(_with_texts(row, result), digest, result.twice, numbers)


class Prepared(NamedTuple, Generic[Row]):
    """A chunk as it is written; ``pending`` are the formulas that were not handed on before."""

    read: int
    rows: list[Ready[Row]]
    unchanged: list[tuple[int, int]]
    bad: list[Bad]
    pending: list[PendingValues]


def row_name(row: PostRow | CommentRow) -> str:
    """What a row is called in messages."""
    if isinstance(row, CommentRow):
        return f"comment {row.id}"
    return f"document {row.name}" if row.name else f"post {row.id}"


def prepared(chunk: Chunk[Row]) -> Prepared[Row]:
    """The chunk with the formulas found and identified, each distinct one handed on once.

    A process gets its chunks in the order in which they are written, so a formula that it handed
    on with an earlier one is in the database when a later one is written.
    """
    known = _handed_on(chunk.work)
    if len(known) > KNOWN_FORMULAS:
        known.clear()
    rows: list[Ready[Row]] = []
    pending: list[PendingValues] = []
    bad = list(chunk.bad)
    for row, digest in chunk.rows:
        try:
            result = row_identified(row)
        except Exception as error:  # one post must not stop an ingest
            reason = f"skipped because of an error in Porism ({failure(error)})"
            log.warning("%s: %s", row_name(row), reason)
            bad.append(Bad(row.line, row_name(row), reason, Severity.SKIPPED))
            continue
        if len(result.instances) > PLACES:
            reason = f"{len(result.instances):,} formulas, more than {PLACES:,}; divide it"
            bad.append(Bad(row.line, row_name(row), reason))
            continue
        rows.append(_ready(row, digest, result))
        for formula in result.formulas:
            if formula.number not in known:
                known.add(formula.number)
                pending.append((formula.number, formula.latex, formula.macros))
    return Prepared(chunk.read, rows, chunk.unchanged, bad, pending)


def prepared_again(ready: Ready[Row], taken: frozenset[int]) -> Ready[Row]:
    """The same row with fresh ids for formulas whose ids are ``taken``."""
    result = row_identified(ready.row, taken)
    # The text was repaired the first time, so what it was repaired of is known from there.
    again = _ready(ready.row, ready.digest, result)
    again.numbers[REPAIR] = ready.numbers[REPAIR]
    return again._replace(twice=ready.twice)


def row_identified(row: PostRow | CommentRow, taken: frozenset[int] = frozenset()) -> Identified:
    """The texts of a post or comment with every formula identified."""
    if isinstance(row, PostRow):
        texts = (Text(row.title or "", Place.TITLE), Text(row.body or "", Place.BODY))
        return identified(texts, POSTS_FROM + row.id * PLACES, row.macros, taken)
    text = Text(row.text, Place.COMMENT)
    return identified((text,), COMMENTS_FROM + row.id * PLACES, "", taken)


def _with_texts(row: Row, result: Identified) -> Row:
    if isinstance(row, PostRow):
        title, body = result.texts
        return row._replace(title=None if row.title is None else title, body=body)
    return row._replace(text=result.texts[0])


@lru_cache(maxsize=1)
def _handed_on(work: str) -> set[int]:
    """The numbers of the formulas that this process has handed on in this piece of work."""
    return set()
