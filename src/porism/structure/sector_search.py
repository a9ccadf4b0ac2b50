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
from porism.compiler import Array, FloatLike, IntLike, compiled, inlined
from porism.formula.features.leaf_paths import MAX_OPERATORS
from porism.structure.sector_match import (
    MatchRoom,
    MatchScale,
    match_room,
    match_score,
    symbol_factor,
)
from porism.structure.sector_query import (
    BOUND,
    FIRST_PATH,
    LEAVES,
    OTHERS,
    WEIGHT,
    WEIGHT_SCALE,
    WIDTH,
    SectorQuery,
)

Places = NDArray[np.int64]
Scores = NDArray[np.float64]

BLOCK = 1 << 14
"""Formulas of a block."""

BLOCK_SUBTREES = 1 << 16
"""Subtrees of a block; a block with more of them is shorter. Their sums stay in the cache."""

CHUNK = 1 << 18
"""Formulas after which a search may be cancelled."""

SEED_ROWS = 1 << 16
"""The first formulas, of which those with the largest bounds give the first score to reach."""

GUESS_DEPTH = 4
"""How many times as many of the first formulas as are needed for a guess are compared in full."""

MATCH_COST = 500
"""What comparing a candidate in full costs, in postings that are added up."""

LEAVES_SHIFT = 40
WEIGHT_MASK = (1 << LEAVES_SHIFT) - 1
"""A sum has the leaves of a subtree that match above the sum of their weights."""

ROUNDING = 1 + 1e-6
"""What a bound may be below the score of a formula, since rankings have scores of 32 bits."""


_NONE = np.int64(0)
"""A literal would have functions that get it compiled once more."""


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


LIST_PATH, FIRST, LAST, REMAINING, REMAINING_LEAVES = range(5)
"""The columns of the postings of each path of a query, those with few first in each node: the
path; where its postings begin and end; the bound of this and all further paths of the node,
wildcards included; and the number of their leaves.
"""


class _Top(NamedTuple):
    """The best scores so far: a heap with the least first, its size, and a score that k reach."""

    heap: Array
    size: Array
    floor: Array


class _Room(NamedTuple):
    """Arrays for the subtrees and formulas of a block."""

    offsets: Array
    """The first subtree of each formula."""
    sums: Array
    """For each subtree what it has of a node of the query; all 0 between nodes."""
    touched: Array
    """The subtrees whose sums have begun: formula, shifted by 8, and root."""
    candidates: Array
    bounds: Array
    best: Array
    """The best score of each formula; all 0 between blocks."""
    cursors: Array
    """How far the postings of each path have been read."""


class _Search(NamedTuple):
    """All that is used to search a part."""

    query: SectorQuery
    scale: MatchScale
    lists: Array
    part: SectorPart
    allowed: Array
    top: _Top
    room: _Room
    matching: MatchRoom


class SectorSearch:
    """A query formula that is searched in the parts of an index, one after another.

    The best scores of one part are a bound for the next. With ``total``, the number of formulas
    in all parts, the score to reach is guessed from the share of formulas seen first: if fewer than
    k reach ``guess`` in the end, the search has to be repeated without ``total``.
    """

    def __init__(self, query: SectorQuery, scale: MatchScale, k: int, total: int = 0) -> None:
        self.query = query
        self.scale = scale
        self.guess = 0.0
        self._total, self._seen = total, 0
        self._top = _Top(np.zeros(max(1, k)), np.zeros(1, np.int64), np.zeros(1))

    def best(
        self,
        part: SectorPart,
        firsts: Places,
        lasts: Places,
        allowed: NDArray[np.uint8],
    ) -> tuple[Places, Scores]:
        """Return rows with their scores: all that may be among the best k, ties included.

        ``firsts`` and ``lasts`` are the postings of each path of the query.
        """
        lists = _lists(self.query, firsts, lasts)
        search = _Search(
            self.query, self.scale, lists, part, allowed, self._top, _room(lists), match_room()
        )
        if self._top.size[0] == 0 and not self.guess:
            seeds = _seeds(search)
            self.guess = _guessed_score(search, seeds, self._total)
            self._top.floor[0] = max(self._top.floor[0], self.guess or _seed_score(search, seeds))
        count = len(part.sizes)
        room = np.empty(min(count, CHUNK), np.int64), np.empty(min(count, CHUNK))
        found: list[tuple[Places, Scores]] = []
        for start in range(0, count, CHUNK):
            deadlines.check()
            size = _search_rows(search, start, min(count, start + CHUNK), *room)
            found.append((room[0][:size].copy(), room[1][:size].copy()))
            self._seen += min(count, start + CHUNK) - start
            self._raise_guess()
        rows = np.concatenate([each for each, _ in found] or [np.empty(0, np.int64)])
        scores = np.concatenate([each for _, each in found] or [np.empty(0)])
        kept = scores * ROUNDING >= _least(self._top)
        return rows[kept], scores[kept]

    def _raise_guess(self) -> None:
        """Guess again, from the best of all formulas seen so far."""
        scores = self._top.heap[: self._top.size[0]]
        rank = _guessed_rank(len(self._top.heap), self._seen, self._total)
        if self.guess and rank < len(scores):
            self.guess = max(self.guess, float(np.sort(scores)[-rank]))
            self._top.floor[0] = max(self._top.floor[0], self.guess)


