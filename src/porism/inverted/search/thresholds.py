"""Guesses of the k-th best score, in compiled loops.

If a share s of all documents has been seen, about k * s of the best k are among them, so a score
that somewhat more than k * s of those seen reach is rarely above the k-th best of all. A search
that uses such a threshold checks it at the end, and searches again where it was too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.inverted.search.top_k import TopK, best_first, score_of


class TopKGoal(NamedTuple):
    """Find the best ``k``; ``threshold`` is known or guessed to be at most the k-th score.

    Guesses raise the threshold as blocks of the ``documents`` are seen; 0 documents: no guesses.
    """

    k: int
    threshold: float
    documents: int


@compiled
def expected_count(goal: TopKGoal, seen: IntLike) -> IntLike:
    """Return how many of the best k are rarely exceeded among the documents seen."""
    if goal.documents == 0:
        return goal.k
    mean = goal.k * (seen / goal.documents)
    return min(goal.k, int(mean + 3 * np.sqrt(mean)) + 2)


@compiled
def guessed_threshold(goal: TopKGoal, seen: IntLike, top_k: TopK) -> FloatLike:
    """Return a score that the k-th best is rarely below; 0 if too few documents are kept."""
    wanted = expected_count(goal, seen)
    if top_k.size[0] < wanted or (goal.documents == 0 and top_k.size[0] < goal.k):
        return 0.0
    best_first(top_k.numbers, top_k.size[0], wanted)
    return score_of(top_k.numbers[wanted - 1])


@compiled
def local_threshold(sums: Array, passing: Array, wanted: IntLike) -> FloatLike:
    """Return a sum that the best ``wanted`` documents of a block reach; 0 if fewer have a sum.

    It is as close to the least of their sums as a histogram can say.
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
