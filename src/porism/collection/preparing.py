"""What is done to a chunk of posts or comments before it is written, by a process of its own."""

from __future__ import annotations

from array import array
from functools import lru_cache
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
from porism.collection.schema import Place
from porism.formats.rows import CommentRow, PostRow

Row = TypeVar("Row", PostRow, CommentRow)

KNOWN_FORMULAS = 200_000
"""Numbers of formulas that a process remembers to have handed on; then it begins anew."""


class Bad(NamedTuple):
    """A row that cannot be taken in, and why."""

    line: int
    what: str
    reason: str


class Chunk(NamedTuple, Generic[Row]):
    """Some rows of a part: how many were read, those to be taken in, those known as they are."""

    work: str  # the same for all chunks of one piece of work, and for no others
    read: int
    rows: list[tuple[Row, int]]  # each with its digest
    unchanged: list[tuple[int, int]]  # line and id
    bad: list[Bad]


class Ready(NamedTuple, Generic[Row]):
    """A row whose text has an id at every formula; ``twice`` are ids that it had used before.

    What the instances are stands in four arrays, with a number in each for every instance: so they
    go from one process to another at a fraction of what records would cost.
    """

    row: Row
    digest: int
    twice: list[int]
    ids: array[int]
    places: array[int]
    formulas: array[int]
    repairs: array[int]


def _ready(row: Row, digest: int, result: Identified) -> Ready[Row]:
    columns = zip(*result.instances, strict=True) if result.instances else ((), (), (), ())
    ids, places, formulas, repairs = (array("q", column) for column in columns)
    with_texts = _with_texts(row, result)
    return Ready(with_texts, digest, result.twice, ids, places, formulas, repairs)


class Prepared(NamedTuple, Generic[Row]):
    """A chunk as it is written; ``pending`` are the formulas that were not handed on before."""

    read: int
    rows: list[Ready[Row]]
    unchanged: list[tuple[int, int]]
    bad: list[Bad]
    pending: list[PendingValues]


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
    for row, digest in chunk.rows:
        result = row_identified(row)
        rows.append(_ready(row, digest, result))
        for formula in result.formulas:
            if formula.number not in known:
                known.add(formula.number)
                pending.append((formula.number, formula.latex, formula.macros))
    return Prepared(chunk.read, rows, chunk.unchanged, chunk.bad, pending)


def prepared_again(ready: Ready[Row], taken: frozenset[int]) -> Ready[Row]:
    """The same row with fresh ids for formulas whose ids are ``taken``."""
    result = row_identified(ready.row, taken)
    # The text was repaired the first time, so what it was repaired of is known from there.
    again = _ready(ready.row, ready.digest, result)
    return again._replace(repairs=ready.repairs, twice=ready.twice)


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
