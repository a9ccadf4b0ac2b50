"""Typed queries as topics, with the problems met in reading them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from porism.analysis import query_layout
from porism.analysis.query_formulas import count_nodes
from porism.errors import PorismError
from porism.filters import FilterValues
from porism.formats.markup import content
from porism.model import Content, DocId, Formula, Topic, TopicId
from porism.query.interpretation import Interpretation

TYPED_TOPIC_ID = TopicId("typed")

MAX_FORMULAS, MAX_NODES = 50, 2_000
"""Formulas of one query, and their symbols in all; the labs' topics have up to 621."""


@dataclass(frozen=True, slots=True)
class QueryProblem:
    """A problem in a query, and its place in a formula or text; ``source`` is empty without one."""

    message: str
    source: str = ""
    offset: int = 0


NOT_INTERPRETED = Interpretation()
"""Of a topic that was made, not typed."""


@dataclass(frozen=True, slots=True)
class TypedTopic:
    """A topic, the problems met in reading it, and what the text says beside the topic.

    ``phrases`` are words that must follow each other, ``excluded`` words and phrases that posts
    must not have, ``filters`` those that were typed as operators, and ``post_id`` the post whose id
    or address is the whole text.
    """

    topic: Topic
    problems: tuple[QueryProblem, ...] = ()
    interpretation: Interpretation = NOT_INTERPRETED
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: FilterValues = field(default_factory=dict)
    post_id: DocId | None = None


def typed_answer_topic(text: str) -> TypedTopic:
    r"""Read a question: words, and formulas between dollars.

    >>> typed_answer_topic(r"sum of $\frac1n$").topic.title
    ('sum of ', Formula(id='', latex='\\frac1n', visual_id='', macros='', number=None))
    """
    title, problems = _read(text)
    if not _formulas(title) and _COMMAND.search(text):
        why = "LaTeX outside dollars is read as words; put formulas between $ and $"
        problems += (QueryProblem(why),)
    return TypedTopic(Topic(TYPED_TOPIC_ID, title), problems)


def typed_formula_topic(text: str) -> TypedTopic:
    """Read a formula, alone or between dollars among words; several formulas count all.

    >>> typed_formula_topic("x^2").topic.focus.latex
    'x^2'
    """
    title, problems = _read(text)
    formulas = _formulas(title)
    if not formulas:
        formula = Formula("", text.strip(" \t\r\n$") or text.strip())
        return TypedTopic(
            Topic(TYPED_TOPIC_ID, (formula,), focus=formula), _formula_problems(formula)
        )
    return TypedTopic(
        Topic(TYPED_TOPIC_ID, title, focus=formulas[0] if len(formulas) == 1 else None), problems
    )


def _read(text: str) -> tuple[Content, tuple[QueryProblem, ...]]:
    """Return the words and formulas of a text, and the problems in it."""
    if not text.strip():
        raise PorismError("nothing to search for: the query is empty")
    pieces: list[str | Formula] = []
    problems: list[QueryProblem] = []
    for piece in content(html.escape(text, quote=False)):
        if isinstance(piece, Formula):
            pieces.append(piece)
            continue
        at = 0
        for broken in _BROKEN.finditer(piece):
            pieces += (piece[at : broken.start()], Formula("", broken[1].strip()))
            at = broken.end()
            if not broken[2]:
                problems.append(QueryProblem(_NOT_CLOSED, text, text.rfind("$")))
        pieces.append(piece[at:])
    title, cut = _within_budget([piece for piece in pieces if piece])
    problems += (each for formula in _formulas(title) for each in _formula_problems(formula))
    return title, (*problems, *cut)


def _within_budget(pieces: list[str | Formula]) -> tuple[Content, tuple[QueryProblem, ...]]:
    """Return the text without formulas beyond the limits, and a problem that says so."""
    kept: list[str | Formula] = []
    formulas = nodes = 0
    for piece in pieces:
        if isinstance(piece, Formula):
            if formulas == MAX_FORMULAS:
                continue
            size = count_nodes(query_layout(piece.latex).tree.row)
            if nodes + size > MAX_NODES:
                continue
            formulas, nodes = formulas + 1, nodes + size
        kept.append(piece)
    left_out = len(pieces) - len(kept)
    if not left_out:
        return tuple(kept), ()
    why = (
        f"the query has too many or too large formulas: {left_out:,} of them "
        f"{'is' if left_out == 1 else 'are'} not searched for; "
        f"use at most {MAX_FORMULAS} formulas and {MAX_NODES:,} symbols"
    )
    return tuple(kept), (QueryProblem(why),)


def _formulas(pieces: Content) -> list[Formula]:
    return [piece for piece in pieces if isinstance(piece, Formula)]


def _formula_problems(formula: Formula) -> tuple[QueryProblem, ...]:
    problems = query_layout(formula.latex).problems
    return tuple(QueryProblem(each.message, formula.latex, each.offset) for each in problems)


_COMMAND = re.compile(r"\\[A-Za-z]{2}")
# With an open brace, a dollar is read as one inside the formula, so the formula is not found. Money
# has dollars too, but neither commands nor scripts.
_BROKEN = re.compile(r"(?<!\\)\$\$?([^$]*[\\^_{=][^$]*)(\$\$?|$)")
_NOT_CLOSED = "a dollar sign is not closed; the text after it is read as a formula"
