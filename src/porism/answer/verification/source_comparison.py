r"""Whether the sources of an answer have its final formula, and whether they contradict each other.

Two expressions are equal if their canonical forms are, or their values as constants. An equation
occurs in a source if a chain of equalities there has its left side and its value as two sides. A
contradiction needs the same expression without free names, such as ``\sum_{n=1}^\infty 1/n^2``,
with values that are clearly different numbers; names such as x are local to a post.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from porism import deadlines
from porism.answer.short_answer import Contradiction, FormulaCheck, Verification
from porism.answer.verification.canonical_expressions import is_closed, is_trivial
from porism.answer.verification.constant_values import (
    KNOWN_FUNCTIONS,
    ConstantValue,
    clearly_different,
    equal_values,
)
from porism.answer.verification.final_results import (
    Announcement,
    StatedResult,
    final_result,
    is_announced,
    results,
)
from porism.answer.verification.statements import Side, Statement
from porism.formula.tree import Node, Tree

MAX_STATEMENTS = 300
"""Statements of all sources together that are compared, the first ones of each."""


MAX_FORMULAS = 10_000
"""Characters of formulas of all sources together that are read.

Of the answers of ARQMath, 99 % have less than 2,000 in equations.
"""

MAX_CHARACTERS = 30_000
"""Characters of one source that are read, the first ones."""


def verify(text: str, passages: Mapping[int, str]) -> Verification:
    r"""Compare the final formula of an answer with its sources, and the sources with each other.

    ``passages`` are whole sources by number, as Markdown with LaTeX. Any text is accepted.

    >>> sources = {1: r"It is $\pi^2/6=\sum_{k=1}^\infty k^{-2}$.", 2: "I do not know."}
    >>> check = verify(r"Hence $\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}{6}$.", sources).check
    >>> check.agreeing if check else None
    (1,)
    """
    final = final_result(text[:MAX_CHARACTERS])
    sources = _read_all(passages, final)
    claims = {number: claimed_values(source) for number, source in sources.items()}
    check = None
    if final is not None:
        own = claimed_values([final])
        check = FormulaCheck(
            final.latex,
            tuple(number for number, source in sources.items() if _occurs(final, source)),
            tuple(number for number, other in claims.items() if any(_differences(own, other))),
            _holds(final),
        )
    return Verification(check, tuple(_contradictions(claims)))


# Agreement

_EQUALITY = re.compile(r"=|\\(?:approx|simeq|cong|coloneqq|doteq|triangleq)(?![A-Za-z])|[≈≃≅≔≜]")


def _read_all(
    passages: Mapping[int, str], final: StatedResult | None
) -> dict[int, list[StatedResult]]:
    """The statements of each source that may be the final result, or may contradict others.

    What one source does not need of its share is left to those after it.
    """
    is_relation = final is not None and not final.statement.is_equation
    length = 0 if final is None else len(final.source)
    characters = 0

    def is_wanted(latex: str, sentence: str) -> bool:
        nonlocal characters
        is_equation = _EQUALITY.search(latex) is not None or is_announced(latex, sentence)
        if not is_equation and not (is_relation and 2 < len(latex) < 3 * length + 20):
            return False
        characters -= len(latex)
        return characters > 0

    read: dict[int, list[StatedResult]] = {}
    left, most = MAX_FORMULAS, MAX_STATEMENTS // max(len(passages), 1)
    for place, (number, passage) in enumerate(passages.items()):
        share = characters = left // (len(passages) - place)
        read[number] = list(results(passage[:MAX_CHARACTERS], is_wanted, max_results=most))
        left -= share - max(characters, 0)
    return read


def _occurs(final: StatedResult, source: Iterable[StatedResult]) -> bool:
    """Whether a source states a result."""
    statement = final.statement
    if statement.is_equation:
        return any(_is_same_equation(statement, result.statement) for result in source)
    side = statement.value
    for result in source:
        deadlines.check()
        other = result.statement
        is_answer = result.announcement >= Announcement.ANSWER
        if is_trivial(side.canonical) and not is_answer:
            continue
        if (other.is_equation or is_answer or statement.has_relation == other.has_relation) and (
            are_equal(side, other.value)
        ):
            return True
    return False


def _is_same_equation(one: Statement, other: Statement) -> bool:
    """Whether a chain has the value of an equation, and on another side one of its left sides.

    The left sides of a chain are the first one, and those that are no constants.
    """
    if not other.is_equation:
        return False
    deadlines.check()
    values = [at for at, side in enumerate(other.sides) if are_equal(one.value, side)]
    if not values:
        return False
    lefts = [one.sides[0], *(side for side in one.sides[1:-1] if side.value is None)]
    forms = {side.canonical for side in lefts}
    return any(
        side.canonical in forms
        for at, side in enumerate(other.sides)
        if any(value != at for value in values)
    )


def are_equal(one: Side, other: Side) -> bool:
    """Whether two expressions are equal up to notation, or as numbers; this is symmetric."""
    if one.canonical == other.canonical:
        return True
    first = one.value
    second = other.value if first is not None else None
    return first is not None and second is not None and equal_values(first, second)


def _holds(final: StatedResult) -> bool | None:
    """Whether the sides of an equation are one number; None if one of them is not computed."""
    sides = final.statement.sides
    if len(sides) < 2 or _HYPOTHETICAL.search(final.prose):
        return None
    first, last = sides[0].value, sides[-1].value
    if first is None or last is None:
        return None
    if equal_values(first, last):
        return True
    is_false = clearly_different(first, last) and not _has_plain_log(sides)
    return False if is_false and any(map(_is_real, sides)) else None


def _is_real(side: Side) -> bool:
    """Whether an expression is of real numbers: mere fractions may be of any field, e a group's."""
    return any(
        node.label in _REAL or (node.label[:2] == "N!" and "." in node.label)
        for node in Tree("opt", (side.tree,)).nodes()
    )