class _Seeds(NamedTuple):
    """The first formulas: the largest bound of each, and the node and root that it is of."""

    bounds: Scores
    pairs: Places

    def scores(self, search: _Search, count: int) -> Scores:
        """Return the scores of those with the largest bounds; none if there are not so many."""
        scores = np.zeros(count)
        if np.count_nonzero(self.bounds) < count:
            return scores
        rows = np.argpartition(-self.bounds, count - 1)[:count]
        _write_scores(search, rows, self.pairs[rows], scores)
        return scores


def _seeds(search: _Search) -> _Seeds:
    count = min(len(search.part.sizes), SEED_ROWS)
    seeds = _Seeds(np.zeros(count), np.zeros(count, np.int64))
    _write_bounds(search, count, *seeds)
    search.room.cursors[:] = search.lists[:, FIRST]
    return seeds


def _seed_score(search: _Search, seeds: _Seeds) -> float:
    """Return a score that k formulas reach; 0 if there are not so many with sectors of the query.

    Of the first formulas, the k with the largest bounds are compared in full.
    """
    return float(seeds.scores(search, len(search.top.heap)).min())


def _guessed_score(search: _Search, seeds: _Seeds, total: int) -> float:
    """Return a score that k of all formulas probably reach; 0 if there is nothing to guess."""
    k = len(search.top.heap)
    rank = _guessed_rank(k, len(seeds.bounds), total)
    if GUESS_DEPTH * rank >= k:
        return 0.0
    scores = np.sort(seeds.scores(search, GUESS_DEPTH * rank))
    return float(scores[-rank])


def _guessed_rank(k: int, seen: int, total: int) -> int:
    """Return the rank among the formulas seen of one that is certainly not among the best k.

    Formulas are in random order, so of those seen about as large a share is among the best k as
    was seen of all; four standard deviations more are not.
    """
    expected = k * seen / total if total else k
    return int(expected + 4 * expected**0.5 + 4)


def _lists(query: SectorQuery, firsts: Places, lasts: Places) -> Places:
    """Return the table of the postings of each path."""
    lists = np.zeros((len(firsts), 5), np.int64)
    for node in range(len(query.nodes) - 1):
        own = np.arange(query.nodes[node, FIRST_PATH], query.nodes[node + 1, FIRST_PATH])
        part = lists[own[0] : own[-1] + 1]
        # Wildcards, which have no postings, come last.
        own = own[np.lexsort((lasts[own] - firsts[own], query.paths[own, OTHERS] >= 0))]
        part[:, LIST_PATH], part[:, FIRST], part[:, LAST] = own, firsts[own], lasts[own]
        widths = query.paths[own, WIDTH]
        part[:, REMAINING] = np.cumsum((widths * query.paths[own, WEIGHT])[::-1])[::-1]
        part[:, REMAINING_LEAVES] = np.cumsum(widths[::-1])[::-1]
    return lists


def _room(lists: Places) -> _Room:
    subtrees = BLOCK_SUBTREES + MAX_OPERATORS + 1
    return _Room(
        np.empty(BLOCK, np.int64),
        np.zeros(subtrees, np.int64),
        np.empty(subtrees, np.uint32),
        np.empty(subtrees, np.uint32),
        np.empty(subtrees),
        np.zeros(BLOCK),
        lists[:, FIRST].copy(),
    )


@compiled
def _least(top: _Top) -> FloatLike:
    """Return the score that the next formula has to reach."""
    return max(top.floor[0], top.heap[0] if top.size[0] == len(top.heap) else 0.0)


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
def _begin_block(part: SectorPart, start: IntLike, end: IntLike, offsets: Array) -> IntLike:
    """Number the subtrees of a block, and return how many formulas it has."""
    rows, subtrees = 0, 0
    while rows < BLOCK and start + rows < end and subtrees < BLOCK_SUBTREES:
        offsets[rows] = subtrees
        subtrees += max(1, part.sizes[start + rows, 1])
        rows += 1
    return rows


