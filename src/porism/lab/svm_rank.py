"""A linear SVM-rank: of two documents of a topic, the one of the higher grade scores higher by 1.

The weights w minimise

    |w|² / 2  +  c * sum over topics of the mean over pairs of max(0, 1 - w·(better - worse))

which is convex, and has one minimum. SVM-rank itself finds it by cutting planes; here, with few
weights, it is found by L-BFGS, which needs a gradient everywhere: the corner of the loss is rounded
off, first widely and then less and less, each time from the weights found before. Nothing is
random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Matrix = NDArray[np.float64]

C = 0.2
"""The published trade-off of DPRL's SVM-rank (for formulas; that for answers is not known)."""

ROUNDINGS = (1.0, 0.1, 0.01, 0.001)
"""How wide the corner of the loss is rounded off; the last one changes the loss by 0.000125."""


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

    def loss(self, weights: Matrix, rounding: float) -> tuple[float, Matrix]:
        """Return the mean hinge loss of the pairs, rounded off so widely, and its gradient."""
        scores = self.table @ weights
        margins = 1 - (scores[self.better][:, None] - scores)
        slopes = np.clip(margins / rounding + 0.5, 0, 1)
        # Its slope grows from 0 to 1 over the rounding, and then stays.
        losses = rounding * slopes**2 / 2 + np.maximum(margins - rounding / 2, 0)
        pulls = self.shares * slopes
        gradient = pulls.sum(axis=0) @ self.table - pulls.sum(axis=1) @ self.table[self.better]
        return float((self.shares * losses).sum()), gradient


def preference_pairs(table: Matrix, grades: NDArray[np.int64]) -> PreferencePairs:
    """Return the pairs of a topic's documents; those without a judgment have grade 0."""
    better = np.flatnonzero(grades > 0)
    is_pair = grades[better][:, None] > grades
    return PreferencePairs(table, better, is_pair / max(1, is_pair.sum()))


def svm_rank_weights(topics: Sequence[PreferencePairs], c: float = C) -> Matrix:
    """Return the weights that minimise the loss of all topics."""
    weights = np.zeros(topics[0].table.shape[1])
    for rounding in ROUNDINGS:

        def value(weights: Matrix, rounding: float = rounding) -> tuple[float, Matrix]:
            parts = [topic.loss(weights, rounding) for topic in topics]
            gradients = np.sum([part[1] for part in parts], axis=0)
            loss = sum(part[0] for part in parts)
            return float(weights @ weights) / 2 + c * loss, weights + c * gradients

        options = {"maxiter": 500, "ftol": 1e-10, "gtol": 1e-7}
        weights = minimize(value, weights, jac=True, method="L-BFGS-B", options=options).x
    return weights
