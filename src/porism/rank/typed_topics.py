"""What a person types into a search, as a topic; and what of it could not be read."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from porism.analysis import query_layout
from porism.analysis.query_formulas import count_nodes
from porism.errors import PorismError
from porism.formats.markup import content
from porism.model import Content, Formula, Topic, TopicId

TYPED_TOPIC_ID = TopicId("typed")

MAX_FORMULAS, MAX_NODES = 50, 2_000
"""Formulas of one query, and the symbols that they have together; the labs' topics have 621."""


@dataclass(frozen=True, slots=True)
class QueryProblem:
    """What was not understood, and where in a formula or text; no place if it is of the whole."""

    message: str
    source: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TypedTopic:
    """A topic, and what had to be recovered from when it was read."""

    topic: Topic
    problems: tuple[QueryProblem, ...] = ()


def typed_answer_topic(text: str) -> TypedTopic:
    r"""A question: words, and formulas between dollars.

    >>> typed_answer_topic(r"sum of $\frac1n$").topic.title
    ('sum of ', Formula(id='', latex='\\frac1n', visual_id='', macros='', number=None))
    """
    title, problems = _read(text)
    if not _formulas(title) and _COMMAND.search(text):
        why = "LaTeX outside of dollars is read as words; put formulas between $ and $"
        problems += (QueryProblem(why),)
    return TypedTopic(Topic(TYPED_TOPIC_ID, title), problems)


def typed_formula_topic(text: str) -> TypedTopic:
    """A formula, alone or, between dollars, among words; of several formulas all are meant.

    >>> typed_formula_topic("x^2").topic.focus.latex
    'x^2'
    """
    title, problems = _read(text)
    formulas = _formulas(title)
    if not formulas:
        formula = Formula("", text.strip(" \t\r\n$") or text.strip())
        return TypedTopic(Topic(TYPED_TOPIC_ID, (formula,), focus=formula), _misread(formula))
    return TypedTopic(
        Topic(TYPED_TOPIC_ID, title, focus=formulas[0] if len(formulas) == 1 else None), problems
    )


def _read(text: str) -> tuple[Content, tuple[QueryProblem, ...]]:
    """The words and formulas of a text, and all that was not understood of it."""
    if not text.strip():
        raise PorismError("there is nothing to search for: the text is empty")
    said: list[str | Formula] = []
    problems: list[QueryProblem] = []
    for piece in content(html.escape(text, quote=False)):
        if isinstance(piece, Formula):
            said.append(piece)
            continue
        at = 0
        for broken in _BROKEN.finditer(piece):
            said += (piece[at : broken.start()], Formula("", broken[1].strip()))
            at = broken.end()
            if not broken[2]:
                problems.append(QueryProblem(_NOT_CLOSED, text, text.rfind("$")))
        said.append(piece[at:])
    title, cut = _within_budget([piece for piece in said if piece])
    problems += (each for formula in _formulas(title) for each in _misread(formula))
    return title, (*problems, *cut)


def _within_budget(said: list[str | Formula]) -> tuple[Content, tuple[QueryProblem, ...]]:
    """The text without the formulas that are too many or too large together, and a note of that."""
    kept: list[str | Formula] = []
    formulas = nodes = 0
    for piece in said:
        if isinstance(piece, Formula):
            if formulas == MAX_FORMULAS:
                continue
            size = count_nodes(query_layout(piece.latex).tree.row)
            if nodes + size > MAX_NODES:
                continue
            formulas, nodes = formulas + 1, nodes + size
        kept.append(piece)
    left_out = len(said) - len(kept)
    if not left_out:
        return tuple(kept), ()
    why = (
        f"the query has too many or too large formulas: {left_out:,} of them "
        f"{'is' if left_out == 1 else 'are'} not searched for; "
        f"use at most {MAX_FORMULAS} formulas and {MAX_NODES:,} symbols"
    )
    return tuple(kept), (QueryProblem(why),)


def _formulas(said: Content) -> list[Formula]:
    return [piece for piece in said if isinstance(piece, Formula)]


def _misread(formula: Formula) -> tuple[QueryProblem, ...]:
    found = query_layout(formula.latex).problems
    return tuple(QueryProblem(each.message, formula.latex, each.offset) for each in found)


_COMMAND = re.compile(r"\\[A-Za-z]{2}")
# Where a brace is open, a dollar is taken for one within the formula, so none of it is found. Money
# has dollars too, but neither commands nor scripts.
_BROKEN = re.compile(r"(?<!\\)\$\$?([^$]*[\\^_{=][^$]*)(\$\$?|$)")
_NOT_CLOSED = "a dollar sign is not closed; what follows is read as a formula"
