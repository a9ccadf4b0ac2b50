"""The features of one formula with a payload each, such as a count or the places of a symbol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]


class FeatureRow(NamedTuple):
    """What a feature index stores of a formula.

    ``values`` are as many for every formula, each below 2**32: sizes, norms. ``postings`` are pairs
    of a feature's key and its payload. ``words`` are for comparing a candidate in full.
    """

    values: tuple[int, ...]
    postings: list[tuple[int, int]]
    words: Sequence[int] = ()

    def numbers(self) -> list[int]:
        """The row as numbers: the values, the words after their number, each key with its payload.

        >>> FeatureRow((3,), [(17, 2), (18, 1)], [5]).numbers()
        [3, 1, 5, 17, 2, 18, 1]
        """
        numbers = [*self.values, len(self.words), *self.words]
        for key, payload in self.postings:
            numbers += (key, payload)
        return numbers


class FeatureRows(NamedTuple):
    """The rows of many formulas: values, words, and all postings with the place of the formula."""

    values: NDArray[np.uint32]
    features: Numbers
    rows: NDArray[np.uint32]
    payloads: Numbers
    words: Numbers
    word_counts: NDArray[np.int64]


def feature_rows(rows: Iterable[Numbers], count: int) -> FeatureRows:
    """Return rows of numbers, of which each begins with ``count`` values, by their columns."""
    parts = list(rows)
    word_counts = np.array([row[count] for row in parts], np.int64)
    ends = [count + 1 + words for words in word_counts.tolist()]
    sizes = np.array(
        [(len(row) - end) // 2 for row, end in zip(parts, ends, strict=True)], np.int64
    )
    none = np.empty(0, np.uint64)
    pairs = np.concatenate([none, *(row[end:] for row, end in zip(parts, ends, strict=True))])
    values = np.concatenate([none, *(row[:count] for row in parts)])
    return FeatureRows(
        values.astype(np.uint32).reshape(len(parts), count),
        pairs[::2],
        np.repeat(np.arange(len(parts), dtype=np.uint32), sizes),
        pairs[1::2],
        np.concatenate(
            [none, *(row[count + 1 : end] for row, end in zip(parts, ends, strict=True))]
        ),
        word_counts,
    )
