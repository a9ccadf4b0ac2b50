"""The formulas whose subtrees match a query best, by exact search with pruning.

The score of a formula is the best of any node of the query and any of its subtrees. Formulas are
searched block by block, each with all nodes of the query, those with the largest bounds first:

- A node, or a path of it, that cannot reach the ``k``-th best score so far is skipped: for a node,
  the postings of its rarest paths are added up, until those that are left could not reach that
  score by themselves.
- The postings of further paths are added only as long as that is cheaper than comparing the
  candidates so far in full.
- Candidates are compared in full in the order of their bounds, until the bound is below.

Weights are whole numbers, so that the sums, and the ranking, are the same as without pruning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.structure.operator_rows import MAX_LEAVES, MAX_OPERATORS, Words
from porism.structure.sector_match import (
    MatchRoom,
    MatchScale,
    match_room,
    match_score,
    symbol_factor,
)
from porism.structure.sector_query import WEIGHT_SCALE, SectorQuery

FIRST_BLOCK, LAST_BLOCK = 1 << 9, 1 << 14
"""Formulas of the first block, which has no score to reach, and of later ones."""

BLOCK_SUBTREES = 1 << 16
"""Subtrees of a block; a block with more of them is shorter. Their sums stay in the cache."""

CHUNK = 1 << 18
"""Formulas after which a search may be cancelled."""

MATCH_COST = 500
"""What comparing a candidate in full costs, in postings that are added up."""

LEAVES_SHIFT = 40
WEIGHT_MASK = (1 << LEAVES_SHIFT) - 1
"""A sum has the leaves of a subtree that match above the sum of their weights."""

ROUNDING = 1 + 1e-6
"""What a bound may be below the score of a formula, since rankings have scores of 32 bits."""


class SectorPart(NamedTuple):
    """The formulas of a part of an index: postings of sectors, and the row of each formula.

    The sectors of a path are ``rows`` and ``payloads`` (root, shifted by 8, and width), rows
    ascending; the words of a formula are ``words[word_starts[row]:word_starts[row + 1]]``, and
    ``sizes`` has its leaves and its operators.
    """

    rows: Array
    payloads: Array
    sizes: Array
    words: Array
    word_starts: Array


class _Lists(NamedTuple):
    """The postings of each path of a query: those with few first, for each node."""

    paths: Array
    firsts: Array
    lasts: Array
    remaining: Array
    """The bound of this and all further paths of the node, wildcards included."""
    remaining_leaves: Array
    """The leaves of these paths."""


class _Top(NamedTuple):
    """The least of the best scores so far is the first of a heap; it is full if all are."""

    heap: Array
    size: Array


class _Room(NamedTuple):
    """Arrays for the subtrees and formulas of a block."""

    offsets: Array
    sums: Array
    touched: Array
    candidates: Array
    bounds: Array
    best: Array
    cursors: Array


class SectorSearch:
    """A query formula that is searched in the parts of an index, one after another.

    The best scores of one part are a bound for the next.
    """

    def __init__(self, query: SectorQuery, scale: MatchScale, k: int) -> None:
        self.query = query
        self.scale = scale
        self._top = _Top(np.zeros(max(1, k)), np.zeros(2, np.int64))

    def best(
        self,
        part: SectorPart,
        firsts: NDArray[np.int64],
        lasts: NDArray[np.int64],
        allowed: NDArray[np.uint8],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return rows with their scores: all that may be among the best k, ties included.

        ``firsts`` and ``lasts`` are the postings of each path of the query.
        """
        lists = _lists(self.query, firsts, lasts)
        count = len(part.sizes)
        room = _room(len(lists.paths), lists.firsts)
        matching = match_room()
        rows, scores = np.empty(CHUNK, np.int64), np.empty(CHUNK)
        found: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
        block, start = FIRST_BLOCK, 0
        while start < count:
            deadlines.check()
            end = min(count, start + CHUNK)
            size = _search_rows(
                self.query,
                lists,
                part,
                allowed,
                self.scale,
                self._top,
                start,
                end,
                block,
                room,
                matching,
                rows,
                scores,
            )
            found.append((rows[:size].copy(), scores[:size].copy()))
            start, block = end, LAST_BLOCK
        all_rows = np.concatenate([each for each, _ in found] or [np.empty(0, np.int64)])
        all_scores = np.concatenate([each for _, each in found] or [np.empty(0)])
        kept = all_scores * ROUNDING >= _least(self._top)
        return all_rows[kept], all_scores[kept]