@compiled
def _write_bounds(search: _Search, end: IntLike, bounds: Array, pairs: Array) -> None:
    """Write the largest bound of each row, and the node of the query and the root it is of."""
    query, room, start = search.query, search.room, _NONE
    while start < end:
        rows = _begin_block(search.part, start, end, room.offsets)
        for node in range(len(query.nodes) - 1):
            count = _node_candidates(search, node, start, rows, _NONE)
            for i in range(count):
                row = start + np.int64(room.candidates[i] >> 8)
                if room.bounds[i] > bounds[row]:
                    bounds[row] = room.bounds[i]
                    pairs[row] = node << 8 | np.int64(room.candidates[i] & 0xFF)
        start += rows


@compiled
def _write_scores(search: _Search, rows: Array, pairs: Array, scores: Array) -> None:
    """Write the scores of pairs of a node and a root of some rows."""
    for i in range(len(rows)):
        scores[i] = _pair_score(search, pairs[i] >> 8, rows[i], pairs[i] & 0xFF, 0.0)


@inlined
def _pair_score(
    search: _Search, node: IntLike, row: IntLike, root: IntLike, least: FloatLike
) -> FloatLike:
    part = search.part
    return match_score(
        search.query,
        node,
        part.words,
        part.word_starts[row],
        np.int64(part.sizes[row, 1]),
        np.int64(part.sizes[row, 0]),
        root,
        least,
        search.scale,
        search.matching,
    )


@compiled
def _search_rows(
    search: _Search, start: IntLike, end: IntLike, out_rows: Array, out_scores: Array
) -> IntLike:
    """Write the rows between two that may be among the best, and return their number."""
    query, room, top = search.query, search.room, search.top
    written = 0
    while start < end:
        rows = _begin_block(search.part, start, end, room.offsets)
        for node in range(len(query.nodes) - 1):
            needed = needed_structure(query, node, search.scale, _least(top))
            if needed <= query.nodes[node, BOUND]:
                count = _node_candidates(search, node, start, rows, needed)
                if count:
                    _compare(search, node, start, count)
        least = _least(top)
        for row in range(rows):
            if room.best[row] > 0:
                if room.best[row] * ROUNDING >= least:
                    out_rows[written] = start + row
                    out_scores[written] = room.best[row]
                    written += 1
                room.best[row] = 0.0
        start += rows
    return written


@compiled
def _compare(search: _Search, node: IntLike, start: IntLike, count: IntLike) -> None:
    """Compare the candidates of a block with a node of the query, by descending bounds."""
    room, top = search.room, search.top
    for i in np.argsort(-room.bounds[:count]):
        least = _least(top)
        if room.bounds[i] * ROUNDING < least:
            break
        local, root = np.int64(room.candidates[i] >> 8), np.int64(room.candidates[i] & 0xFF)
        least = max(least, room.best[local])
        if room.bounds[i] * ROUNDING < least:
            continue
        score = _pair_score(search, node, start + local, root, least / ROUNDING)
        if room.best[local] == 0 and score > 0:
            _add_score(top, score)
        room.best[local] = max(room.best[local], score)


@compiled
def needed_structure(
    query: SectorQuery, node: IntLike, scale: MatchScale, least: FloatLike
) -> IntLike:
    """Return the structure score with which a match of a node may reach a score.

    With few leaves of the query, the factor for symbols is small; with many, that for the size.
    """
    needed = query.nodes[node, BOUND] + 1
    for leaves in range(1, query.nodes[node, LEAVES] + 1):
        share = leaves / query.nodes[node, LEAVES]
        limit = scale.sizes[leaves] * symbol_factor(share) * ROUNDING / WEIGHT_SCALE
        if query.leaf_weights[node, leaves] * limit >= least:
            needed = min(needed, np.int64(least / limit))
    return max(1, needed)


