"""A linear SVM-rank: of two documents of a topic, the one of the higher grade scores higher by 1.

The weights w minimise

    |w|² / 2  +  c * sum over topics of the mean over pairs of max(0, 1 - w·(better - worse))

which is convex, and has one minimum. It is found as SVM-rank itself finds it (Joachims, "Training
linear SVMs in linear time", 2006): the loss is bounded from below by the planes that touch it at
the weights tried so far, and the next weights are those that minimise this bound, until bound and
value agree. Nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Matrix = NDArray[np.float64]

C = 0.2
"""The published trade-off of DPRL's SVM-rank (for formulas; that for answers is not known)."""

TOLERANCE = 1e-4
"""The gap between value and bound, relative to the value, at which the search ends."""

MAX_PLANES = 300


@dataclass(frozen=True, slots=True)
class PreferencePairs:
    """Documents of a topic with grades, and all pairs of them whose grades differ.

    ``better`` are the places of the documents with a grade above 0; ``shares`` has for each (rows)
    and each document (columns) the share of the pair in the topic's loss, 0 where it is none. The
    shares sum up to 1.
    """

    table: Matrix
    better: NDArray[np.int64]
    shares: Matrix

    def loss(self, weights: Matrix) -> tuple[float, Matrix]:
        """Return the mean hinge loss of the pairs, and its gradient."""
        scores = self.table @ weights
        margins = 1 - (scores[self.better][:, None] - scores)
        active = np.where(margins > 0, self.shares, 0.0)
        gradient = active.sum(axis=0) @ self.table - active.sum(axis=1) @ self.table[self.better]
        return float((active * margins).sum()), gradient


def preference_pairs(table: Matrix, grades: NDArray[np.int64]) -> PreferencePairs:
    """Return the pairs of a topic's documents; those without a judgment have grade 0."""
    better = np.flatnonzero(grades > 0)
    is_pair = grades[better][:, None] > grades
    return PreferencePairs(table, better, is_pair / max(1, is_pair.sum()))


def svm_rank_weights(topics: Sequence[PreferencePairs], c: float = C) -> Matrix:
    """Return the weights that minimise the loss of all topics."""
    dimension = topics[0].table.shape[1]
    weights = np.zeros(dimension)
    slopes, offsets, shares = np.empty((0, dimension)), np.empty(0), np.empty(0)
    best, best_value = weights, inf
    for _ in range(MAX_PLANES):
        parts = [topic.loss(weights) for topic in topics]
        loss, slope = sum(part[0] for part in parts), np.sum([part[1] for part in parts], axis=0)
        value = float(weights @ weights) / 2 + c * loss
        if value < best_value:
            best, best_value = weights, value
        slopes = np.vstack((slopes, slope))
        offsets = np.append(offsets, loss - slope @ weights)
        shares = _plane_shares(slopes, offsets, np.append(shares, 0.0), c)
        weights = -shares @ slopes
        bound = shares @ offsets - weights @ weights / 2
        if best_value - bound <= TOLERANCE * best_value:
            break
    return best


def _plane_shares(slopes: Matrix, offsets: Matrix, start: Matrix, c: float) -> Matrix:
    """Return how much each plane counts at the minimum of their maximum plus |w|² / 2.

    That is the dual problem: a concave quadratic over shares of at least 0 with the sum c at most.
    """
    products = slopes @ slopes.T

    def negated(shares: Matrix) -> tuple[float, Matrix]:
        pull = products @ shares
        return float(shares @ pull / 2 - shares @ offsets), pull - offsets

    solved = minimize(
        negated,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0, c)] * len(offsets),
        constraints={
            "type": "ineq",
            "fun": lambda shares: c - shares.sum(),
            "jac": lambda shares: -np.ones(len(shares)),
        },
        options={"maxiter": 500, "ftol": 1e-12},
    )
    shares: Matrix = np.clip(solved.x, 0, c)
    return shares
