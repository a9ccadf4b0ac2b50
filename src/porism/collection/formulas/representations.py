"""Formula instances as rows of the lab's files, in LaTeX or as MathML of their trees."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from porism.collection.schema import EFFECTIVE_VISUAL_ID, InstancePlace
from porism.formats.dumps.arqmath import FormulaRepresentation
from porism.formats.dumps.rows import FormulaRow
from porism.formula.latex import layout_of
from porism.formula.mathml import content_mathml, presentation_mathml
from porism.formula.operators import operator_tree
from porism.model import PostKind
from porism.parallel import map_in_order

CHUNK_FORMULAS = 2_000
FEW_FORMULAS = 20_000
"""Up to this number, formulas are converted faster than worker processes start."""

CACHED_MATHML = 20_000
"""Formulas whose MathML a process caches."""


class _Chunk(NamedTuple):
    representation: FormulaRepresentation
    rows: list[FormulaRow]  # with LaTeX
    macros: list[str]


def representation_rows(
    connection: sqlite3.Connection, representation: FormulaRepresentation, jobs: int
) -> Iterator[FormulaRow]:
    """The rows of all instances by id; as MathML, only of those that were parsed.

    The visual id is the lab's or, where it gave none, ours.
    """
    if representation is FormulaRepresentation.LATEX:
        for values in connection.execute(_SELECT.format(where="1")):
            yield _row(*values[:-1])
        return
    is_large = count_representation_rows(connection, representation) > FEW_FORMULAS
    chunks = _chunks(connection, representation)
    for rows in map_in_order(_mathml_rows, chunks, jobs if is_large else 1):
        yield from rows


def count_representation_rows(
    connection: sqlite3.Connection, representation: FormulaRepresentation
) -> int:
    """The number of rows that ``representation_rows`` yields."""
    where = "1" if representation is FormulaRepresentation.LATEX else _IS_PARSED
    (count,) = connection.execute(
        f"SELECT count(*) FROM instances JOIN formulas ON number = formula WHERE {where}"
    ).fetchone()
    return int(count)


_IS_PARSED = "coalesce(problem, '') NOT LIKE 'refused:%'"

_SELECT = f"""
SELECT instances.id, post_id, coalesce(posts.parent_id, posts.id), place, kind, comment_id,
    old_visual_id, {EFFECTIVE_VISUAL_ID}, issue, latex, macros
FROM instances
JOIN posts ON posts.id = post_id
JOIN formulas ON formulas.number = formula
WHERE {{where}}
ORDER BY instances.id
"""


def _row(
    instance_id: int,
    post_id: int,
    thread_id: int,
    place: int,
    kind: str,
    comment_id: int | None,
    old_visual_id: int | None,
    visual_id: int,
    issue: str | None,
    latex: str,
) -> FormulaRow:
    return FormulaRow(
        id=str(instance_id),
        post_id=str(post_id),
        thread_id=str(thread_id),
        type=_type(place, kind),
        representation=latex,
        comment_id="" if comment_id is None else str(comment_id),
        old_visual_id="" if old_visual_id is None else str(old_visual_id),
        visual_id=str(visual_id),
        issue=issue or "",
    )


def _type(place: int, kind: str) -> str:
    if place == InstancePlace.TITLE:
        return "title"
    if place == InstancePlace.COMMENT:
        return "comment"
    return "answer" if kind == PostKind.ANSWER else "question"


def _chunks(
    connection: sqlite3.Connection, representation: FormulaRepresentation
) -> Iterator[_Chunk]:
    select = _SELECT.format(where=_IS_PARSED)
    selected = connection.execute(select)
    while values := selected.fetchmany(CHUNK_FORMULAS):
        rows = [_row(*each[:-1]) for each in values]
        yield _Chunk(representation, rows, [each[-1] for each in values])


def _mathml_rows(chunk: _Chunk) -> list[FormulaRow]:
    """The rows of a chunk with MathML, for a worker process."""
    return [
        row._replace(representation=_mathml(chunk.representation, row.representation, macros))
        for row, macros in zip(chunk.rows, chunk.macros, strict=True)
    ]


@lru_cache(maxsize=CACHED_MATHML)
def _mathml(representation: FormulaRepresentation, latex: str, macros: str) -> str:
    layout = layout_of(latex, macros)
    if representation is FormulaRepresentation.OPT:
        return content_mathml(operator_tree(layout))
    # Attributes have no line breaks, and XML no control characters.
    alttext = "".join(char if char.isprintable() else " " for char in latex)
    return presentation_mathml(layout, alttext=alttext)
