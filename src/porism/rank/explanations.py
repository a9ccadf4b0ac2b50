"""Explanations: a score as a tree of labelled values, each the sum of its details."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum, isclose


@dataclass(frozen=True, slots=True)
class Explanation:
    """A labelled value; if it has details, it is their sum."""

    label: str
    value: float
    details: tuple[Explanation, ...] = ()


NOT_FOUND = Explanation("the system did not find this document", 0.0)


def summed(label: str, details: Iterable[Explanation]) -> Explanation:
    """Return the sum of some explanations.

    >>> summed("both", (Explanation("one", 1.0), Explanation("two", 2.0))).value
    3.0
    """
    parts = tuple(details)
    return Explanation(label, fsum(part.value for part in parts), parts)


def scaled(explained: Explanation, factor: float, label: str | None = None) -> Explanation:
    """Return an explanation with all its values multiplied, under another label if one is given."""
    return Explanation(
        explained.label if label is None else label,
        explained.value * factor,
        tuple(scaled(detail, factor) for detail in explained.details),
    )


def with_tie_break(explained: Explanation, score: float) -> Explanation:
    """Return the explanation of the score that a ranking gave.

    Where equal scores keep a given order, ``rerank.descending`` lowers them step by step; over a
    long row of equal scores the steps add up to more than rounding explains.
    """
    if isclose(explained.value, score, rel_tol=1e-6):
        return explained
    lowered = Explanation("lowered to stay below equal scores", score - explained.value)
    return Explanation(explained.label, score, (explained, lowered))


def nodes(explained: Explanation) -> Iterator[Explanation]:
    """Iterate over a tree, each node before its details."""
    yield explained
    for detail in explained.details:
        yield from nodes(detail)


def largest_details(
    explained: Explanation, limit: int
) -> tuple[tuple[Explanation, ...], Explanation | None]:
    """Return the largest details first, and the sum of those beyond ``limit``, if there are any.

    >>> parts = summed("all", (Explanation("a", 1.0), Explanation("b", 3.0), Explanation("c", 2.0)))
    >>> shown, others = largest_details(parts, 1)
    >>> [detail.label for detail in shown], others.label, others.value
    (['b'], '2 others', 3.0)
    """
    ordered = sorted(explained.details, key=lambda detail: -abs(detail.value))
    shown, rest = ordered[:limit], ordered[limit:]
    if len(rest) == 1:  # summing up one takes as much room as showing it
        shown, rest = ordered, []
    others = Explanation(f"{len(rest):,} others", fsum(each.value for each in rest))
    return tuple(shown), others if rest else None