def _lists(
    query: SectorQuery, firsts: NDArray[np.int64], lasts: NDArray[np.int64]
) -> _Lists:
    paths = np.arange(len(firsts))
    remaining = np.zeros((2, len(firsts)), np.int64)
    for node in range(len(query.roots)):
        first, last = query.path_starts[node], query.path_starts[node + 1]
        own = paths[first:last].copy()
        # Wildcards, which have no postings, come last.
        own = own[np.lexsort((lasts[own] - firsts[own], query.path_others[own] >= 0))]
        paths[first:last] = own
        widths = query.path_widths[own]
        for sums, values in zip(remaining, (widths * query.path_weights[own], widths), strict=True):
            sums[first:last] = np.cumsum(values[::-1])[::-1]
    return _Lists(paths, firsts[paths], lasts[paths], *remaining)


def _room(lists: int, firsts: NDArray[np.int64]) -> _Room:
    subtrees = BLOCK_SUBTREES + MAX_OPERATORS + 1
    return _Room(
        np.empty(LAST_BLOCK + 1, np.int64),
        np.zeros(subtrees, np.int64),
        np.empty(subtrees, np.uint32),
        np.empty(subtrees, np.uint32),
        np.empty(subtrees),
        np.zeros(LAST_BLOCK),
        firsts.copy(),
    )


@compiled
def _least(top: _Top) -> FloatLike:
    """Return the score that the next formula has to reach; 0 if there are not enough yet."""
    return top.heap[0] if top.size[0] == len(top.heap) else 0.0


