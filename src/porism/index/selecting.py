"""The best k documents of a segment, by compiled loops over its blocks.

A block is searched in two steps. First codes are added up in 32-bit numbers, for all documents of
the block: lists and rare terms posting by posting, then columns, as long as many documents can
still reach the threshold. A sum is at most ``error`` below the true score, so whatever stays below
the threshold by more than that is out. Then the few candidates are scored exactly.

The threshold is a guess while blocks are left: if a share s of all documents has been seen, about
k * s of the best k are among them, so a score that somewhat more than k * s of those seen reach is
hardly above the k-th best of all. The caller checks that at the end and has blocks searched again
for which the guess was too high.

A document that is kept stands as one 64-bit number: its score, as the 32-bit number that rankings
have, in the upper half, so that greater is better; the place of its id among all ids in the lower,
so that of equal scores the greater id wins. No two documents of a segment have the same number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.index.compiled import Array, compiled
from porism.index.scoring import (
    Postings,
    Query,
    block_width,
    exact_scores,
    list_range,
    rare_range,
)


class FirstPass(NamedTuple):
    """What a code gives in the first step: ``weight * code + delta``, by where postings stand.

    Columns come in descending order of what they can give; ``column_bounds[i]`` is the most that
    those from ``i`` on can give together.
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


class Goal(NamedTuple):
    """The best ``k`` are wanted; ``threshold`` is known or guessed to be at most the k-th score.

    Of ``documents`` in all, the threshold is raised by guesses as blocks are seen; 0 for no guess.
    """

    k: int
    threshold: float
    documents: int


class Pool(NamedTuple):
    """The best documents so far: room for k and a block more, and how many there are."""

    numbers: Array
    size: Array


def pool(k: int, block: int) -> Pool:
    """An empty pool."""
    return Pool(np.empty(k + block, np.uint64), np.zeros(1, np.int64))


FEW = 256
"""One document in so many: if fewer can still be reached, columns are read for these alone."""

TILE = 64


@compiled
def search_best(
    postings: Postings,
    query: Query,
    first_pass: FirstPass,
    goal: Goal,
    blocks: Array,
    allowed: Array,
    pool: Pool,
    used: Array,
) -> None:
    """Fill the pool with the best of some blocks; ``used`` takes the threshold of each block."""
    sums = np.zeros(postings.block, np.float32)
    slots = np.zeros(postings.block, np.int32)
    room = np.empty(postings.block, np.int64)
    threshold = goal.threshold
    seen = 0
    for at in range(len(blocks)):
        block = blocks[at]
        width = block_width(postings, block)
        size = min(postings.block, postings.documents - block * postings.block)
        sums[:width] = 0
        _add_rare(postings, first_pass, block, sums)
        _add_lists(postings, first_pass, block, sums)
        added = _add_columns(postings, first_pass, block, threshold, sums[:width])
        seen += size
        passing = allowed[block * postings.block : block * postings.block + size]
        if threshold <= 0:
            wanted = _expected(goal, seen)
            threshold = _local_threshold(sums[:size], passing, wanted) - 2 * first_pass.error
        candidates = _candidates(
            postings, first_pass, block, (threshold, added), sums[:size], passing, room
        )
        scores = exact_scores(postings, query, block, candidates, slots)
        used[at] = threshold
        _keep(postings, block, candidates, scores, goal.k, pool)
        threshold = max(threshold, _guess(goal, seen, pool))


@compiled
def _expected(goal: Goal, seen: int) -> int:
    """How many of the best k are hardly ever exceeded among the documents seen."""
    if goal.documents == 0:
        return goal.k
    mean = goal.k * (seen / goal.documents)
    return min(goal.k, int(mean + 3 * np.sqrt(mean)) + 2)


@compiled
def _guess(goal: Goal, seen: int, pool: Pool) -> float:
    wanted = _expected(goal, seen)
    if pool.size[0] < wanted or (goal.documents == 0 and pool.size[0] < goal.k):
        return 0.0
    _best_first(pool.numbers, pool.size[0], wanted)
    return _score(pool.numbers[wanted - 1])


