"""The plain way to search: for each term of a topic, add its impacts to the scores of documents.

One memory-mapped array of document numbers and one of float32 impacts for all terms; a loop over
slices with unsigned integers, the fastest plain form; and one pass over the scores for the best.
An engine must beat it to be worth its complexity.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bench.real_tokens import WeightedTopic
from bench.synthetic_tokens import Documents, Numbers, Source, synthetic

Floats = NDArray[np.float32]
Places = NDArray[np.uint32]

K1, B, DELTA = 1.2, 0.75, 1.0
"""BM25+, as in Tangent-L."""

BUFFER_FACTOR = 4
"""A candidate buffer of this multiple of k is reduced to the best k when it is full."""


class TermNumbers:
    """Dense numbers of terms: a real term keeps its own, new ones follow in order of occurrence."""

    def __init__(self, real: int) -> None:
        self.real = real
        self.terms = real
        self._numbers = np.zeros(1 << 20, np.int64)
        self._dense = np.zeros(1 << 20, np.uint32)

    def __call__(self, terms: Numbers) -> Places:
        """The dense numbers of terms, given by their numbers in the collection."""
        new = self.terms - self.real
        while 2 * (new + len(terms)) > len(self._numbers):
            self._grow()
        dense = np.empty(len(terms), np.uint32)
        self.terms = _number(terms, self.real, self.terms, (self._numbers, self._dense), dense)
        return dense

    def _grow(self) -> None:
        used = self._numbers != 0
        numbers, dense = self._numbers[used], self._dense[used]
        self._numbers = np.zeros(2 * len(self._numbers), np.int64)
        self._dense = np.zeros(len(self._numbers), np.uint32)
        _number_again(numbers, dense, (self._numbers, self._dense))


@dataclass(frozen=True, slots=True)
class Counted:
    """The statistics from a first pass over a collection."""

    numbers: TermNumbers
    frequencies: NDArray[np.int64]
    documents: int
    tokens: int

    @property
    def terms(self) -> int:
        return int(np.count_nonzero(self.frequencies))

    @property
    def once(self) -> int:
        return int(np.count_nonzero(self.frequencies == 1))

    @property
    def postings(self) -> int:
        return int(self.frequencies.sum())


def counted(source: Source, documents: int) -> Counted:
    """The document frequency of each term in a synthetic collection."""
    numbers = TermNumbers(len(source.tokens))
    frequencies = np.zeros(1 << 20, np.int64)
    tokens = 0
    for batch in synthetic(source, documents):
        dense = numbers(batch.terms)
        if numbers.terms > len(frequencies):
            frequencies = np.concatenate([frequencies, np.zeros(numbers.terms, np.int64)])
        _count(dense, frequencies)
        tokens += int(batch.counts.sum())
    return Counted(numbers, frequencies[: numbers.terms].copy(), documents, tokens)


class PlainLoop:
    """The memory-mapped arrays of a collection, with buffers for one search at a time."""

    def __init__(self, folder: Path, source: Source, counts: Counted) -> None:
        self._ids = np.memmap(folder / "ids", np.uint32, "r")
        self._impacts = np.memmap(folder / "impacts", np.float32, "r")
        self.starts = _starts(counts)
        self._terms = {token: number for number, token in enumerate(source.tokens)}
        self._scores = np.zeros(counts.documents, np.float32)

    def touched(self, query: WeightedTopic) -> int:
        """The number of postings that a search reads."""
        firsts, lasts, _ = self.ranges(query)
        return int((lasts - firsts).sum())

    def ranges(self, query: WeightedTopic) -> tuple[Numbers, Numbers, Floats]:
        """The starts and ends of the posting lists of the query's terms, and their weights."""
        known = [
            (self._terms[token], weight)
            for token, weight in zip(query.tokens, query.weights, strict=True)
            if token in self._terms
        ]
        terms = np.array([term for term, _ in known], np.int64)
        weights = np.array([weight for _, weight in known], np.float32)
        return self.starts[terms], self.starts[terms + 1], weights

    def search(self, query: WeightedTopic, k: int) -> tuple[Places, Floats]:
        """The best ``k`` documents and their scores, best first."""
        firsts, lasts, weights = self.ranges(query)
        _accumulate(firsts, lasts, weights, self._ids, self._impacts, self._scores)
        ids = np.empty(BUFFER_FACTOR * k, np.uint32)
        scores = np.empty(BUFFER_FACTOR * k, np.float32)
        count = _best(self._scores, k, ids, scores)
        order = np.argsort(-scores[:count], kind="stable")[:k]
        return ids[order], scores[order]


