"""Sparse matrices of the similarities of terms, for the soft cosine measure.

A term has up to 100 similar ones, and the matrix is symmetric. Both systems of MIRMU used gensim's
greedy way to fill one (Novotný 2018, Implementation Notes for the Soft Cosine Measure, section 3):
terms from the rarest to the most frequent, and the neighbours of each in the same order. In a
*dominant* matrix the similarities of a term with others add up to less than 1, so that the norm of
every vector is positive. Neighbours are exact here; the systems had them from an approximate index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, IntLike, compiled
from porism.embed.encoder import Vectors, unit_rows

NEIGHBOURS = 100
"""Similar terms of each term (systems of 2020 and 2022)."""

EXPONENT = 4.0
"""The power of the cosine (systems of 2020 and 2022)."""

LEXICAL_FACTOR, LEXICAL_EXPONENT, MAX_DISTANCE = 1.8, 5.0, 3
"""The similarity of spellings is 1.8 * (1 - distance / length)^5, up to distance 3 (SCM 2022)."""

_CHUNK = 1024
"""Terms whose neighbours are found together."""

Progress = Callable[[int], None]
"""Called with the number of terms whose neighbours were found."""


@dataclass(frozen=True, slots=True)
class SparseSimilarities:
    """Term ``i`` has ``values[starts[i]:starts[i + 1]]`` with terms ``columns[...]``, ascending.

    The similarity of a term with itself is 1, and left out.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]


class Neighbours(NamedTuple):
    """For each term the most similar ones, best first; ``sizes`` says how many there are."""

    terms: NDArray[np.int32]
    values: NDArray[np.float32]
    sizes: NDArray[np.int64]