@compiled
def _local_threshold(sums: Array, passing: Array, wanted: int) -> float:
    """The sum that the best ``wanted`` documents of a block reach; 0 if fewer have one at all."""
    values = np.empty(len(sums), np.float32)
    size = 0
    for document in range(len(sums)):
        if sums[document] > 0 and (len(passing) == 0 or passing[document]):
            values[size] = sums[document]
            size += 1
    if size < wanted:
        return 0.0
    _best_first(values, size, wanted)
    return values[wanted - 1]


@compiled
def _add_rare(postings: Postings, first_pass: FirstPass, block: int, sums: Array) -> None:
    offset = np.uint32(block * postings.block)
    for term in range(len(first_pass.rare)):
        first, last = rare_range(postings, first_pass.rare[term], block)
        for at in range(first, last):
            document = postings.rare_documents[at] - offset
            sums[document] += (
                first_pass.rare_weights[term] * np.float32(postings.rare_codes[at])
                + first_pass.rare_deltas[term]
            )


@compiled
def _add_lists(postings: Postings, first_pass: FirstPass, block: int, sums: Array) -> None:
    start = postings.block_starts[block]
    for term in range(len(first_pass.lists)):
        first, last = list_range(postings, block, first_pass.lists[term])
        documents = postings.list_documents[start + first : start + last]
        codes = postings.list_codes[start + first : start + last]
        weight = first_pass.list_weights[term]
        delta = first_pass.list_deltas[term]
        for at in range(len(documents)):
            sums[documents[at]] += weight * np.float32(codes[at]) + delta


@compiled
def _add_columns(
    postings: Postings, first_pass: FirstPass, block: int, threshold: float, sums: Array
) -> int:
    """Add columns, four at a time, until few documents can reach the threshold; how many comes back."""
    width = len(sums)
    start = block * postings.columns_count * postings.block
    count = len(first_pass.columns)
    added = 0
    while added < count:
        cut = threshold - first_pass.error - first_pass.column_bounds[added]
        if cut > 0 and _reaching(sums, np.float32(cut)) * FEW <= width:
            return added
        a, b, c, d = added, min(added + 1, count - 1), min(added + 2, count - 1), count - 1
        d = min(added + 3, d)
        _add_four(
            (
                _column(postings, start, first_pass.columns[a], width),
                _column(postings, start, first_pass.columns[b], width),
                _column(postings, start, first_pass.columns[c], width),
                _column(postings, start, first_pass.columns[d], width),
            ),
            (
                first_pass.column_weights[a],
                first_pass.column_weights[b] if b == added + 1 else np.float32(0),
                first_pass.column_weights[c] if c == added + 2 else np.float32(0),
                first_pass.column_weights[d] if d == added + 3 else np.float32(0),
            ),
            (
                first_pass.column_deltas[a],
                first_pass.column_deltas[b] if b == added + 1 else np.float32(0),
                first_pass.column_deltas[c] if c == added + 2 else np.float32(0),
                first_pass.column_deltas[d] if d == added + 3 else np.float32(0),
            ),
            sums,
        )
        added = min(added + 4, count)
    return added


@compiled
def _column(postings: Postings, start: int, column: int, width: int) -> Array:
    return postings.columns[start + column * width : start + (column + 1) * width]


@compiled
def _add_four(columns: tuple[Array, ...], weights: tuple[float, ...], deltas: tuple[float, ...], sums: Array) -> None:
    one, two, three, four = columns
    a, b, c, d = weights
    if deltas[0] == 0 and deltas[1] == 0 and deltas[2] == 0 and deltas[3] == 0:
        for i in range(len(sums)):
            sums[i] += (
                a * np.float32(one[i])
                + b * np.float32(two[i])
                + c * np.float32(three[i])
                + d * np.float32(four[i])
            )
        return
    zero = np.float32(0)
    e, f, g, h = deltas
    for i in range(len(sums)):
        sums[i] += (
            a * np.float32(one[i])
            + b * np.float32(two[i])
            + c * np.float32(three[i])
            + d * np.float32(four[i])
            + (e if one[i] else zero)
            + (f if two[i] else zero)
            + (g if three[i] else zero)
            + (h if four[i] else zero)
        )


