"""Exact scores: the compiled loops that read counts from postings and add up scores.

Documents are numbered within their block. A posting adds ``tf_weight * tf / (tf + K) + delta`` to
the score; the query has combined all its factors into these two. A logarithmic term adds
``tf_weight * (1 + log2(1 + log2(tf))) / K + delta``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.inverted.count_codes import ambiguous, doubtful, estimate

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


class SegmentQuery(NamedTuple):
    """The terms of a query that a segment has, in the query's order.

    ``kinds`` are kinds of postings, ``places`` the numbers of rare terms, common terms or columns;
    ``logarithmic`` marks terms whose counts have a logarithmic weight.
    K of field f is ``bases[f] + slopes[f] * length`` now, and was ``code_bases[f] + code_slopes[f]
    * length`` when codes were made; the length is the sum over the fields that ``sharing[f]``
    marks. ``requested[f]`` says whether the query has terms for the field.
    """

    kinds: Array
    places: Array
    fields: Array
    logarithmic: Array
    tf_weights: Array
    deltas: Array
    bases: Array
    slopes: Array
    code_bases: Array
    code_slopes: Array
    sharing: Array
    requested: Array


class LengthNorms(NamedTuple):
    """K by field and candidate: for scores today, and for reading codes."""

    now: Array
    of_codes: Array


@compiled
def block_width(postings: Postings, block: IntLike) -> IntLike:
    """Return how many documents a column of the block has room for."""
    left = postings.documents - block * postings.block
    return min(postings.block, (left + 63) // 64 * 64)


@compiled
def length_norms(
    postings: Postings, query: SegmentQuery, block: IntLike, candidates: Array
) -> LengthNorms:
    """Return K of each candidate in each requested field."""
    fields = len(query.bases)
    now = np.empty((fields, len(candidates)))
    of_codes = np.empty((fields, len(candidates)))
    first = block * postings.block
    for field in range(fields):
        if query.requested[field]:
            for i in range(len(candidates)):
                length = 0.0
                for other in range(fields):
                    if query.sharing[field, other]:
                        length += postings.lengths[other, first + candidates[i]]
                now[field, i] = query.bases[field] + query.slopes[field] * length
                of_codes[field, i] = query.code_bases[field] + query.code_slopes[field] * length
    return LengthNorms(now, of_codes)


class TermMatches(NamedTuple):
    """The candidates that have a term, with the code and the place of each posting.

    Loops write an entry for each candidate and advance only if it has the term: that avoids a
    branch that the processor could not predict. So there is room for one more.
    """

    candidates: Array
    codes: Array
    places: Array


class BlockCandidates(NamedTuple):
    """Candidates: documents of a block, ascending; ``slots`` has their places, from 1.

    ``marks`` has a bit for each document, which together stay in the fastest cache.
    """

    documents: Array
    slots: Array
    marks: Array


@compiled
def add_scores(
    postings: Postings,
    query: SegmentQuery,
    block: IntLike,
    candidates: Array,
    slots: Array,
    scores: Array,
) -> None:
    """Add up the scores of candidates, ascending documents of a block, each in the query's order.

    ``scores`` has a zero for each candidate, ``slots`` one for each document of a block; those are
    zeros again afterwards.
    """
    size = len(candidates)
    if size == 0:
        return
    norms = length_norms(postings, query, block, candidates)
    matches = TermMatches(
        np.zeros(size + 1, np.int64), np.zeros(size + 1, np.uint8), np.zeros(size + 1, np.int64)
    )
    counts = np.zeros(size)
    unsure = np.zeros(size + 1, np.int64)
    wanted = BlockCandidates(candidates, slots, np.zeros(1024, np.uint64))
    for i in range(size):
        slots[candidates[i]] = i + 1
        wanted.marks[candidates[i] >> 6] |= ONE << (np.uint64(candidates[i]) & LOW)
    for term in range(len(query.kinds)):
        kind, place, field = query.kinds[term], query.places[term], query.fields[term]
        if kind == LIST:
            having = _find_in_list(postings, block, place, wanted, matches)
        elif kind == COLUMN:
            having = _find_in_column(postings, block, place, wanted, matches)
        else:
            having = _find_rare(postings, block, place, wanted, matches)
        doubts = _estimate_counts(matches, having, norms.of_codes[field], counts, unsure)
        for at in unsure[:doubts]:
            counts[at] = exact_count(postings, kind, block, matches.places[at], counts[at])
        tf_weight, delta, now = query.tf_weights[term], query.deltas[term], norms.now[field]
        if query.logarithmic[term]:
            for at in range(having):
                i = matches.candidates[at]
                logarithm = 1.0 + np.log2(1.0 + np.log2(counts[at]))
                scores[i] += tf_weight * (logarithm / now[i]) + delta
            continue
        for at in range(having):
            i = matches.candidates[at]
            scores[i] += tf_weight * (counts[at] / (counts[at] + now[i])) + delta
    for i in range(size):
        slots[candidates[i]] = 0


@compiled
def _estimate_counts(
    matches: TermMatches, having: IntLike, norms: Array, counts: Array, unsure: Array
) -> IntLike:
    """Fill ``counts`` from codes, and ``unsure`` with entries whose count may be wrong.

    Returns how many are unsure.
    """
    doubts = 0
    for at in range(having):
        norm = norms[matches.candidates[at]]
        counts[at] = estimate(matches.codes[at], norm)
        unsure[doubts] = at
        doubts += doubtful(matches.codes[at], counts[at], norm)
    size = 0
    for doubt in range(doubts):
        at = unsure[doubt]
        unsure[size] = at
        size += ambiguous(matches.codes[at], counts[at], norms[matches.candidates[at]])
    return size


@compiled
def exact_count(
    postings: Postings, kind: IntLike, block: IntLike, place: IntLike, count: FloatLike
) -> FloatLike:
    """Return the count of the posting at ``place`` if it is an exception, else ``count``."""
    if kind == LIST:
        first, last = (
            postings.list_exception_starts[block],
            postings.list_exception_starts[block + 1],
        )
        entry = _exception(postings.list_exception_places, first, last, place)
        return float(postings.list_exception_counts[entry]) if entry >= 0 else count
    if kind == COLUMN:
        row = block * postings.columns_count + place // block_width(postings, block)
        first, last = (
            postings.column_exception_starts[row],
            postings.column_exception_starts[row + 1],
        )
        entry = _exception(postings.column_exception_places, first, last, place)
        return float(postings.column_exception_counts[entry]) if entry >= 0 else count
    last = len(postings.rare_exception_places)
    entry = _exception(postings.rare_exception_places, 0, last, place)
    return float(postings.rare_exception_counts[entry]) if entry >= 0 else count


@compiled
def _exception(places: Array, first: IntLike, last: IntLike, place: IntLike) -> IntLike:
    """Return the position of ``place`` in a part of ascending places, or -1."""
    first, last = max(0, first), min(last, len(places))
    while first < last:
        middle = (first + last) >> 1
        if places[middle] < place:
            first = middle + 1
        else:
            last = middle
    return first if 0 <= first < len(places) and places[first] == place else -1


@compiled
def list_range(postings: Postings, block: IntLike, term: IntLike) -> tuple[IntLike, IntLike]:
    """Return the range of the list of a common term, relative to its block.

    Even in a damaged file it is inside the lists of the block.
    """
    row = block * (postings.terms + 1) + term
    size = postings.block_starts[block + 1] - postings.block_starts[block]
    first = min(np.int64(postings.list_starts[row]), size)
    return first, max(first, min(np.int64(postings.list_starts[row + 1]), size))


ONE, LOW = np.uint64(1), np.uint64(63)
SCAN = 16
"""Looking up one document takes as long as reading this many postings in turn."""


@compiled
def _find_in_list(
    postings: Postings,
    block: IntLike,
    term: IntLike,
    candidates: BlockCandidates,
    matches: TermMatches,
) -> IntLike:
    """Write the candidates that have a common term, and return how many they are."""
    first, last = list_range(postings, block, term)
    start = postings.block_starts[block]
    documents = postings.list_documents[start + first : start + last]
    codes = postings.list_codes[start + first : start + last]
    having = 0
    if len(documents) < max(WINDOW, SCAN * len(candidates.documents)):
        for at in range(len(documents)):
            document = documents[at]
            is_marked = candidates.marks[document >> np.uint16(6)] & (
                ONE << (np.uint64(document) & LOW)
            )
            if is_marked and having < len(
                candidates.documents
            ):  # a damaged list may repeat documents
                matches.candidates[having] = candidates.slots[document] - 1
                matches.codes[having] = codes[at]
                matches.places[having] = first + at
                having += 1
        return having
    scale = len(documents) / block_width(postings, block)
    for i in range(len(candidates.documents)):
        wanted = np.uint16(candidates.documents[i])
        at = _place(documents, wanted, int(candidates.documents[i] * scale))
        matches.candidates[having] = i
        matches.codes[having] = codes[at]
        matches.places[having] = first + at
        having += documents[at] == wanted
    return having


WINDOW = 64
"""Documents are spread so evenly that most are within half of this from the guess."""


@compiled
def _place(documents: Array, wanted: IntLike, guess: IntLike) -> IntLike:
    """Return the place of a document in a list of at least ``WINDOW``; any place if it is absent.

    Counting the smaller documents in a window around the guess needs no branches, so the processor
    reads the windows of several documents at a time.
    """
    last = len(documents) - WINDOW
    first = max(0, min(guess - WINDOW // 2, last))
    smaller = _smaller(documents, first, wanted)
    while smaller == 0 and first > 0:
        first = max(0, first - WINDOW)
        smaller = _smaller(documents, first, wanted)
    while smaller == WINDOW and first < last:
        first = min(last, first + WINDOW)
        smaller = _smaller(documents, first, wanted)
    return min(first + smaller, len(documents) - 1)


@compiled
def _smaller(documents: Array, first: IntLike, wanted: IntLike) -> IntLike:
    """Return how many documents of the window from ``first`` on are smaller."""
    window = documents[first : first + WINDOW]
    count = np.uint16(0)
    for at in range(WINDOW):
        count = np.uint16(count + np.uint16(window[at] < wanted))
    return np.int64(count)


@compiled
def _find_in_column(
    postings: Postings,
    block: IntLike,
    column: IntLike,
    candidates: BlockCandidates,
    matches: TermMatches,
) -> IntLike:
    width = block_width(postings, block)
    start = block * postings.columns_count * postings.block
    having = 0
    for i in range(len(candidates.documents)):
        place = column * width + candidates.documents[i]
        code = postings.columns[start + place]
        matches.candidates[having] = i
        matches.codes[having] = code
        matches.places[having] = place
        having += code != 0
    return having


@compiled
def rare_list(postings: Postings, term: IntLike) -> tuple[IntLike, IntLike]:
    """Return the range of the list of a rare term, inside all lists even in a damaged file.

    The documents in it are not checked: they may be any 32-bit numbers.
    """
    size = len(postings.rare_documents)
    first = min(np.int64(postings.rare_starts[term]), size)
    return first, max(first, min(np.int64(postings.rare_starts[term + 1]), size))


@compiled
def rare_range(postings: Postings, term: IntLike, block: IntLike) -> tuple[IntLike, IntLike]:
    """Return the range of the postings of a rare term that are in the block.

    In a damaged list, which does not ascend, others may be between them.
    """
    first, last = rare_list(postings, term)
    low = block * postings.block
    while first < last and postings.rare_documents[first] < low:
        first += 1
    end = first
    while end < last and postings.rare_documents[end] < low + postings.block:
        end += 1
    return first, end


@compiled
def _find_rare(
    postings: Postings,
    block: IntLike,
    term: IntLike,
    candidates: BlockCandidates,
    matches: TermMatches,
) -> IntLike:
    first, last = rare_range(postings, term, block)
    having = 0
    for at in range(first, last):
        document = np.int64(postings.rare_documents[at]) - block * postings.block
        if 0 <= document < postings.block:
            slot = candidates.slots[document]
            matches.candidates[having] = slot - 1
            matches.codes[having] = postings.rare_codes[at]
            matches.places[having] = at
            having += slot > 0 and having < len(candidates.documents)
    return having
