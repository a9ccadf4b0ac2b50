"""Guesses of the k-th best score, in compiled loops.

If a share s of all documents has been seen, about k * s of the best k are among them, so a score
that somewhat more than k * s of those seen reach is hardly above the k-th best of all. Whoever uses
such a threshold checks it at the end, and searches again where it was too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.index.compiler import Array, FloatLike, IntLike, compiled
from porism.index.search.top_k import TopK, best_first, score_of


class TopKGoal(NamedTuple):
    """The best ``k`` are wanted; ``threshold`` is known or guessed to be at most the k-th score.

    Of ``documents`` in all, the threshold is raised by guesses as blocks are seen; 0 for no guess.
    """

    k: int
    threshold: float
    documents: int


@compiled
def expected_count(goal: TopKGoal, seen: IntLike) -> IntLike:
    """How many of the best k are hardly ever exceeded among the documents seen."""
    if goal.documents == 0:
        return goal.k
    mean = goal.k * (seen / goal.documents)
    return min(goal.k, int(mean + 3 * np.sqrt(mean)) + 2)


@compiled
def guessed_threshold(goal: TopKGoal, seen: IntLike, pool: TopK) -> FloatLike:
    """A score that the k-th best of all is hardly below; 0 if too few documents are in the pool."""
    wanted = expected_count(goal, seen)
    if pool.size[0] < wanted or (goal.documents == 0 and pool.size[0] < goal.k):
        return 0.0
    best_first(pool.numbers, pool.size[0], wanted)
    return score_of(pool.numbers[wanted - 1])


@compiled
def local_threshold(sums: Array, passing: Array, wanted: IntLike) -> FloatLike:
    """A sum that the best ``wanted`` documents of a block reach; 0 if fewer have one at all.

    It is as near to the least of theirs as a histogram tells.
    """
    largest = np.float32(0)
    for document in range(len(sums)):
        largest = max(largest, sums[document])
    if largest == 0:
        return 0.0
    scale = np.float32(BINS * 0.999) / largest
    histogram = np.zeros(BINS, np.int64)
    for document in range(len(sums)):
        if sums[document] > 0 and (len(passing) == 0 or passing[document]):
            histogram[min(np.uint32(sums[document] * scale), np.uint32(BINS - 1))] += 1
    reached = 0
    for bin in range(BINS - 1, 0, -1):
        reached += histogram[bin]
        if reached >= wanted:
            return bin / scale
    return 0.0


BINS = 2048
