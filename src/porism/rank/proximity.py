"""Proximity of the query terms in a document (S4 section 3.3, Table 3).

A document is a sequence of tokens, words and tokens of formulas alike, and a position is an offset
in it. Every measure is smaller if the terms are closer together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import inf

import numpy as np
from numpy.typing import NDArray

from porism.inverted.keys import Keys


class ProximityMeasure(StrEnum):
    """The measures of S4 Table 3, over the query terms that the document has."""

    SPAN = "span"
    """Length of the segment from the first to the last occurrence of any term."""
    NORMALISED_SPAN = "normalised-span"
    """The span divided by the number of occurrences."""
    MIN_SPAN = "min-span"
    """Length of the shortest segment that contains each term."""
    NORMALISED_MIN_SPAN = "normalised-min-span"
    """The shortest segment divided by the number of terms."""
    MIN_DISTANCE = "min-distance"
    """Smallest distance between any two terms."""
    AVERAGE_DISTANCE = "average-distance"
    """Mean over all pairs of terms of their smallest distance."""
    MAX_DISTANCE = "max-distance"
    """Smallest distance of the two terms that are farthest apart."""


@dataclass(frozen=True, slots=True)
class TermPositions:
    """The positions of query terms in a document, in order, and the term at each."""

    positions: NDArray[np.int64]
    terms: NDArray[np.int64]
    document_length: int

    @property
    def distinct(self) -> int:
        """The number of different query terms in the document."""
        return len(np.unique(self.terms))


def term_positions(document: Keys, query: Keys) -> TermPositions:
    """Return the positions of query terms in a document, both given by the keys of tokens."""
    positions = np.flatnonzero(np.isin(document, query))
    _, terms = np.unique(document[positions], return_inverse=True)
    return TermPositions(positions, terms, len(document))


def proximity(measure: ProximityMeasure, matches: TermPositions, by_length: bool = False) -> float:
    """Return a measure of a document, divided by its length if ``by_length``.

    It is infinite if no term occurs, and for distances if only one does.
    """
    value = _MEASURES[measure](matches) if len(matches.positions) else inf
    return value / matches.document_length if by_length and matches.document_length else value


def _span(matches: TermPositions) -> float:
    return float(matches.positions[-1] - matches.positions[0] + 1)


def _normalised_span(matches: TermPositions) -> float:
    return _span(matches) / len(matches.positions)


def _min_span(matches: TermPositions) -> float:
    """Find the shortest window with every term: its end moves on, its beginning follows."""
    counts = [0] * (int(matches.terms.max()) + 1)
    positions, terms = matches.positions.tolist(), matches.terms.tolist()
    missing = matches.distinct
    best, begin = inf, 0
    for position, term in zip(positions, terms, strict=True):
        missing -= counts[term] == 0
        counts[term] += 1
        while not missing:
            best = min(best, position - positions[begin] + 1)
            counts[terms[begin]] -= 1
            missing += counts[terms[begin]] == 0
            begin += 1
    return float(best)


def _normalised_min_span(matches: TermPositions) -> float:
    return _min_span(matches) / matches.distinct


def _distances(matches: TermPositions) -> NDArray[np.int64]:
    """Return for each pair of different terms their smallest distance."""
    distances: list[NDArray[np.int64]] = []
    by_term = np.argsort(matches.terms, kind="stable")
    terms, positions = matches.terms[by_term], matches.positions[by_term]
    starts = np.flatnonzero(np.r_[True, terms[1:] != terms[:-1]])
    for number, start in enumerate(starts[:-1]):
        own = positions[start : starts[number + 1]]
        others = positions[starts[number + 1] :]
        right = np.searchsorted(own, others)
        nearest = np.minimum(
            np.abs(others - own[np.maximum(right - 1, 0)]),
            np.abs(own[np.minimum(right, len(own) - 1)] - others),
        )
        distances.append(np.minimum.reduceat(nearest, starts[number + 1 :] - starts[number + 1]))
    return np.concatenate(distances) if distances else np.empty(0, np.int64)


def _of_distances(
    summary: Callable[[NDArray[np.int64]], np.int64 | np.float64],
) -> Callable[[TermPositions], float]:
    def measured(matches: TermPositions) -> float:
        distances = _distances(matches)
        return float(summary(distances)) if len(distances) else inf

    return measured


_MEASURES: dict[ProximityMeasure, Callable[[TermPositions], float]] = {
    ProximityMeasure.SPAN: _span,
    ProximityMeasure.NORMALISED_SPAN: _normalised_span,
    ProximityMeasure.MIN_SPAN: _min_span,
    ProximityMeasure.NORMALISED_MIN_SPAN: _normalised_min_span,
    ProximityMeasure.MIN_DISTANCE: _of_distances(np.min),
    ProximityMeasure.AVERAGE_DISTANCE: _of_distances(np.mean),
    ProximityMeasure.MAX_DISTANCE: _of_distances(np.max),
}
