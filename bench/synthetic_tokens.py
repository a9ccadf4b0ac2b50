"""Token arrays of any number of synthetic documents, with the statistics of real ones.

Each document mixes two real ones: a share of one, the rest of the other, with jittered counts. This
preserves the document frequencies of frequent terms. A real collection of that size would have
other rare terms: an occurrence of a term in ``r`` real documents is replaced with probability
``d / r``, where ``d`` is the share of terms seen once, so that in total as many are replaced as
Good-Turing estimation predicts to be new. Replacements are drawn from an infinite vocabulary by a
Zipf-Mandelbrot law, whose two constants give the measured growth.

A document is a function of its number, so that a second pass gives the same documents and only one
batch is in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Counts = NDArray[np.int32]
Shares = NDArray[np.float32]
Keys = NDArray[np.uint64]

BATCH = 4096
"""Maximum number of documents in a batch."""

ROOM = BATCH * 1200
"""Maximum number of distinct terms in a batch; a batch is shorter if that is not enough."""

TABLE = 1 << 15
"""Slots for the new terms of one document; the longest has a third as many."""

TWICE = 0.021
"""The second document's extra share, since terms of both count once."""


@dataclass(frozen=True, slots=True)
class Growth:
    """New terms: the number of one is ``scale * (u ** -power - 1)`` for ``u`` between 0 and 1."""

    scale: float
    power: float


ANSWERS_GROWTH = Growth(7.7e5, 1.145)
"""17.5 million terms in 1.4 million answers, 9.7 million of them once: an exponent of 0.67."""

FORMULAS_GROWTH = Growth(3.6e5, 1.34)
"""About 11 million terms in 9 million formulas, as many as the exponent 0.66 promises."""


@dataclass(frozen=True, slots=True)
class Source:
    """Real documents as arrays: distinct terms and their counts, document by document.

    ``keep`` is the probability that an occurrence of a term is not replaced by a new one.
    """

    tokens: tuple[str, ...]
    terms: Counts
    counts: Counts
    starts: Numbers
    keep: Shares
    growth: Growth

    @property
    def documents(self) -> int:
        return len(self.starts) - 1

    def write(self, folder: Path) -> None:
        """Write the arrays for another process, which then need not analyse real documents."""
        folder.mkdir()
        (folder / "tokens.txt").write_text("\n".join(self.tokens), encoding="utf-8")
        growth = np.array([self.growth.scale, self.growth.power])
        np.savez(
            folder / "arrays.npz",
            terms=self.terms,
            counts=self.counts,
            starts=self.starts,
            keep=self.keep,
            growth=growth,
        )


@dataclass(frozen=True, slots=True)
class Documents:
    """Consecutive documents. Terms below ``len(source.tokens)`` are real ones, others are new."""

    first: int
    terms: Numbers
    counts: Counts
    starts: Numbers

    def __len__(self) -> int:
        return len(self.starts) - 1


def source_of(bags: list[list[str]], growth: Growth) -> Source:
    """The source of synthetic documents, from real documents as lists of tokens.

    Terms are numbered by descending frequency, so that frequent ones are close in memory.
    """
    counted = [Counter(bag) for bag in bags]
    frequencies = Counter(token for bag in counted for token in bag)
    tokens = sorted(frequencies, key=lambda token: (-frequencies[token], token))
    numbers = {token: number for number, token in enumerate(tokens)}
    frequency = np.array([frequencies[token] for token in tokens])
    once = np.count_nonzero(frequency == 1) / len(tokens)
    return Source(
        tokens=tuple(tokens),
        terms=np.array([numbers[token] for bag in counted for token in bag], np.int32),
        counts=np.array([count for bag in counted for count in bag.values()], np.int32),
        starts=np.cumsum([0, *map(len, counted)], dtype=np.int64),
        keep=(1 - once / frequency).astype(np.float32),
        growth=growth,
    )


def read_source(folder: Path) -> Source:
    """The source written by ``Source.write``."""
    tokens = (folder / "tokens.txt").read_text(encoding="utf-8").split("\n")
    with np.load(folder / "arrays.npz") as arrays:
        growth = Growth(*arrays["growth"].tolist())
        names = ("terms", "counts", "starts", "keep")
        terms, counts, starts, keep = (arrays[name] for name in names)
    return Source(tuple(tokens), terms, counts, starts, keep, growth)


def synthetic(source: Source, documents: int) -> Iterator[Documents]:
    """Synthetic documents, numbered from 0, in batches that are valid until the next one."""
    terms = np.empty(ROOM, np.int64)
    counts = np.empty(ROOM, np.int32)
    starts = np.zeros(BATCH + 1, np.int64)
    place = np.empty(len(source.tokens), np.int32)
    table = np.empty(TABLE, np.int32)
    chosen = np.empty(TABLE, np.int64)
    chances = np.empty(TABLE, np.uint64)
    first = 0
    while first < documents:
        place.fill(-1)
        table.fill(-1)
        wanted = min(BATCH, documents - first)
        made = _mixed(
            first,
            wanted,
            (source.terms, source.counts, source.starts, source.keep),
            (source.growth.scale, source.growth.power),
            (terms, counts, starts),
            (place, table, chosen, chances),
        )
        end = starts[made]
        yield Documents(first, terms[:end], counts[:end], starts[: made + 1])
        first += made