_REAL = frozenset("V!π O!root O!factorial O!binomial".split()) | KNOWN_FUNCTIONS


def _has_plain_log(sides: Iterable[Side]) -> bool:
    """Whether a logarithm without base occurs, which may be natural or decimal."""
    for side in sides:
        if any(node.label == "F!log" and node.parts for node in Tree("opt", (side.tree,)).nodes()):
            return True
    return False


# Contradictions


@dataclass(frozen=True, slots=True)
class ClaimedValue:
    """The value that a text gives for an expression."""

    expression: Side
    side: Side
    value: ConstantValue


_TELLING = frozenset(("∑", "∏", "∫", "lim", "O!stack", "V!Γ", "V!ζ"))
_HYPOTHETICAL = re.compile(
    r"\b(?:not|cannot|wrong|incorrect\w*|false\w*|suppos\w+|assum\w+|if|claim\w*|contradict\w*|"
    r"why|should|would|seems?|mistake\w*|guess\w*|conjectur\w*|mod|modulo|regulari\w+|"
    r"ramanujan|ces[aà]ro|abel|divergent|instead|unless|but)\b|n't\b|n’t\b",
    re.IGNORECASE,
)


def claimed_values(source: Iterable[StatedResult]) -> dict[Node, ClaimedValue]:
    """The values of expressions without free names, by canonical expression.

    Hypotheses and what is denied do not count, nor does an expression for which a source gives
    several values.
    """
    claims: dict[Node, ClaimedValue] = {}
    refused: set[Node] = set()
    for result in source:
        sides = result.statement.sides
        if len(sides) < 2 or _HYPOTHETICAL.search(result.prose):
            continue
        for at, expression in enumerate(sides):
            if not _has_label(expression.row) or not is_closed(expression.canonical):
                continue
            deadlines.check()
            others = [side for place, side in enumerate(sides) if place != at]
            for side in others:
                value = side.value
                if value is None or _has_plain_log([side]):
                    continue
                claim = ClaimedValue(expression, side, value)
                earlier = claims.setdefault(expression.canonical, claim)
                if clearly_different(earlier.value, value):
                    refused.add(expression.canonical)
    return {form: claim for form, claim in claims.items() if form not in refused}


def _has_label(row: tuple[Node, ...]) -> bool:
    pending = [row]
    while pending:
        for node in pending.pop():
            if node.label in _TELLING:
                return True
            pending += (below for _, below in node.parts)
    return False


def _differences(
    one: Mapping[Node, ClaimedValue], other: Mapping[Node, ClaimedValue]
) -> Iterator[tuple[ClaimedValue, ClaimedValue]]:
    """Pairs of different values for one expression."""
    for form, claim in one.items():
        if form in other and clearly_different(claim.value, other[form].value):
            yield claim, other[form]


def _contradictions(claims: Mapping[int, Mapping[Node, ClaimedValue]]) -> Iterator[Contradiction]:
    for (first, one), (second, other) in combinations(claims.items(), 2):
        for claim, contrary in _differences(one, other):
            yield Contradiction(
                claim.expression.latex, first, claim.side.latex, second, contrary.side.latex
            )


# Numbers of sources


def mentioned_sources(verification: Verification) -> frozenset[int]:
    """Return the numbers of the sources that a verification says something of."""
    check = verification.check
    by_check = () if check is None else (*check.agreeing, *check.contradicting)
    between = (
        number
        for each in verification.contradictions
        for number in (each.first_source, each.second_source)
    )
    return frozenset((*by_check, *between))


def renumbered(verification: Verification, numbers: Mapping[int, int]) -> Verification:
    """Return a verification whose sources have other numbers."""
    check = verification.check
    return Verification(
        None
        if check is None
        else replace(
            check,
            agreeing=tuple(numbers[each] for each in check.agreeing),
            contradicting=tuple(numbers[each] for each in check.contradicting),
        ),
        tuple(
            replace(
                each,
                first_source=numbers[each.first_source],
                second_source=numbers[each.second_source],
            )
            for each in verification.contradictions
        ),
    )
