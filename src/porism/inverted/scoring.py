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


class Workspace(NamedTuple):
    """Arrays for the scoring of candidates, used again for each block: ``workspace`` makes them.

    Candidates are ascending documents of a block. ``bits`` has a bit for each document that two
    bytes can number, ``ranks`` how many candidates come before each word of bits: together they
    give the position of a candidate, and stay in the fastest cache.

    Matches are postings of candidates, term by term: the position of the candidate, the code, the
    place of the posting, and its count. ``starts`` has the first match of each term. Loops write a
    match for each candidate and advance only if it has the term: that avoids a branch that the
    processor could not predict. So there is room for one more.

    Doubts are matches whose counts may be exceptions, with their terms. The exception of one that
    is ``searched`` can only be among ``sizes`` entries from ``firsts`` on.
    """

    bits: Array
    ranks: Array
    candidates: Array
    codes: Array
    places: Array
    counts: Array
    starts: Array
    doubts: Array
    doubt_terms: Array
    searched: Array
    firsts: Array
    sizes: Array


BATCH = 4096
"""Matches are collected until they are this many, so that they stay in a fast cache."""


def workspace(documents: int, terms: int) -> Workspace:
    """Return arrays for at most so many candidates and terms."""
    room = BATCH + documents + 1
    return Workspace(
        bits=np.empty(1024, np.uint64),
        ranks=np.empty(1024, np.uint32),
        candidates=np.empty(room, np.uint32),
        codes=np.empty(room, np.uint8),
        places=np.empty(room, np.uint32),
        counts=np.empty(room, np.float64),
        starts=np.empty(terms + 1, np.int64),
        doubts=np.empty(room, np.uint32),
        doubt_terms=np.empty(room, np.uint32),
        searched=np.empty(room, np.uint32),
        firsts=np.empty(room, np.int64),
        sizes=np.empty(room, np.int64),
    )


@compiled
def add_scores(
    postings: Postings,
    query: SegmentQuery,
    block: IntLike,
    candidates: Array,
    work: Workspace,
    scores: Array,
) -> None:
    """Add up the scores of candidates, ascending documents of a block, each in the query's order.

    ``scores`` has a zero for each candidate.
    """
    if len(candidates) == 0:
        return
    norms = length_norms(postings, query, block, candidates)
    _mark(candidates, work)
    terms = len(query.kinds)
    first = size = doubts = 0
    for term in range(terms):
        work.starts[term] = size
        kind, place = query.kinds[term], query.places[term]
        if kind == LIST:
            size = _find_in_list(postings, block, place, candidates, work, size)
        elif kind == COLUMN:
            size = _find_in_column(postings, block, place, candidates, work, size)
        else:
            size = _find_rare(postings, block, place, candidates, work, size)
        work.starts[term + 1] = size
        doubts = _estimate_counts(term, norms.of_codes[query.fields[term]], work, doubts)
        if size >= BATCH or term == terms - 1:
            _correct_counts(postings, query, block, norms.of_codes, work, doubts)
            for each in range(first, term + 1):
                _add_term(query, each, norms.now[query.fields[each]], work, scores)
            first, size, doubts = term + 1, 0, 0


@compiled
def _mark(candidates: Array, work: Workspace) -> None:
    work.bits[:] = np.uint64(0)
    for i in range(len(candidates)):
        work.bits[candidates[i] >> 6] |= ONE << (np.uint64(candidates[i]) & LOW)
    before = np.uint32(0)
    for word in range(len(work.bits)):
        work.ranks[word] = before
        before = np.uint32(before + _bit_count(work.bits[word]))


@compiled
def _is_candidate(work: Workspace, document: IntLike) -> IntLike:
    """Return 1 if a document, in two bytes, is a candidate, else 0."""
    word = work.bits[document >> np.uint16(6)]
    return np.int64((word >> (np.uint64(document) & LOW)) & ONE)