@compiled
def _node_candidates(
    search: _Search, node: IntLike, start: IntLike, rows: IntLike, needed: IntLike
) -> IntLike:
    """Write the subtrees of a block that may match a node well enough, with their bounds.

    Returns how many there are.
    """
    query, lists, room = search.query, search.lists, search.room
    at, last = query.nodes[node, FIRST_PATH], query.nodes[node + 1, FIRST_PATH]
    while last > at and query.paths[lists[last - 1, LIST_PATH], OTHERS] >= 0:
        last -= 1  # wildcards
    touched = _NONE
    while at < last and lists[at, REMAINING] >= needed:
        touched = _add_postings(search, at, start, rows, touched)
        at += 1
    # What cannot reach the score now cannot later, so each pass is over what the last one left.
    count = _candidates(search, node, at, start, needed, room.touched, touched)
    while True:
        if at == last:
            break
        postings = (lists[at, LAST] - lists[at, FIRST]) * rows // len(search.part.sizes)
        if count * MATCH_COST <= postings:
            break
        _add_to_touched(search, at, start, rows)
        at += 1
        count = _candidates(search, node, at, start, needed, room.candidates, count)
    for i in range(touched):
        room.sums[room.offsets[room.touched[i] >> 8] + (room.touched[i] & 0xFF)] = 0
    return count


@compiled
def _candidates(
    search: _Search,
    node: IntLike,
    at: IntLike,
    start: IntLike,
    needed: IntLike,
    subtrees: Array,
    size: IntLike,
) -> IntLike:
    """Write those of some subtrees that may be among the best, and return their number.

    The paths of the node from the one at ``at`` on have not been added.
    """
    sums, offsets, bounds = search.room.sums, search.room.offsets, search.room.bounds
    candidates = search.room.candidates
    sizes, factors, allowed = search.part.sizes, search.scale.sizes, search.allowed
    leaves = search.query.nodes[node, LEAVES]
    rest, rest_leaves = 0, 0
    if at < search.query.nodes[node + 1, FIRST_PATH]:
        rest = search.lists[at, REMAINING]
        rest_leaves = search.lists[at, REMAINING_LEAVES]
    count, least = 0, _least(search.top) * WEIGHT_SCALE / ROUNDING
    for i in range(size):
        local = np.int64(subtrees[i] >> 8)
        total = sums[offsets[local] + np.int64(subtrees[i] & 0xFF)]
        if (total & WEIGHT_MASK) + rest < needed:
            continue
        share = min(1.0, ((total >> LEAVES_SHIFT) + rest_leaves) / leaves)
        structure = (total & WEIGHT_MASK) + rest
        bound = structure * symbol_factor(share) * factors[sizes[start + local, 0]]
        if bound >= least and allowed[start + local]:
            candidates[count] = subtrees[i]
            bounds[count] = bound / WEIGHT_SCALE
            count += 1
    return count


@compiled
def _add_postings(
    search: _Search, at: IntLike, start: IntLike, rows: IntLike, touched: IntLike
) -> IntLike:
    """Add the postings of a path to the sums of a block, and return how many sums have begun."""
    posting_rows, payloads = search.part.rows, search.part.payloads
    sums, offsets, subtrees = search.room.sums, search.room.offsets, search.room.touched
    path, last, end = search.lists[at, LIST_PATH], search.lists[at, LAST], start + rows
    weight = search.query.paths[path, WEIGHT] + (1 << LEAVES_SHIFT)
    width = search.query.paths[path, WIDTH]
    place = _first_posting(posting_rows, search.room.cursors[at], last, start)
    while place < last and posting_rows[place] < end:
        local, payload = np.int64(posting_rows[place]) - start, np.int64(payloads[place])
        subtree = offsets[local] + (payload >> 8)
        before = sums[subtree]
        subtrees[touched] = local << 8 | payload >> 8
        touched += before == 0
        sums[subtree] = before + weight * min(width, payload & 0xFF)
        place += 1
    search.room.cursors[at] = place
    return touched


@compiled
def _add_to_touched(search: _Search, at: IntLike, start: IntLike, rows: IntLike) -> None:
    """Add the postings of a path to the sums of a block that have begun."""
    posting_rows, payloads = search.part.rows, search.part.payloads
    sums, offsets = search.room.sums, search.room.offsets
    path, last, end = search.lists[at, LIST_PATH], search.lists[at, LAST], start + rows
    weight = search.query.paths[path, WEIGHT] + (1 << LEAVES_SHIFT)
    width = search.query.paths[path, WIDTH]
    place = _first_posting(posting_rows, search.room.cursors[at], last, start)
    while place < last and posting_rows[place] < end:
        payload = np.int64(payloads[place])
        subtree = offsets[np.int64(posting_rows[place]) - start] + (payload >> 8)
        if sums[subtree]:
            sums[subtree] += weight * min(width, payload & 0xFF)
        place += 1
    search.room.cursors[at] = place


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
