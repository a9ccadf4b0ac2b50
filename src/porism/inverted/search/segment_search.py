"""The best k documents of a segment, by compiled loops over its blocks.

A block is searched in two steps. First codes are added up in 32-bit numbers for all documents of
the block: lists and rare terms posting by posting, then columns, as long as many documents can
still reach the threshold. A sum is at most ``error`` below the true score, so documents further
below the threshold are out. Then the few candidates are scored exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled, loosely_compiled
from porism.compiler.instructions import prefetch
from porism.inverted.scoring import (
    Postings,
    SegmentQuery,
    Workspace,
    add_scores,
    block_width,
    list_range,
    rare_range,
)
from porism.inverted.search.thresholds import (
    TopKGoal,
    expected_count,
    guessed_threshold,
    local_threshold,
)
from porism.inverted.search.top_k import TopK, cut, keep_best


class FirstPass(NamedTuple):
    """What a code adds in the first step: ``weight * code + delta``, by kind of postings.

    Columns are in descending order of what they can add; ``column_bounds[i]`` is the most that
    those from ``i`` on can add together.
    """

    rare: Array
    rare_weights: Array
    rare_deltas: Array
    lists: Array
    list_weights: Array
    list_deltas: Array
    columns: Array
    column_weights: Array
    column_deltas: Array
    column_bounds: Array
    error: float


TILE = 16384
"""Columns are added to this many documents at a time, as long as many are within reach."""

SPARSE_SHARE = 128
"""If at most one document in this many is within reach, columns are read for those alone."""


MAX_BLOCK = 65_536
"""Documents of a block that two bytes can number."""


@compiled
def search_best(
    postings: Postings,
    query: SegmentQuery,
    first_pass: FirstPass,
    goal: TopKGoal,
    blocks: Array,
    allowed: Array,
    top_k: TopK,
    used: Array,
    work: Workspace,
) -> None:
    """Collect the best documents of some blocks; ``used`` takes the threshold of each block."""
    # Room for every document that two bytes can number, so that damaged lists do no harm; sums
    # beyond the block are never read.
    sums = np.zeros(MAX_BLOCK, np.float32)
    room = np.empty(postings.block, np.int64)
    added = np.zeros(postings.block // TILE + 1, np.int64)
    firsts = np.zeros(len(first_pass.lists), np.int64)
    lasts = np.zeros(len(first_pass.lists), np.int64)
    threshold = goal.threshold
    seen = 0
    for at in range(len(blocks)):
        block = blocks[at]
        size = min(postings.block, postings.documents - block * postings.block)
        sums[: postings.block] = 0
        _add_rare(postings, first_pass, block, sums)
        _list_ranges(postings, first_pass, block, firsts, lasts)
        _add_lists(postings, first_pass, firsts, lasts, sums)
        _add_columns(postings, first_pass, block, threshold, sums, added)
        seen += size
        passing = allowed[block * postings.block : block * postings.block + size]
        if threshold <= 0:
            wanted = expected_count(goal, seen)
            threshold = local_threshold(sums[:size], passing, wanted) - 2 * first_pass.error
        candidates = _candidates(
            postings, first_pass, block, threshold, sums[:size], added, passing, room
        )
        scores = np.zeros(len(candidates))
        add_scores(postings, query, block, candidates, work, scores)
        used[at] = threshold
        keep_best(postings, block, candidates, scores, goal.k, top_k)
        threshold = max(threshold, guessed_threshold(goal, seen, top_k))
    cut(top_k, goal.k)


@compiled
def _add_rare(postings: Postings, first_pass: FirstPass, block: IntLike, sums: Array) -> None:
    offset = np.uint32(block * postings.block)
    for term in range(len(first_pass.rare)):
        first, last = rare_range(postings, first_pass.rare[term], block)
        for at in range(first, last):
            document = np.uint32(postings.rare_documents[at] - offset)
            if document < MAX_BLOCK:
                sums[document] += (
                    first_pass.rare_weights[term] * np.float32(postings.rare_codes[at])
                    + first_pass.rare_deltas[term]
                )


@compiled
def _list_ranges(
    postings: Postings, first_pass: FirstPass, block: IntLike, firsts: Array, lasts: Array
) -> None:
    """Write the ranges of the lists of a block."""
    start = postings.block_starts[block]
    for term in range(len(first_pass.lists)):
        first, last = list_range(postings, block, first_pass.lists[term])
        firsts[term], lasts[term] = start + first, start + last


CHUNK = 64
"""This many codes share a line of the cache, and their documents two."""

AHEAD = 8 * CHUNK
"""Postings are fetched this long before they are added."""

LISTS_AHEAD = 3
"""The beginning of a list is fetched this many lists before."""


@loosely_compiled
def _add_lists(
    postings: Postings, first_pass: FirstPass, firsts: Array, lasts: Array, sums: Array
) -> None:
    """Add the lists of a block.

    Reading them from memory takes longer than adding them, and the processor foresees neither
    which list comes next nor, soon enough, how long one is.
    """
    count = len(first_pass.lists)
    for term in range(min(LISTS_AHEAD, count)):
        _fetch(postings, firsts[term], min(lasts[term], firsts[term] + AHEAD))
    for term in range(count):
        if term + LISTS_AHEAD < count:
            first = firsts[term + LISTS_AHEAD]
            _fetch(postings, first, min(lasts[term + LISTS_AHEAD], first + AHEAD))
        weight = first_pass.list_weights[term]
        delta = first_pass.list_deltas[term]
        first, last = firsts[term], lasts[term]
        whole = first + (last - first) // CHUNK * CHUNK
        for chunk in range(first, whole, CHUNK):
            _fetch(postings, chunk + AHEAD, chunk + AHEAD + CHUNK)
            documents = postings.list_documents[chunk : chunk + CHUNK]
            codes = postings.list_codes[chunk : chunk + CHUNK]
            for at in range(CHUNK):
                sums[documents[at]] += weight * np.float32(codes[at]) + delta
        documents = postings.list_documents[whole:last]
        codes = postings.list_codes[whole:last]
        for at in range(len(documents)):
            sums[documents[at]] += weight * np.float32(codes[at]) + delta


@compiled
def _fetch(postings: Postings, first: IntLike, last: IntLike) -> None:
    """Have the processor fetch a range of lists."""
    for at in range(first, last, CHUNK):
        prefetch(postings.list_documents, at)
        prefetch(postings.list_documents, at + CHUNK // 2)
        prefetch(postings.list_codes, at)


@compiled
def _add_columns(
    postings: Postings,
    first_pass: FirstPass,
    block: IntLike,
    threshold: FloatLike,
    sums: Array,
    added: Array,
) -> None:
    """Add columns, four at a time, until few documents of a tile can reach the threshold.

    ``added`` takes how many columns were added to each tile.
    """
    width = block_width(postings, block)
    start = block * postings.columns_count * postings.block
    count = len(first_pass.columns)
    for tile in range(0, width, TILE):
        part = sums[tile : min(tile + TILE, width)]
        at = 0
        while at < count:
            cut = threshold - first_pass.error - first_pass.column_bounds[at]
            if cut > 0 and SPARSE_SHARE * _reaching(part, np.float32(cut)) <= len(part):
                break
            if at + 4 <= count:
                _add_four(postings.columns, start + tile, width, first_pass, at, part)
                at += 4
            else:
                _add_one(postings.columns, start + tile, width, first_pass, at, part)
                at += 1
        added[tile // TILE] = at


@loosely_compiled
def _add_four(
    columns: Array, start: IntLike, width: IntLike, first_pass: FirstPass, at: IntLike, sums: Array
) -> None:
    """Add four columns at once, so that sums are read and written a quarter as often."""
    size = len(sums)
    places = first_pass.columns[at : at + 4]
    one = columns[start + places[0] * width : start + places[0] * width + size]
    two = columns[start + places[1] * width : start + places[1] * width + size]
    three = columns[start + places[2] * width : start + places[2] * width + size]
    four = columns[start + places[3] * width : start + places[3] * width + size]
    a, b, c, d = first_pass.column_weights[at : at + 4]
    e, f, g, h = first_pass.column_deltas[at : at + 4]
    if e == 0 and f == 0 and g == 0 and h == 0:
        for i in range(size):
            sums[i] += (
                a * np.float32(one[i])
                + b * np.float32(two[i])
                + c * np.float32(three[i])
                + d * np.float32(four[i])
            )
        return
    present = np.float32(1)
    for i in range(size):
        w, x = np.float32(one[i]), np.float32(two[i])
        y, z = np.float32(three[i]), np.float32(four[i])
        sums[i] += (
            (a * w + e * min(w, present))
            + (b * x + f * min(x, present))
            + (c * y + g * min(y, present))
            + (d * z + h * min(z, present))
        )


@loosely_compiled
def _add_one(
    columns: Array, start: IntLike, width: IntLike, first_pass: FirstPass, at: IntLike, sums: Array
) -> None:
    begin = start + first_pass.columns[at] * width
    codes = columns[begin : begin + len(sums)]
    weight, delta = first_pass.column_weights[at], first_pass.column_deltas[at]
    present = np.float32(1)
    for i in range(len(sums)):
        value = np.float32(codes[i])
        sums[i] += weight * value + delta * min(value, present)


@compiled
def _reaching(sums: Array, cut: FloatLike) -> IntLike:
    """Return how many sums are at least ``cut``."""
    count = np.int32(0)  # as wide as a sum, so that counts fill a register as sums do
    for i in range(len(sums)):
        count = np.int32(count + np.int32(sums[i] >= cut))
    return count


SCAN_STEP = 32
"""Sums are scanned in steps of this size; most steps have none that reaches the threshold."""

COLUMNS_PER_CHECK = 8
"""After this many columns, documents that can no longer reach the threshold are dropped."""

COLUMNS_AHEAD = 2
"""A column is fetched this many columns before it is added."""


@compiled
def _candidates(
    postings: Postings,
    first_pass: FirstPass,
    block: IntLike,
    threshold: FloatLike,
    sums: Array,
    added: Array,
    passing: Array,
    room: Array,
) -> Array:
    """Return the documents, ascending, that can reach the threshold and pass the filter.

    Columns that were not added to their tile are read for these documents alone.
    """
    enough = threshold - first_pass.error
    size = 0
    for tile in range(0, len(sums), TILE):
        columns = added[tile // TILE]
        cut = np.float32(enough - first_pass.column_bounds[columns])
        end = min(tile + TILE, len(sums))
        reaching = _reaching_documents(sums, tile, end, cut, passing, room[size:])
        size += _completed(
            postings, first_pass, block, columns, enough, sums, room[size : size + reaching]
        )
    return room[:size]


@compiled
def _reaching_documents(
    sums: Array, first: IntLike, last: IntLike, cut: FloatLike, passing: Array, room: Array
) -> IntLike:
    """Write the documents of a tile whose sums are at least ``cut``, and return how many."""
    size = 0
    for step in range(first, last, SCAN_STEP):
        part = sums[step : min(step + SCAN_STEP, last)]
        if _reaching(part, cut):
            for i in range(len(part)):
                if part[i] >= cut and (len(passing) == 0 or passing[step + i]):
                    room[size] = step + i
                    size += 1
    return size


@compiled
def _completed(
    postings: Postings,
    first_pass: FirstPass,
    block: IntLike,
    columns: IntLike,
    enough: FloatLike,
    sums: Array,
    documents: Array,
) -> IntLike:
    """Add the columns after the first ``columns`` to the sums of documents; keep those with enough.

    Each column is read for all documents in turn, after it was fetched while others were added.
    Returns how many documents, in front, are kept.
    """
    width = block_width(postings, block)
    start = block * postings.columns_count * postings.block
    count = len(first_pass.columns)
    present = np.float32(1)
    size = len(documents)
    while size and columns < count:
        for column in range(columns, min(columns + COLUMNS_PER_CHECK, count)):
            weight, delta = first_pass.column_weights[column], first_pass.column_deltas[column]
            begin = start + first_pass.columns[column] * width
            ahead = start + first_pass.columns[min(column + COLUMNS_AHEAD, count - 1)] * width
            for i in range(size):
                prefetch(postings.columns, ahead + documents[i])
                value = np.float32(postings.columns[begin + documents[i]])
                sums[documents[i]] += weight * value + delta * min(value, present)
        columns = min(columns + COLUMNS_PER_CHECK, count)
        size = _kept(sums, documents[:size], enough - first_pass.column_bounds[columns])
    return _kept(sums, documents[:size], enough)


@compiled
def _kept(sums: Array, documents: Array, cut: FloatLike) -> IntLike:
    """Move documents with a sum of at least ``cut``, and more than 0, to the front."""
    size = 0
    for document in documents:
        if sums[document] >= cut and sums[document] > 0:
            documents[size] = document
            size += 1
    return size


@compiled
def search_all(
    postings: Postings,
    query: SegmentQuery,
    blocks: Array,
    allowed: Array,
    k: IntLike,
    top_k: TopK,
    work: Workspace,
) -> None:
    """Score every allowed document of some blocks and keep the best whose score is not 0."""
    room = np.empty(postings.block, np.int64)
    for block in blocks:
        first = block * postings.block
        size = 0
        for document in range(min(postings.block, postings.documents - first)):
            if len(allowed) == 0 or allowed[first + document]:
                room[size] = document
                size += 1
        candidates = room[:size]
        scores = np.zeros(len(candidates))
        add_scores(postings, query, block, candidates, work, scores)
        keep_best(postings, block, candidates, scores, k, top_k)
    cut(top_k, k)
