"""The best documents of a segment so far, in compiled loops.

A document is kept as one 64-bit number: its score, as the 32-bit number that rankings have, in the
upper half, so that greater is better; the rank of its id among all ids in the lower half, so that
of equal scores the greater id wins. No two documents of a segment have the same number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.inverted.scoring import Postings


class TopK(NamedTuple):
    """The best documents so far, and how many there are; room for k and a block more."""

    numbers: Array
    size: Array


def empty_top_k(k: int, block: int) -> TopK:
    """Return room for the best ``k`` documents and one block."""
    return TopK(np.empty(k + block, np.uint64), np.zeros(1, np.int64))


@compiled
def keep_best(
    postings: Postings, block: IntLike, candidates: Array, scores: Array, k: IntLike, top_k: TopK
) -> None:
    """Add candidates; all but the best ``k`` so far are dropped only if there is no room."""
    if top_k.size[0] + len(candidates) > len(top_k.numbers):
        cut(top_k, k)
    size = top_k.size[0]
    for i in range(len(candidates)):
        if scores[i] != 0:
            rank = postings.id_rank[block * postings.block + candidates[i]]
            top_k.numbers[size] = _number(scores[i], rank)
            size += 1
    top_k.size[0] = size


@compiled
def cut(top_k: TopK, k: IntLike) -> None:
    """Drop all but the best ``k``."""
    if top_k.size[0] > k:
        best_first(top_k.numbers, top_k.size[0], k)
        top_k.size[0] = k


@compiled
def best_first(numbers: Array, size: IntLike, k: IntLike) -> None:
    """Move the k greatest of the first ``size`` numbers to the front, the least of them last."""
    low, high = 0, size - 1
    while low < high:
        pivot = numbers[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while numbers[i] > pivot:
                i += 1
            while numbers[j] < pivot:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


SIGN_BIT = np.uint64(0x80000000)


@compiled
def _number(score: FloatLike, rank: IntLike) -> IntLike:
    """Return a score and a rank as one number with the same order."""
    bits = np.uint64(np.float32(score).view(np.uint32))
    bits = bits ^ np.uint64(0xFFFFFFFF) if bits & SIGN_BIT else bits | SIGN_BIT
    return (bits << np.uint64(32)) | np.uint64(rank)


@compiled
def score_of(number: IntLike) -> FloatLike:
    """Return the score in a number; scores are not negative here."""
    return np.float64(np.uint32((number >> np.uint64(32)) ^ SIGN_BIT).view(np.float32))


def scores_of(numbers: Array) -> Array:
    """Return the 32-bit scores in numbers."""
    bits = (numbers >> np.uint64(32)).astype(np.uint32)
    sign = np.uint32(0x80000000)
    return np.where(bits & sign, bits ^ sign, ~bits).astype(np.uint32).view(np.float32)


def ranks_of(numbers: Array) -> Array:
    """Return the ranks in numbers."""
    return (numbers & np.uint64(0xFFFFFFFF)).astype(np.int64)
