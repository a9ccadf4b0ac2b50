"""Vectors of words by fastText's rule, from plain arrays.

A known word has a vector of its own; any other the mean of the vectors of its n-grams, which are
found by a hash. This is all that encoding needs of a trained model, so it needs no gensim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

MAX_REMEMBERED = 1 << 14
"""Unknown words whose vectors a process remembers; it then starts again."""


def ngram_buckets(word: str, shortest: int, longest: int, buckets: int) -> list[int]:
    """Return the bucket of each n-gram of a word between ``<`` and ``>``, as fastText numbers them.

    The hash is FNV-1a over bytes that count as signed.

    >>> ngram_buckets("ab", 3, 6, 1000)
    [508, 742, 756]
    """
    characters = [each.encode("utf-8", "surrogatepass") for each in f"<{word}>"]
    found: list[int] = []
    for first in range(len(characters)):
        number = 2166136261
        for size, encoded in enumerate(characters[first : first + longest], start=1):
            for byte in encoded:
                signed = byte if byte < 128 else byte | 0xFFFFFF00
                number = (number ^ signed) * 16777619 & 0xFFFFFFFF
            is_mark = size == 1 and first in (0, len(characters) - 1)
            if size >= shortest and not is_mark:
                found.append(number % buckets)
    return found


class SubwordVectors:
    """The vectors of all words; threads may share it.

    ``vectors`` has a row for each of ``words``, ``ngram_vectors`` one for each bucket. N-grams have
    from ``shortest`` to ``longest`` characters.
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: Vectors,
        ngram_vectors: Vectors,
        shortest: int,
        longest: int,
    ) -> None:
        self.dimension = vectors.shape[1]
        self._rows: Mapping[str, int] = {word: row for row, word in enumerate(words)}
        self._vectors = vectors
        self._ngram_vectors = ngram_vectors
        self._lengths = shortest, longest
        self._unknown: dict[str, Vectors] = {}

    def vector(self, word: str) -> Vectors:
        """Return the vector of a word; zero if it has no n-grams either."""
        row = self._rows.get(word)
        if row is not None:
            known: Vectors = self._vectors[row]
            return known
        vector = self._unknown.get(word)
        if vector is None:
            vector = self._mean_of_ngrams(word)
            if len(self._unknown) >= MAX_REMEMBERED:
                self._unknown.clear()
            self._unknown[word] = vector
        return vector

    def _mean_of_ngrams(self, word: str) -> Vectors:
        buckets = ngram_buckets(word, *self._lengths, len(self._ngram_vectors))
        if not buckets:
            return np.zeros(self.dimension, np.float32)
        mean: Vectors = self._ngram_vectors[buckets].mean(axis=0)
        return mean

    def means(self, texts: Sequence[Sequence[str]]) -> Vectors:
        """Return the mean of the vectors of the words of each text; zero for one without words."""
        means = np.zeros((len(texts), self.dimension), np.float32)
        for place, words in enumerate(texts):
            rows = [self._rows.get(word, -1) for word in words]
            known = [row for row in rows if row >= 0]
            if known:
                means[place] = self._vectors[known].sum(axis=0)
            for word, row in zip(words, rows, strict=True):
                if row < 0:
                    means[place] += self.vector(word)
            if words:
                means[place] /= len(words)
        return means