@compiled
def _add_score(top: _Top, score: FloatLike) -> None:
    heap, size = top.heap, top.size[0]
    if size < len(heap):
        at = size
        top.size[0] = size + 1
        while at > 0 and heap[(at - 1) // 2] > score:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = score
    elif score > heap[0]:
        at = 0
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            if child + 1 < size and heap[child + 1] < heap[child]:
                child += 1
            if heap[child] >= score:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = score


@compiled
def _search_rows(
    query: SectorQuery,
    lists: _Lists,
    part: SectorPart,
    allowed: Array,
    scale: MatchScale,
    top: _Top,
    start: IntLike,
    end: IntLike,
    block: IntLike,
    room: _Room,
    matching: MatchRoom,
    out_rows: Array,
    out_scores: Array,
) -> IntLike:
    """Write the rows between two that may be among the best, and return their number."""
    written = 0
    while start < end:
        rows, subtrees = 0, 0
        while rows < block and start + rows < end and subtrees < BLOCK_SUBTREES:
            room.offsets[rows] = subtrees
            subtrees += max(1, part.sizes[start + rows, 1])
            rows += 1
        for node in range(len(query.roots)):
            needed = needed_structure(query, node, scale, _least(top))
            if needed <= query.bounds[node]:
                _search_node(
                    query, node, lists, part, allowed, scale, top, start, rows, needed, room, matching
                )
        least = _least(top)
        for row in range(rows):
            if room.best[row] > 0:
                if room.best[row] * ROUNDING >= least:
                    out_rows[written] = start + row
                    out_scores[written] = room.best[row]
                    written += 1
                room.best[row] = 0.0
        start += rows
        block = min(LAST_BLOCK, 2 * block)
    return written


@compiled
def needed_structure(
    query: SectorQuery, node: IntLike, scale: MatchScale, least: FloatLike
) -> IntLike:
    """Return the structure score with which a match of a node may reach a score.

    With few leaves of the query, the factor for symbols is small; with many, that for the size.
    """
    needed = query.bounds[node] + 1
    for leaves in range(1, query.leaves[node] + 1):
        share = leaves / query.leaves[node]
        limit = scale.sizes[leaves] * symbol_factor(share) * ROUNDING / WEIGHT_SCALE
        if query.leaf_weights[node, leaves] * limit >= least:
            needed = min(needed, np.int64(least / limit))
    return max(1, needed)


@compiled
def _search_node(
    query: SectorQuery,
    node: IntLike,
    lists: _Lists,
    part: SectorPart,
    allowed: Array,
    scale: MatchScale,
    top: _Top,
    start: IntLike,
    rows: IntLike,
    needed: IntLike,
    room: _Room,
    matching: MatchRoom,
) -> None:
    """Compare the subtrees of a block with a node of the query."""
    at, last = query.path_starts[node], query.path_starts[node + 1]
    touched = 0
    while at < last and lists.remaining[at] >= needed and query.path_others[lists.paths[at]] < 0:
        touched = _add_postings(query, lists, at, part, start, rows, room, touched)
        at += 1
    count = 0
    while True:
        rest = lists.remaining[at] if at < last else 0
        rest_leaves = lists.remaining_leaves[at] if at < last else 0
        count = _candidates(
            query.leaves[node], part, allowed, scale, top, start, rest, rest_leaves, room, touched
        )
        if at == last or query.path_others[lists.paths[at]] >= 0:
            break
        postings = (lists.lasts[at] - lists.firsts[at]) * rows // len(part.sizes)
        if count * MATCH_COST <= postings:
            break
        _add_to_touched(query, lists, at, part, start, rows, room)
        at += 1
    for i in range(touched):
        room.sums[room.offsets[room.touched[i] >> 8] + (room.touched[i] & 0xFF)] = 0
    order = np.argsort(-room.bounds[:count])
    for i in order:
        if room.bounds[i] * ROUNDING < _least(top):
            break
        local, root = np.int64(room.candidates[i] >> 8), np.int64(room.candidates[i] & 0xFF)
        if room.bounds[i] * ROUNDING < room.best[local]:
            continue
        row = start + local
        score = match_score(
            query,
            node,
            part.words,
            part.word_starts[row],
            np.int64(part.sizes[row, 1]),
            np.int64(part.sizes[row, 0]),
            root,
            scale,
            matching,
        )
        top.size[1] += 1
        if room.best[local] == 0:
            _add_score(top, score)
        room.best[local] = max(room.best[local], score)


@compiled
def _candidates(
    leaves: IntLike,
    part: SectorPart,
    allowed: Array,
    scale: MatchScale,
    top: _Top,
    start: IntLike,
    rest: IntLike,
    rest_leaves: IntLike,
    room: _Room,
    touched: IntLike,
) -> IntLike:
    """Write the touched subtrees that may be among the best, and return their number."""
    count, least = 0, _least(top) * WEIGHT_SCALE / ROUNDING
    for i in range(touched):
        local = np.int64(room.touched[i] >> 8)
        root = np.int64(room.touched[i] & 0xFF)
        total = room.sums[room.offsets[local] + root]
        share = min(1.0, ((total >> LEAVES_SHIFT) + rest_leaves) / leaves)
        structure = (total & WEIGHT_MASK) + rest
        bound = structure * symbol_factor(share) * scale.sizes[part.sizes[start + local, 0]]
        if bound >= least and allowed[start + local]:
            room.candidates[count] = room.touched[i]
            room.bounds[count] = bound / WEIGHT_SCALE
            count += 1
    return count


@compiled
def _add_postings(
    query: SectorQuery,
    lists: _Lists,
    at: IntLike,
    part: SectorPart,
    start: IntLike,
    rows: IntLike,
    room: _Room,
    touched: IntLike,
) -> IntLike:
    """Add the postings of a path to the sums of a block, and return how many sums have begun."""
    path = lists.paths[at]
    weight = query.path_weights[path] + (1 << LEAVES_SHIFT)
    width = query.path_widths[path]
    last, end = lists.lasts[at], start + rows
    place = _first_posting(part.rows, room.cursors[at], last, start)
    while place < last and part.rows[place] < end:
        payload = part.payloads[place]
        local = np.int64(part.rows[place]) - start
        subtree = room.offsets[local] + np.int64(payload >> 8)
        before = room.sums[subtree]
        room.touched[touched] = (local << 8) | (payload >> 8)
        touched += before == 0
        room.sums[subtree] = before + weight * min(width, np.int64(payload & 0xFF))
        place += 1
    room.cursors[at] = place
    return touched


@compiled
def _add_to_touched(
    query: SectorQuery,
    lists: _Lists,
    at: IntLike,
    part: SectorPart,
    start: IntLike,
    rows: IntLike,
    room: _Room,
) -> None:
    """Add the postings of a path to the sums of a block that have begun."""
    path = lists.paths[at]
    weight = query.path_weights[path] + (1 << LEAVES_SHIFT)
    width = query.path_widths[path]
    last, end = lists.lasts[at], start + rows
    place = _first_posting(part.rows, room.cursors[at], last, start)
    while place < last and part.rows[place] < end:
        payload = part.payloads[place]
        subtree = room.offsets[np.int64(part.rows[place]) - start] + np.int64(payload >> 8)
        if room.sums[subtree]:
            room.sums[subtree] += weight * min(width, np.int64(payload & 0xFF))
        place += 1
    room.cursors[at] = place


@compiled
def _first_posting(rows: Array, place: IntLike, last: IntLike, start: IntLike) -> IntLike:
    """Return the first posting of a row or a later one, searched in growing steps."""
    step = 1
    while place + step < last and rows[place + step] < start:
        place += step
        step *= 2
    end = min(last, place + step)
    while place < end:
        middle = (place + end) // 2
        if rows[middle] < start:
            place = middle + 1
        else:
            end = middle
    return place
