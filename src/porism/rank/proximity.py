"""How near to each other the terms of a query stand in a document (S4 section 3.3, Table 3).

A document is a stream of tokens, words and tokens of formulas alike, and a place is a number in
it. Every measure is smaller where the terms stand nearer together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import inf

import numpy as np
from numpy.typing import NDArray

from porism.index.keys import Keys


class ProximityMeasure(StrEnum):
    """The measures of S4 Table 3, each over the terms of the query that the document has."""

    SPAN = "span"
    """Length of the segment from the first to the last occurrence of any term."""
    NORMALISED_SPAN = "normalised-span"
    """The span divided by the number of occurrences."""
    MIN_SPAN = "min-span"
    """Length of the shortest segment that has each term at least once."""
    NORMALISED_MIN_SPAN = "normalised-min-span"
    """The shortest segment divided by the number of terms."""
    MIN_DISTANCE = "min-distance"
    """Distance of two terms where they are nearest, for the nearest two terms."""
    AVERAGE_DISTANCE = "average-distance"
    """The same as a mean over all pairs of terms."""
    MAX_DISTANCE = "max-distance"
    """The same for the two terms that are farthest apart."""


@dataclass(frozen=True, slots=True)
class TermPositions:
    """The places of query terms in a document, in order, and which term stands at each."""

    places: NDArray[np.int64]
    terms: NDArray[np.int64]
    document_length: int

    @property
    def distinct(self) -> int:
        """How many different terms of the query the document has."""
        return len(np.unique(self.terms))


def term_positions(document: Keys, query: Keys) -> TermPositions:
    """Where the terms of a query stand in a document, both given by the keys of tokens."""
    places = np.flatnonzero(np.isin(document, query))
    _, terms = np.unique(document[places], return_inverse=True)
    return TermPositions(places, terms, len(document))


def proximity(measure: ProximityMeasure, found: TermPositions, by_length: bool = False) -> float:
    """A measure of a document's matches, divided by its length if so asked.

    Infinite if nothing matches, and for distances if only one term does: there is nothing near.
    """
    value = _MEASURES[measure](found) if len(found.places) else inf
    return value / found.document_length if by_length and found.document_length else value


def _span(found: TermPositions) -> float:
    return float(found.places[-1] - found.places[0] + 1)


def _normalised_span(found: TermPositions) -> float:
    return _span(found) / len(found.places)


def _min_span(found: TermPositions) -> float:
    """The shortest window with every term: its end moves on, its beginning follows."""
    counts = [0] * (int(found.terms.max()) + 1)
    places, terms = found.places.tolist(), found.terms.tolist()
    missing = found.distinct
    best, begin = inf, 0
    for place, term in zip(places, terms, strict=True):
        missing -= counts[term] == 0
        counts[term] += 1
        while not missing:
            best = min(best, place - places[begin] + 1)
            counts[terms[begin]] -= 1
            missing += counts[terms[begin]] == 0
            begin += 1
    return float(best)


def _normalised_min_span(found: TermPositions) -> float:
    return _min_span(found) / found.distinct


def _distances(found: TermPositions) -> NDArray[np.int64]:
    """For each pair of different terms, how near they come to each other."""
    distances: list[NDArray[np.int64]] = []
    by_term = np.argsort(found.terms, kind="stable")
    terms, places = found.terms[by_term], found.places[by_term]
    starts = np.flatnonzero(np.r_[True, terms[1:] != terms[:-1]])
    for number, start in enumerate(starts[:-1]):
        own = places[start : starts[number + 1]]
        others = places[starts[number + 1] :]
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
    def measured(found: TermPositions) -> float:
        distances = _distances(found)
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