@compiled
def _position(work: Workspace, document: IntLike) -> IntLike:
    """Return the position of a candidate, given in two bytes."""
    at = document >> np.uint16(6)
    before = work.bits[at] & ((ONE << (np.uint64(document) & LOW)) - ONE)
    return np.uint32(work.ranks[at] + _bit_count(before))


@compiled
def _bit_count(word: IntLike) -> IntLike:
    """Return how many bits are set; the compiler makes one instruction of these steps."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    twos = np.uint64(0x3333333333333333)
    word = (word & twos) + ((word >> np.uint64(2)) & twos)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.uint32((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def _estimate_counts(term: IntLike, norms: Array, work: Workspace, doubts: IntLike) -> IntLike:
    """Fill in the counts of a term from codes, and add those that may be wrong to the doubts.

    Returns how many doubts there are then.
    """
    for match in range(work.starts[term], work.starts[term + 1]):
        norm = norms[work.candidates[match]]
        count = estimate(work.codes[match], norm)
        work.counts[match] = count
        work.doubts[doubts] = match
        work.doubt_terms[doubts] = term
        doubts += doubtful(work.codes[match], count, norm)
    return doubts


@compiled
def _correct_counts(
    postings: Postings,
    query: SegmentQuery,
    block: IntLike,
    norms: Array,
    work: Workspace,
    doubts: IntLike,
) -> None:
    """Replace the counts of those doubts that are exceptions."""
    left = 0
    for doubt in range(doubts):
        match, term = work.doubts[doubt], work.doubt_terms[doubt]
        norm = norms[query.fields[term], work.candidates[match]]
        work.doubts[left], work.doubt_terms[left] = match, term
        left += ambiguous(work.codes[match], work.counts[match], norm)
    lists = postings.list_exception_places, postings.list_exception_counts
    columns = postings.column_exception_places, postings.column_exception_counts
    rare = postings.rare_exception_places, postings.rare_exception_counts
    _correct_kind(LIST, lists, postings, query, block, work, left)
    _correct_kind(COLUMN, columns, postings, query, block, work, left)
    _correct_kind(RARE, rare, postings, query, block, work, left)


@compiled
def _correct_kind(
    kind: IntLike,
    exceptions: tuple[Array, Array],
    postings: Postings,
    query: SegmentQuery,
    block: IntLike,
    work: Workspace,
    doubts: IntLike,
) -> None:
    """Replace the counts of those doubts that are exceptions of a kind.

    All are searched for in step and without branches: memory is slow here, and the processor waits
    for many at a time.
    """
    places, counts = exceptions
    count = 0
    largest = 0
    for doubt in range(doubts):
        term = work.doubt_terms[doubt]
        if query.kinds[term] == kind:
            first, last = _exception_range(postings, kind, block, query.places[term])
            work.searched[count] = work.doubts[doubt]
            work.firsts[count], work.sizes[count] = first, last - first
            count += last > first
            largest = max(largest, last - first)
    while largest > 1:
        largest -= largest >> 1
        for doubt in range(count):
            half = work.sizes[doubt] >> 1
            middle = work.firsts[doubt] + half
            work.firsts[doubt] += half * (places[middle] <= work.places[work.searched[doubt]])
            work.sizes[doubt] -= half
    for doubt in range(count):
        match, entry = work.searched[doubt], work.firsts[doubt]
        if places[entry] == work.places[match]:
            work.counts[match] = counts[entry]


@compiled
def _add_term(
    query: SegmentQuery, term: IntLike, norms: Array, work: Workspace, scores: Array
) -> None:
    """Add the matches of a term to the scores of candidates."""
    tf_weight, delta = query.tf_weights[term], query.deltas[term]
    if query.logarithmic[term]:
        for match in range(work.starts[term], work.starts[term + 1]):
            i = work.candidates[match]
            logarithm = 1.0 + np.log2(1.0 + np.log2(work.counts[match]))
            scores[i] += tf_weight * (logarithm / norms[i]) + delta
        return
    for match in range(work.starts[term], work.starts[term + 1]):
        i, count = work.candidates[match], work.counts[match]
        scores[i] += tf_weight * (count / (count + norms[i])) + delta


@compiled
def _exception_range(
    postings: Postings, kind: IntLike, block: IntLike, place: IntLike
) -> tuple[IntLike, IntLike]:
    """Return the range that has the exceptions of a term in a block, and maybe others.

    Even in a damaged file it is inside all exceptions of its kind.
    """
    first: IntLike = 0
    last: IntLike
    if kind == LIST:
        size = len(postings.list_exception_places)
        first = postings.list_exception_starts[block]
        last = postings.list_exception_starts[block + 1]
    elif kind == COLUMN:
        size = len(postings.column_exception_places)
        row = block * postings.columns_count + place
        first = postings.column_exception_starts[row]
        last = postings.column_exception_starts[row + 1]
    else:
        size = len(postings.rare_exception_places)
        last = size
    first = max(0, min(first, size))
    return first, max(first, min(last, size))


@compiled
def exact_count(
    postings: Postings, kind: IntLike, block: IntLike, place: IntLike, count: FloatLike
) -> FloatLike:
    """Return the count of the posting at ``place`` if it is an exception, else ``count``."""
    column = place // block_width(postings, block)
    first, last = _exception_range(postings, kind, block, column)
    if kind == LIST:
        entry = _exception(postings.list_exception_places, first, last, place)
        return float(postings.list_exception_counts[entry]) if entry >= 0 else count
    if kind == COLUMN:
        entry = _exception(postings.column_exception_places, first, last, place)
        return float(postings.column_exception_counts[entry]) if entry >= 0 else count
    entry = _exception(postings.rare_exception_places, first, last, place)
    return float(postings.rare_exception_counts[entry]) if entry >= 0 else count


@compiled
def _exception(places: Array, first: IntLike, last: IntLike, place: IntLike) -> IntLike:
    """Return the position of ``place`` in a part of ascending places, or -1."""
    while first < last:
        middle = (first + last) >> 1
        if places[middle] < place:
            first = middle + 1
        else:
            last = middle
    return first if first < len(places) and places[first] == place else -1


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
    candidates: Array,
    work: Workspace,
    size: IntLike,
) -> IntLike:
    """Write the candidates that have a common term after other matches; return how many then."""
    first, last = list_range(postings, block, term)
    start = postings.block_starts[block]
    documents = postings.list_documents[start + first : start + last]
    codes = postings.list_codes[start + first : start + last]
    if len(documents) < max(WINDOW, SCAN * len(candidates)):
        most = size + len(candidates)  # a damaged list may repeat documents
        begin = size
        for at in range(len(documents)):
            work.places[size] = at
            size = min(size + _is_candidate(work, documents[at]), most)
        for match in range(begin, size):
            at = work.places[match]
            work.candidates[match] = _position(work, documents[at])
            work.codes[match] = codes[at]
            work.places[match] = first + at
        return size
    scale = len(documents) / block_width(postings, block)
    for i in range(len(candidates)):
        document = np.uint16(candidates[i])
        at = _place(documents, document, int(candidates[i] * scale))
        work.candidates[size] = i
        work.codes[size] = codes[at]
        work.places[size] = first + at
        size += documents[at] == document
    return size


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
    candidates: Array,
    work: Workspace,
    size: IntLike,
) -> IntLike:
    width = block_width(postings, block)
    start = block * postings.columns_count * postings.block
    for i in range(len(candidates)):
        place = column * width + candidates[i]
        code = postings.columns[start + place]
        work.candidates[size] = i
        work.codes[size] = code
        work.places[size] = place
        size += code != 0
    return size


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
    candidates: Array,
    work: Workspace,
    size: IntLike,
) -> IntLike:
    first, last = rare_range(postings, term, block)
    most = size + len(candidates)
    for at in range(first, last):
        document = np.int64(postings.rare_documents[at]) - block * postings.block
        if 0 <= document < postings.block and size < most:
            local = np.uint16(document)
            work.candidates[size] = _position(work, local)
            work.codes[size] = postings.rare_codes[at]
            work.places[size] = at
            size += _is_candidate(work, local)
    return size