def rarest_first(documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order in which terms are handled, given how many texts have each."""
    return np.argsort(documents, kind="stable")


def semantic_neighbours(
    vectors: Vectors,
    limit: int = NEIGHBOURS,
    exponent: float = EXPONENT,
    progress: Progress = lambda done: None,
) -> Neighbours:
    """Return the terms with the largest cosines; similarities are powers of these."""
    unit = unit_rows(np.asarray(vectors, np.float32))
    count = len(unit)
    limit = min(limit, max(0, count - 1))
    terms = np.zeros((count, limit), np.int32)
    values = np.zeros((count, limit), np.float32)
    for first in range(0, count, _CHUNK):
        cosines = unit[first : first + _CHUNK] @ unit.T
        rows = np.arange(len(cosines))
        cosines[rows, first + rows] = -np.inf  # a term is no neighbour of its own
        if limit:
            best = np.argpartition(-cosines, limit - 1, axis=1)[:, :limit]
            of_best = np.take_along_axis(cosines, best, axis=1)
            order = np.lexsort((best, -of_best), axis=1)
            terms[first : first + _CHUNK] = np.take_along_axis(best, order, axis=1)
            values[first : first + _CHUNK] = np.take_along_axis(of_best, order, axis=1)
        progress(min(count, first + _CHUNK))
    return Neighbours(terms, values**exponent, np.full(count, limit, np.int64))


def lexical_neighbours(
    words: Sequence[str], limit: int = NEIGHBOURS, progress: Progress = lambda done: None
) -> Neighbours:
    """Return the words with the most similar spellings (Levenshtein), up to ``MAX_DISTANCE``."""
    count = len(words)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum([len(word) for word in words], out=starts[1:])
    text = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    masks = np.zeros(count, np.uint64)
    _mark_characters(text, starts, masks)
    terms = np.zeros((count, limit), np.int32)
    values = np.zeros((count, limit), np.float32)
    sizes = np.zeros(count, np.int64)
    others = np.zeros(count, np.int64)
    similar = np.zeros(count)
    for first in range(count):
        size = _similar_spellings(text, starts, masks, first, others, similar)
        order = np.lexsort((others[:size], -similar[:size]))[:limit]
        sizes[first] = len(order)
        terms[first, : len(order)] = others[order]
        values[first, : len(order)] = similar[order]
        if first % _CHUNK == 0:
            progress(first)
    return Neighbours(terms, values, sizes)


@compiled
def _mark_characters(text: Array, starts: Array, masks: Array) -> None:
    """Set a bit for each character of each word; several characters share one."""
    for word in range(len(masks)):
        for at in range(starts[word], starts[word + 1]):
            masks[word] |= np.uint64(1) << np.uint64(text[at] % 61)


@compiled
def _similar_spellings(
    text: Array, starts: Array, masks: Array, word: IntLike, terms: Array, values: Array
) -> IntLike:
    """Write the words up to ``MAX_DISTANCE`` from one, and return how many they are."""
    one = text[starts[word] : starts[word + 1]]
    rows = np.zeros((2, 1 + len(one)), np.int64)
    size = 0
    for other in range(len(masks)):
        length = starts[other + 1] - starts[other]
        if other == word or abs(length - len(one)) > MAX_DISTANCE:
            continue
        # An edit takes at most one character out of each set, or changes one for another.
        if _bits(masks[word] & ~masks[other]) > MAX_DISTANCE:
            continue
        if _bits(masks[other] & ~masks[word]) > MAX_DISTANCE:
            continue
        distance = _edit_distance(one, text[starts[other] : starts[other + 1]], rows)
        if distance <= MAX_DISTANCE and distance < max(length, len(one)):
            share = 1.0 - distance / max(length, len(one))
            terms[size] = other
            values[size] = LEXICAL_FACTOR * share**LEXICAL_EXPONENT
            size += 1
    return size


@compiled
def _bits(mask: IntLike) -> IntLike:
    """Return how many bits are set, but no more than are too many."""
    count = 0
    while mask and count <= MAX_DISTANCE:
        mask &= mask - np.uint64(1)
        count += 1
    return count


@compiled
def _edit_distance(one: Array, two: Array, rows: Array) -> IntLike:
    """Return the Levenshtein distance, or any number above ``MAX_DISTANCE`` if it is above."""
    for i in range(len(one) + 1):
        rows[0, i] = i
    for j in range(len(two)):
        before, now = rows[j % 2], rows[(j + 1) % 2]
        now[0] = j + 1
        least = now[0]
        for i in range(len(one)):
            change = before[i] + (one[i] != two[j])
            now[i + 1] = min(change, before[i + 1] + 1, now[i] + 1)
            least = min(least, now[i + 1])
        if least > MAX_DISTANCE:
            return least
    return rows[len(two) % 2, len(one)]


def sparse_similarities(
    neighbours: Neighbours, order: NDArray[np.int64], is_dominant: bool, limit: int = NEIGHBOURS
) -> SparseSimilarities:
    """Return the symmetric matrix of similarities with up to ``limit`` others of each term."""
    count = len(order)
    places = np.empty(count, np.int64)
    places[order] = np.arange(count)
    columns = np.zeros((count, limit), np.int32)
    values = np.zeros((count, limit), np.float32)
    sizes = np.zeros(count, np.int64)
    _fill(neighbours, order, places, is_dominant, columns, values, sizes)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    used = np.arange(limit) < sizes[:, np.newaxis]
    rows = np.repeat(np.arange(count), sizes)
    by_column = np.lexsort((columns[used], rows))
    return SparseSimilarities(starts, columns[used][by_column], values[used][by_column])


@compiled
def _fill(
    neighbours: Neighbours,
    order: Array,
    places: Array,
    is_dominant: IntLike,
    columns: Array,
    values: Array,
    sizes: Array,
) -> None:
    limit = columns.shape[1]
    sums = np.zeros(len(order), np.float32)
    chosen = np.zeros(limit, np.int64)
    for term in order:
        count = min(limit - sizes[term], neighbours.sizes[term])
        _sort_by_place(neighbours.terms[term], places, count, chosen)
        for i in range(count):
            value = neighbours.values[term, chosen[i]]
            other = np.int64(neighbours.terms[term, chosen[i]])
            if _has_room(term, other, value, is_dominant, columns, sizes, sums) and _has_room(
                other, term, value, is_dominant, columns, sizes, sums
            ):
                for one, two in ((term, other), (other, term)):
                    columns[one, sizes[one]] = two
                    values[one, sizes[one]] = value
                    sizes[one] += 1
                    sums[one] += value


@compiled
def _sort_by_place(terms: Array, places: Array, count: IntLike, chosen: Array) -> None:
    """Write the numbers of the first neighbours of a term, the rarest neighbour first."""
    for i in range(count):
        at = i
        while at > 0 and places[terms[chosen[at - 1]]] > places[terms[i]]:
            chosen[at] = chosen[at - 1]
            at -= 1
        chosen[at] = i


@compiled
def _has_room(
    term: IntLike,
    other: IntLike,
    value: IntLike,
    is_dominant: IntLike,
    columns: Array,
    sizes: Array,
    sums: Array,
) -> IntLike:
    """Whether the row of a term can take a similarity with another one, which it does not have."""
    if sizes[term] == columns.shape[1] or (is_dominant and sums[term] + value >= 1.0):
        return False
    is_new = True
    for at in range(sizes[term]):
        is_new &= columns[term, at] != other
    return is_new
