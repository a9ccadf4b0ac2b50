"""The overlap of the symbol pairs of two formulas, as the first stage of Tangent-S ranks them.

The score is Dice's coefficient of two bags, ``2 * shared / (pairs of one + pairs of the other)``,
computed for all formulas that share a pair, from postings with counts. The original skips formulas
that are too small or too large to reach its threshold, which changes no ranking; here all are
counted, because reading the size of a formula costs no less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.hashing import text_key

MAX_COUNT = 255
"""The largest count that an index stores."""


class PairBag(NamedTuple):
    """The pairs of a query formula: distinct keys with their counts, and the number of all."""

    features: NDArray[np.uint64]
    counts: NDArray[np.int64]
    total: int


def pair_bag(pairs: Iterable[str]) -> PairBag:
    """Return the pairs of a query formula.

    Pairs with a wildcard count in the total only: no formula of an index has them. Postings for
    them would triple the index, and the alignment of the second stage counts wildcards anyway.
    """
    counts = Counter(pairs)
    return PairBag(
        np.array([text_key(pair) for pair in counts], np.uint64),
        np.array([min(count, MAX_COUNT) for count in counts.values()], np.int64),
        counts.total(),
    )


@compiled
def count_shared(
    rows: Array, payloads: Array, firsts: Array, lasts: Array, counts: Array, shared: Array
) -> None:
    """Add the pairs that each row shares with a query to ``shared``, which has 16 bits a row.

    The postings of pair i, which the query has ``counts[i]`` times, go from ``firsts[i]`` to
    ``lasts[i]``.
    """
    for pair in range(len(firsts)):
        count = counts[pair]
        for place in range(firsts[pair], lasts[pair]):
            shared[rows[place]] += min(count, np.int64(payloads[place]))


@compiled
def dice_scores(
    shared: Array,
    totals: Array,
    allowed: Array,
    total: IntLike,
    least: FloatLike,
    rows: Array,
    scores: Array,
) -> IntLike:
    """Write the allowed rows that score at least ``least``, and their scores; return how many.

    ``totals`` has the number of pairs of each row, ``total`` is that of the query.
    """
    count = 0
    for row in range(len(shared)):
        if shared[row] and allowed[row]:
            score = 2.0 * shared[row] / (total + np.int64(totals[row]))
            if score >= least:
                rows[count], scores[count] = row, score
                count += 1
    return count
