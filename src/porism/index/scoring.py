"""Exact scores: the compiled loops that read counts from postings and add up what they give.

Numbers of documents are local to their block. What a posting gives to the score is
``tf_weight * tf / (tf + K) + delta``; the query has drawn all its factors into these two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.index.codes import count_of, doubtful
from porism.index.compiled import Array, compiled

RARE, LIST, COLUMN = 0, 1, 2


class Postings(NamedTuple):
    """The arrays of a segment that are read for scores, as ``layout.ARRAYS`` describes them."""

    documents: int
    block: int
    columns_count: int
    terms: int
    lengths: Array
    id_rank: Array
    block_starts: Array
    list_starts: Array
    list_documents: Array
    list_codes: Array
    columns: Array
    rare_starts: Array
    rare_documents: Array
    rare_codes: Array
    list_exception_starts: Array
    list_exception_places: Array
    list_exception_counts: Array
    column_exception_starts: Array
    column_exception_places: Array
    column_exception_counts: Array
    rare_exception_places: Array
    rare_exception_counts: Array


class Query(NamedTuple):
    """The terms of a query that a segment has, in the query's order.

    ``kinds`` says where postings stand, ``places`` is the number of the rare term, the common term
    or the column. K of field f is ``bases[f] + slopes[f] * length`` today, and was
    ``code_bases[f] + code_slopes[f] * length`` when codes were made; the length is the sum over the
    fields that ``sharing[f]`` marks; ``asked[f]`` if a term asks for the field.
    """

    kinds: Array
    places: Array
    fields: Array
    tf_weights: Array
    deltas: Array
    bases: Array
    slopes: Array
    code_bases: Array
    code_slopes: Array
    sharing: Array
    asked: Array


class Norms(NamedTuple):
    """K by field and candidate: for scores today, and for reading codes."""

    now: Array
    of_codes: Array


@compiled
def block_width(postings: Postings, block: int) -> int:
    """How many documents a column of the block has room for."""
    left = postings.documents - block * postings.block
    return min(postings.block, (left + 63) // 64 * 64)


@compiled
def norms_of(postings: Postings, query: Query, block: int, candidates: Array) -> Norms:
    """K of each candidate in each field that is asked."""
    fields = len(query.bases)
    now = np.empty((fields, len(candidates)))
    of_codes = np.empty((fields, len(candidates)))
    first = block * postings.block
    for field in range(fields):
        if query.asked[field]:
            for i in range(len(candidates)):
                length = 0.0
                for other in range(fields):
                    if query.sharing[field, other]:
                        length += postings.lengths[other, first + candidates[i]]
                now[field, i] = query.bases[field] + query.slopes[field] * length
                of_codes[field, i] = query.code_bases[field] + query.code_slopes[field] * length
    return Norms(now, of_codes)


@compiled
def exact_scores(
    postings: Postings, query: Query, block: int, candidates: Array, slots: Array
) -> Array:
    """The scores of candidates (ascending documents of a block), each summed in the query's order.

    ``slots`` has a zero for each document of a block, and has them again afterwards.
    """
    size = len(candidates)
    scores = np.zeros(size)
    if size == 0:
        return scores
    norms = norms_of(postings, query, block, candidates)
    codes = np.zeros(size, np.uint8)
    places = np.zeros(size, np.int64)
    for i in range(size):
        slots[candidates[i]] = i + 1
    for term in range(len(query.kinds)):
        kind = query.kinds[term]
        codes[:] = 0
        if kind == LIST:
            _find_in_list(postings, block, query.places[term], candidates, slots, codes, places)
        elif kind == COLUMN:
            _find_in_column(postings, block, query.places[term], candidates, codes, places)
        else:
            _find_rare(postings, block, query.places[term], slots, codes, places)
        _add_gains(postings, query, block, term, norms, codes, places, scores)
    for i in range(size):
        slots[candidates[i]] = 0
    return scores


@compiled
def _add_gains(
    postings: Postings,
    query: Query,
    block: int,
    term: int,
    norms: Norms,
    codes: Array,
    places: Array,
    scores: Array,
) -> None:
    """Add what a term gives to the score of each candidate that has a code."""
    kind = query.kinds[term]
    tf_weight = query.tf_weights[term]
    delta = query.deltas[term]
    now = norms.now[query.fields[term]]
    of_codes = norms.of_codes[query.fields[term]]
    for i in range(len(codes)):
        code = np.int64(codes[i])
        if code:
            count = count_of(code, of_codes[i])
            if doubtful(code, count, of_codes[i]):
                count = exact_count(postings, kind, block, places[i], count)
            scores[i] += tf_weight * (count / (count + now[i])) + delta


@compiled
def exact_count(postings: Postings, kind: int, block: int, place: int, count: int) -> int:
    """The count of the posting at ``place`` if it is an exception, else ``count``."""
    if kind == LIST:
        first, last = (
            postings.list_exception_starts[block],
            postings.list_exception_starts[block + 1],
        )
        found = _exception(postings.list_exception_places, first, last, place)
        return np.int64(postings.list_exception_counts[found]) if found >= 0 else count
    if kind == COLUMN:
        first, last = (
            postings.column_exception_starts[block],
            postings.column_exception_starts[block + 1],
        )
        found = _exception(postings.column_exception_places, first, last, place)
        return np.int64(postings.column_exception_counts[found]) if found >= 0 else count
    last = len(postings.rare_exception_places)
    found = _exception(postings.rare_exception_places, 0, last, place)
    return np.int64(postings.rare_exception_counts[found]) if found >= 0 else count


@compiled
def _exception(places: Array, first: int, last: int, place: int) -> int:
    """Where ``place`` stands in a part of ascending places, or -1."""
    while first < last:
        middle = (first + last) >> 1
        if places[middle] < place:
            first = middle + 1
        else:
            last = middle
    return first if first < len(places) and places[first] == place else -1


@compiled
def list_range(postings: Postings, block: int, term: int) -> tuple[int, int]:
    """From where to where the list of a common term stands, counted in the block."""
    row = block * (postings.terms + 1) + term
    return np.int64(postings.list_starts[row]), np.int64(postings.list_starts[row + 1])


SCAN = 16
"""Looking one document up takes as long as reading so many postings in turn."""


@compiled
def _find_in_list(
    postings: Postings,
    block: int,
    term: int,
    candidates: Array,
    slots: Array,
    codes: Array,
    places: Array,
) -> None:
    """Note the codes of candidates that have a common term, and where they stand in the block."""
    first, last = list_range(postings, block, term)
    start = postings.block_starts[block]
    documents = postings.list_documents[start + first : start + last]
    list_codes = postings.list_codes[start + first : start + last]
    if len(documents) < SCAN * len(candidates):
        for at in range(len(documents)):
            slot = slots[documents[at]]
            if slot:
                codes[slot - 1] = list_codes[at]
                places[slot - 1] = first + at
    else:
        scale = len(documents) / block_width(postings, block)
        for i in range(len(candidates)):
            at = _found(documents, candidates[i], int(candidates[i] * scale))
            if at >= 0:
                codes[i] = list_codes[at]
                places[i] = first + at


@compiled
def _found(documents: Array, wanted: int, guess: int) -> int:
    """The place of a document in a list, or -1: guessed from its number, then narrowed down."""
    size = len(documents)
    step = 4
    if documents[guess] <= wanted:
        low = guess
        high = guess + step
        while high < size and documents[high] <= wanted:
            low = high
            step *= 2
            high += step
        high = min(high, size)
    else:
        high = guess
        low = guess - step
        while low > 0 and documents[low] > wanted:
            high = low
            step *= 2
            low -= step
        low = max(low, 0)
    while high - low > 1:
        middle = (low + high) >> 1
        if documents[middle] <= wanted:
            low = middle
        else:
            high = middle
    return low if documents[low] == wanted else -1


@compiled
def _find_in_column(
    postings: Postings, block: int, column: int, candidates: Array, codes: Array, places: Array
) -> None:
    width = block_width(postings, block)
    start = block * postings.columns_count * postings.block
    for i in range(len(candidates)):
        places[i] = column * width + candidates[i]
        codes[i] = postings.columns[start + places[i]]


@compiled
def rare_range(postings: Postings, term: int, block: int) -> tuple[int, int]:
    """From where to where the postings of a rare term stand that are in the block."""
    first = np.int64(postings.rare_starts[term])
    last = np.int64(postings.rare_starts[term + 1])
    low = block * postings.block
    while first < last and postings.rare_documents[first] < low:
        first += 1
    end = first
    while end < last and postings.rare_documents[end] < low + postings.block:
        end += 1
    return first, end


@compiled
def _find_rare(
    postings: Postings, block: int, term: int, slots: Array, codes: Array, places: Array
) -> None:
    first, last = rare_range(postings, term, block)
    for at in range(first, last):
        slot = slots[np.int64(postings.rare_documents[at]) - block * postings.block]
        if slot:
            codes[slot - 1] = postings.rare_codes[at]
            places[slot - 1] = at