def write_arrays(folder: Path, source: Source, counts: Counted) -> None:
    """Write the arrays of a collection to ``folder``, in a second pass."""
    ids = np.empty(counts.postings, np.uint32)
    impacts = np.empty(counts.postings, np.float32)
    cursors = _starts(counts)[:-1].copy()
    idf = np.log((counts.documents + 1) / np.maximum(counts.frequencies, 1)).astype(np.float32)
    average = counts.tokens / counts.documents
    for batch in synthetic(source, counts.documents):
        _fill(batch, counts.numbers(batch.terms), average, idf, (cursors, ids, impacts))
    for name, array in (("ids", ids), ("impacts", impacts)):
        with (folder / name).open("wb") as file:
            array.tofile(file)
            os.fsync(file.fileno())  # so that no writes are pending during searches


def _fill(
    batch: Documents, dense: Places, average: float, idf: Floats, out: tuple[Any, ...]
) -> None:
    lengths = np.add.reduceat(batch.counts, batch.starts[:-1])
    saturations = K1 * (1 - B + B * lengths / average)
    _scatter(batch.first, dense, batch.counts, batch.starts, saturations, idf, out)


def _starts(counts: Counted) -> Numbers:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts.frequencies)])


@njit(cache=True)
def _slot(number: Any, numbers: Any) -> Any:
    """The slot of a number in a table, or a free one; 0 marks free slots, as no new term has it."""
    mask = np.uint64(len(numbers) - 1)
    slot = (np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
    while numbers[slot] != 0 and numbers[slot] != number:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def _number(terms: Any, real: Any, known: Any, table: Any, dense: Any) -> Any:
    numbers, values = table
    for i in range(len(terms)):
        if terms[i] < real:
            dense[i] = terms[i]
            continue
        slot = _slot(terms[i], numbers)
        if numbers[slot] == 0:
            numbers[slot] = terms[i]
            values[slot] = known
            known += 1
        dense[i] = values[slot]
    return known


@njit(cache=True)
def _number_again(terms: Any, dense: Any, table: Any) -> None:
    numbers, values = table
    for i in range(len(terms)):
        slot = _slot(terms[i], numbers)
        numbers[slot] = terms[i]
        values[slot] = dense[i]


@njit(cache=True)
def _count(terms: Any, frequencies: Any) -> None:
    for term in terms:
        frequencies[term] += 1


@njit(cache=True)
def _scatter(
    first: Any, terms: Any, counts: Any, starts: Any, saturations: Any, idf: Any, out: Any
) -> None:
    cursors, ids, impacts = out
    for document in range(len(starts) - 1):
        saturation = saturations[document]
        for i in range(starts[document], starts[document + 1]):
            place = cursors[terms[i]]
            cursors[terms[i]] = place + 1
            ids[place] = first + document
            part = (K1 + 1) * counts[i] / (counts[i] + saturation) + DELTA
            impacts[place] = idf[terms[i]] * part


@njit(cache=True)
def _accumulate(firsts: Any, lasts: Any, weights: Any, ids: Any, impacts: Any, scores: Any) -> None:
    """Set the score of each document to the weighted sum of its impacts."""
    scores[:] = 0
    for i in range(len(weights)):
        weight = weights[i]
        list_ids = ids[firsts[i] : lasts[i]]
        list_impacts = impacts[firsts[i] : lasts[i]]
        for j in range(len(list_ids)):
            scores[list_ids[j]] += weight * list_impacts[j]


@njit(cache=True)
def _best(scores: Any, k: Any, ids: Any, best: Any) -> Any:
    """Collect the best ``k`` documents, unordered and with some others; returns their number."""
    count = 0
    least = np.float32(0)
    for document in range(len(scores)):
        if scores[document] > least:
            if count == len(best):
                least = np.partition(best, count - k)[count - k]
                kept = 0
                for i in range(count):
                    if best[i] >= least and kept < count - 1:
                        best[kept] = best[i]
                        ids[kept] = ids[i]
                        kept += 1
                count = kept
            best[count] = scores[document]
            ids[count] = document
            count += 1
    return count