@compiled
def _reaching(sums: Array, cut: float) -> int:
    """How many sums are at least ``cut``."""
    count = np.int32(0)
    for i in range(len(sums)):
        count += np.int32(sums[i] >= cut)
    return count


@compiled
def _candidates(
    postings: Postings,
    first_pass: FirstPass,
    block: int,
    goal: tuple[float, int],
    sums: Array,
    passing: Array,
    room: Array,
) -> Array:
    """The documents, ascending, that can reach the threshold and that the filter lets pass.

    Columns after the first ``added`` are read for these documents alone.
    """
    threshold, added = goal
    width = block_width(postings, block)
    start = block * postings.columns_count * postings.block
    enough = threshold - first_pass.error
    cut = np.float32(enough - first_pass.column_bounds[added])
    count = len(first_pass.columns)
    size = 0
    for tile in range(0, len(sums), TILE):
        part = sums[tile : tile + TILE]
        if _reaching(part, cut) == 0:
            continue
        for i in range(len(part)):
            if part[i] >= cut and (len(passing) == 0 or passing[tile + i]):
                total = part[i]
                for column in range(added, count):
                    code = postings.columns[start + first_pass.columns[column] * width + tile + i]
                    if code:
                        total += (
                            first_pass.column_weights[column] * np.float32(code)
                            + first_pass.column_deltas[column]
                        )
                if total > 0 and total >= enough:
                    room[size] = tile + i
                    size += 1
    return room[:size]


@compiled
def search_all(
    postings: Postings, query: Query, blocks: Array, allowed: Array, k: int, pool: Pool
) -> None:
    """Score every allowed document of some blocks and keep the best whose score is not 0."""
    slots = np.zeros(postings.block, np.int32)
    room = np.empty(postings.block, np.int64)
    for block in blocks:
        first = block * postings.block
        size = 0
        for document in range(min(postings.block, postings.documents - first)):
            if len(allowed) == 0 or allowed[first + document]:
                room[size] = document
                size += 1
        candidates = room[:size]
        scores = exact_scores(postings, query, block, candidates, slots)
        _keep(postings, block, candidates, scores, k, pool)


@compiled
def _keep(
    postings: Postings, block: int, candidates: Array, scores: Array, k: int, pool: Pool
) -> None:
    """Put candidates into the pool, then throw out all but the best k."""
    size = pool.size[0]
    for i in range(len(candidates)):
        if scores[i] != 0:
            rank = postings.id_rank[block * postings.block + candidates[i]]
            pool.numbers[size] = _number(scores[i], rank)
            size += 1
    if size > k:
        _best_first(pool.numbers, size, k)
        size = k
    pool.size[0] = size


@compiled
def _best_first(numbers: Array, size: int, k: int) -> None:
    """Have the k greatest of the first ``size`` numbers in front, the least of them at ``k - 1``."""
    low, high = 0, size - 1
    while low < high:
        pivot = numbers[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while numbers[i] > pivot:
                i += 1
            while numbers[j] < pivot:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


SIGN = np.uint64(0x80000000)


@compiled
def _number(score: float, rank: int) -> int:
    """A score and a rank as one number that orders as both do."""
    bits = np.uint64(np.float32(score).view(np.uint32))
    bits = bits ^ np.uint64(0xFFFFFFFF) if bits & SIGN else bits | SIGN
    return (bits << np.uint64(32)) | np.uint64(rank)


@compiled
def _score(number: int) -> float:
    """The score in a number of a pool, which is not negative."""
    return np.float64(np.uint32((number >> np.uint64(32)) ^ SIGN).view(np.float32))


def scores_of(numbers: Array) -> Array:
    """The 32-bit scores in numbers of a pool."""
    bits = (numbers >> np.uint64(32)).astype(np.uint32)
    sign = np.uint32(0x80000000)
    return np.where(bits & sign, bits ^ sign, ~bits).astype(np.uint32).view(np.float32)


def ranks_of(numbers: Array) -> Array:
    """The ranks in numbers of a pool."""
    return (numbers & np.uint64(0xFFFFFFFF)).astype(np.int64)