def token_stream(documents: Documents, keys: Keys) -> tuple[Keys, Numbers]:
    """The tokens of documents as keys with repetitions, and the start of each document.

    ``keys`` are those of the real terms; a new term has a hash of its number.
    """
    total = int(documents.counts.sum())
    stream = np.empty(total, np.uint64)
    starts = np.empty(len(documents) + 1, np.int64)
    _spread(documents.terms, documents.counts, documents.starts, keys, stream, starts)
    return stream, starts


@njit(cache=True)
def _hashed(number: Any) -> Any:
    """A 64-bit hash of a number (splitmix64)."""
    x = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def _share(bits: Any, shift: Any) -> Any:
    """Twenty of the bits as a number in [0, 1)."""
    return np.float64((bits >> np.uint64(shift)) & np.uint64(0xFFFFF)) * (1.0 / (1 << 20))


# Numba infers the types of kernels.
@njit(cache=True)
def _mixed(first: Any, wanted: Any, real: Any, growth: Any, made: Any, seen: Any) -> Any:
    """Fill ``made`` with documents, starting at number ``first``; returns how many fit."""
    _, _, real_starts, _ = real
    _, _, starts = made
    real_documents = np.uint64(len(real_starts) - 1)
    end = 0
    for at in range(wanted):
        bits = _hashed(first + at + 1)
        one = np.int64((bits >> np.uint64(32)) % real_documents)
        other = np.int64((bits & np.uint64(0xFFFFFFFF)) % real_documents)
        if end + _length(real_starts, one) + _length(real_starts, other) > ROOM:
            return at
        bits = _hashed(bits)
        share = 0.65 + 0.3 * _share(bits, 0)
        begin = end
        end = _add_part((one, share, bits), begin, end, real, growth, made, seen)
        part = (other, 1 - share + TWICE, _hashed(bits))
        end = _add_part(part, begin, end, real, growth, made, seen)
        starts[at + 1] = end
    return wanted


@njit(cache=True)
def _length(starts: Any, document: Any) -> Any:
    return starts[document + 1] - starts[document]


@njit(cache=True)
def _add_part(part: Any, begin: Any, end: Any, real: Any, growth: Any, made: Any, seen: Any) -> Any:
    """Add a part of a real document to the one that starts at ``begin``; returns its new end.

    ``part`` is the number of the real document, the share to take, and random bits.
    """
    document, share, bits = part
    real_terms, real_counts, real_starts, keep = real
    terms, counts, _ = made
    place, table, chosen, chances = seen
    start = real_starts[document]
    taken = _choose(_length(real_starts, document), share, bits, chosen, chances)
    for i in range(taken):
        chance = chances[i]
        term = np.int64(real_terms[start + chosen[i]])
        count = _jittered(real_counts[start + chosen[i]], _share(chance, 20))
        if _share(chance, 40) < keep[term]:
            before = place[term]
            if before < begin:
                place[term] = end
        else:
            term = _new_term(len(place), growth, chance)
            slot = np.int64(_hashed(term) & np.uint64(TABLE - 1))
            while table[slot] >= begin and terms[table[slot]] != term:
                slot = (slot + 1) & (TABLE - 1)
            before = table[slot]
            if before < begin:
                table[slot] = end
        if before >= begin:
            counts[before] += count
        else:
            terms[end] = term
            counts[end] = count
            end += 1
    return end


@njit(cache=True)
def _choose(length: Any, share: Any, bits: Any, chosen: Any, chances: Any) -> Any:
    """Choose a share of the terms, each with its random bits; returns how many.

    Branch-free: mispredicted branches would double the total time.
    """
    limit = np.uint64(share * (1 << 20))
    taken = np.int64(0)
    for j in range(length):
        chance = _hashed(bits + np.uint64(j))
        chosen[taken] = j
        chances[taken] = chance
        taken += np.int64((chance & np.uint64(0xFFFFF)) < limit)
    return taken


@njit(cache=True)
def _jittered(count: Any, share: Any) -> Any:
    return count if count == 1 else max(np.int32(1), np.int32(count * (0.5 + share) + 0.5))


@njit(cache=True)
def _new_term(real_terms: Any, growth: Any, chance: Any) -> Any:
    scale, power = growth
    u = (np.float64(_hashed(chance) >> np.uint64(11)) + 1) * 2.0**-53
    # A number beyond this limit is drawn once in 10 million times.
    return real_terms + np.int64(min(scale * (u**-power - 1), 2.0**60))


@njit(cache=True)
def _spread(terms: Any, counts: Any, starts: Any, keys: Any, stream: Any, ends: Any) -> Any:
    """Write all tokens of each document: every term once, then those with more once again, etc."""
    end = 0
    ends[0] = 0
    waiting = np.empty(TABLE, np.int64)
    for document in range(len(starts) - 1):
        left = starts[document + 1] - starts[document]
        for i in range(left):
            waiting[i] = starts[document] + i
        written = 0
        while left:
            written += 1
            still = 0
            for i in range(left):
                at = waiting[i]
                term = terms[at]
                stream[end] = keys[term] if term < len(keys) else _hashed(term)
                end += 1
                if counts[at] > written:
                    waiting[still] = at
                    still += 1
            left = still
        ends[document + 1] = end
