"""Typed queries as topics, with the problems met in reading them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from porism.analysis import query_layout
from porism.analysis.query_formulas import count_nodes
from porism.errors import PorismError
from porism.filters import FILTERS, FilterValue, FilterValues, Number, Texts
from porism.model import Content, DocId, Formula, Topic, TopicId
from porism.query.delimited_math import delimited_formulas
from porism.query.formula_texts import formula_interpretation
from porism.query.interpretation import interpret
from porism.query.operators import title_of_address
from porism.query.parts import FormulaSyntax, Interpretation, PartKind, QueryPart
from porism.query.undelimited.spoken_math import meaningful_words

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


def typed_answer_topic(text: str, literal: Collection[str] = ()) -> TypedTopic:
    r"""Read a question: words, formulas and operators.

    ``literal`` are parts that are read as words. The words of a phrase are searched for too, and
    those of a spoken formula that name what it is.

    >>> typed_answer_topic("sum of 1/n").topic.title
    ('sum of ', Formula(id='', latex='\\frac{1}{n}', visual_id='', macros='', number=None))
    """
    _check_not_empty(text)
    return _typed_topic(interpret(text, literal))


def typed_formula_topic(text: str, literal: Collection[str] = ()) -> TypedTopic:
    """Read a formula, alone or among words; several formulas count all.

    A text without words is one formula. In a sentence only its formulas count.

    >>> typed_formula_topic("x^2").topic.focus.latex
    'x^2'
    """
    _check_not_empty(text)
    typed = _typed_topic(formula_interpretation(text, literal))
    formulas = _formulas(typed.topic.title)
    if not formulas:
        return replace(typed, problems=(*typed.problems, QueryProblem(_NO_FORMULA)))
    focus = formulas[0] if len(formulas) == 1 else None
    return replace(typed, topic=replace(typed.topic, focus=focus))


def _check_not_empty(text: str) -> None:
    if not text.strip():
        raise PorismError("nothing to search for: the query is empty")


_NO_FORMULA = (
    "there is no formula among these words; type one, such as x^2 + 1 or \\frac{1}{n}, or search "
    "for answers"
)


def _typed_topic(interpretation: Interpretation) -> TypedTopic:
    parts = interpretation.parts
    title, cut = _within_budget(_normalized(_pieces(interpretation)))
    filters, unknown = _filters(parts)
    problems = [
        *_unclosed(interpretation.text),
        *(each for formula in _formulas(title) for each in _formula_problems(formula)),
        *cut,
        *unknown,
    ]
    posts = interpretation.values(PartKind.POST)
    is_post = len(posts) == 1 and not any(
        part.source.strip() for part in parts if part.kind is not PartKind.POST
    )
    if posts and not is_post:
        problems.append(QueryProblem(_POST_AMONG_WORDS))
    if not title:
        problems.append(QueryProblem(_ONLY_OPERATORS))
    return TypedTopic(
        Topic(TYPED_TOPIC_ID, title),
        tuple(problems),
        interpretation,
        phrases=interpretation.values(PartKind.PHRASE),
        excluded=interpretation.values(PartKind.EXCLUDED),
        filters=filters,
        post_id=DocId(posts[0]) if is_post else None,
    )


_POST_AMONG_WORDS = "the address or id of a post opens it only if nothing else is typed"
_ONLY_OPERATORS = "the query has nothing to search for beside operators; add words or a formula"


# Words and formulas -----------------------------------------------------------------------------


def _pieces(interpretation: Interpretation) -> Iterator[str | Formula]:
    for part in interpretation.parts:
        match part.kind:
            case PartKind.FORMULA:
                if part.syntax is FormulaSyntax.SPOKEN and (words := meaningful_words(part.source)):
                    yield f"{words} "
                yield Formula("", part.value)
            case PartKind.WORDS | PartKind.PHRASE:
                yield part.source
            case PartKind.POST:
                yield title_of_address(part.source) or part.source
            case _:
                yield " "


def _normalized(pieces: Iterable[str | Formula]) -> list[str | Formula]:
    """The pieces as content: adjacent texts joined, white space as single blanks, none at the ends.

    >>> _normalized(["  a  ", "b\\n", Formula("", "x"), " "])
    ['a b ', Formula(id='', latex='x', visual_id='', macros='', number=None)]
    """
    content: list[str | Formula] = []
    for piece in pieces:
        if isinstance(piece, str) and content and isinstance(content[-1], str):
            content[-1] += piece
        else:
            content.append(piece)
    last = len(content) - 1
    for at, piece in enumerate(content):
        if isinstance(piece, str):
            piece = _BLANKS.sub(" ", piece)
            piece = piece.lstrip(" ") if at == 0 else piece
            content[at] = piece.rstrip(" ") if at == last else piece
    return [piece for piece in content if piece != ""]


_BLANKS = re.compile(r"[ \t\r\n\f]+")


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


# Problems and filters ---------------------------------------------------------------------------


def _formula_problems(formula: Formula) -> tuple[QueryProblem, ...]:
    problems = query_layout(formula.latex).problems
    return tuple(QueryProblem(each.message, formula.latex, each.offset) for each in problems)


def _unclosed(text: str) -> Iterator[QueryProblem]:
    if "$" in text and not all(each.is_closed for each in delimited_formulas(text)):
        yield QueryProblem(_NOT_CLOSED, text, text.rfind("$"))


_NOT_CLOSED = "a dollar sign is not closed; the text after it is read as a formula"

_FILTER_NAMES = {PartKind.TAG: "tag", PartKind.USER: "user", PartKind.SCORE: "votes"}


def _filters(parts: Iterable[QueryPart]) -> tuple[FilterValues, list[QueryProblem]]:
    """The filters that were typed, and problems with those that cannot be used as typed."""
    specs = {spec.name: spec for spec in FILTERS}
    values: dict[str, FilterValue] = {}
    problems: list[QueryProblem] = []
    for part in parts:
        name = _FILTER_NAMES.get(part.kind)
        if name is None:
            continue
        takes = specs[name].takes if name in specs else None
        if isinstance(takes, Number):
            number = min(int(part.value), takes.last)
            if number < int(part.value):
                problems.append(QueryProblem(f"{name} are counted up to {takes.last}", part.source))
            values[name] = max(number, takes.first)
        elif isinstance(takes, Texts):
            before = values.get(name, ())
            texts = (*before, part.value) if isinstance(before, tuple) else (part.value,)
            values[name] = tuple(dict.fromkeys(texts))[: takes.most]
            if len(part.value) > takes.longest or len(set(texts)) > takes.most:
                problems.append(QueryProblem(f"at most {takes.most} {name}s are used", part.source))
        else:
            problems.append(QueryProblem(f"this search has no filter “{name}”", part.source))
    return values, problems
