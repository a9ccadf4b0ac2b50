"""Alignment of two packed trees, as the second stage of Tangent-S compares formulas.

The description is that of Tangent-S's re-ranking (Davila and Zanibbi, 2017). What it leaves open is
decided here:

- **Compatible nodes.** Nodes of one label; any two variables; a wildcard and any node. Numbers are
  not unified, because a formula with another constant is another formula.
- **Children in a layout tree.** The symbols on the same edge. A wildcard without rows of its own
  may match several symbols of a row: up to the one that aligns best with its right neighbour, or
  the rest of the row if it is the last; with rows of its own it matches one symbol, together
  with that symbol's rows on other edges.
- **Children in an operator tree.** Under an ordered operator, the operands of the same number;
  under an unordered one, any, the pair with the largest alignment first, then the one with more
  identical labels, then the first in reading order. Operands may remain without partner. A
  wildcard without operands matches a whole subtree.
- **Renaming.** Variables are renamed one to one: the most frequent pair of names first, of equally
  frequent ones identical names, then the first in reading order. Wildcards of one name match
  equal parts: the part that is matched most often. Other pairs are no matches, but what is below
  them may be.
- **Work.** The first ``MAX_ALIGNED`` nodes of each tree are aligned, in reading order; others count
  as not matched. Of all pairs of roots the one with the largest alignment is tried first, and
  those whose alignment is too small to score as high are skipped, which changes no score. At most
  ``MAX_ROOTS`` are tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.structure.packed_trees import (
    NO_PARENT,
    UNORDERED,
    VARIABLE,
    WILDCARD,
    PackedTree,
    PackedTrees,
)
from porism.structure.tree_edit_distance import TreeKind

MAX_ALIGNED = 128
"""Nodes of a tree that are aligned: more than the largest formula of the labs' topics has (118)."""

MAX_ROOTS = 1_000
"""Pairs of roots that are tried; formulas of 50 different variables in a row have that many."""

BATCH = 256
"""Candidates that are aligned between two checks of the deadline."""

_NEXT, _ELEMENT = ord("n"), ord("e")
_NODE = 1 << 10  # an aligned node in a cell of the table; identical labels are counted below it

Scores = NDArray[np.float64]


class AlignedNodes(NamedTuple):
    """Two nodes that are matched, by their places in their packed trees.

    A wildcard is matched with several nodes: there is one pair for each. ``is_renamed`` says that
    another variable replaces that of the query.
    """

    query: int
    result: int
    is_renamed: bool


class _Tree(NamedTuple):
    """A packed tree with what the alignment needs of each node.

    ``first`` and ``following`` are the first child and the next sibling, or -1; ``ends`` is the
    place after the last descendant; ``names`` numbers the distinct variables, -1 for other nodes.
    """

    labels: Array
    parents: Array
    edges: Array
    kinds: Array
    first: Array
    following: Array
    ends: Array
    names: Array


class _Work(NamedTuple):
    """Arrays that are used again for each candidate."""

    table: Array  # by query node and candidate node: nodes of their alignment, identical labels
    partners: Array  # by query node: the candidate node that it is aligned with
    best: Array  # by row: the best column that was free when it was last looked for
    is_taken: Array  # by column
    rows: Array
    columns: Array
    counts: Array  # by query variable and candidate variable
    renamed: Array  # by query variable: the candidate variable
    pairs: Array  # by pair: query node, candidate node, place of the pair above, end of the part
    digests: Array  # by pair: the part that a wildcard matches
    is_match: Array  # by pair
    bounds: Array  # by number of nodes of an alignment: the highest possible similarity


def _new_tree() -> _Tree:
    return _Tree(
        np.zeros(MAX_ALIGNED, np.uint32),
        np.zeros(MAX_ALIGNED, np.int32),
        np.zeros(MAX_ALIGNED, np.uint8),
        np.zeros(MAX_ALIGNED, np.uint8),
        *(np.zeros(MAX_ALIGNED, np.int32) for _ in range(4)),
    )


def _new_work(size: int) -> _Work:
    """Return arrays to align a query of that many nodes."""
    bounds = np.zeros(MAX_ALIGNED + 1)
    for nodes in range(1, MAX_ALIGNED + 1):
        bounds[nodes] = _similarity(nodes, nodes - 1, max(size, nodes))
    return _Work(
        np.zeros((MAX_ALIGNED, MAX_ALIGNED), np.int32),
        *(np.zeros(MAX_ALIGNED, np.int32) for _ in range(2)),
        np.zeros(MAX_ALIGNED, np.uint8),
        *(np.zeros(MAX_ALIGNED, np.int32) for _ in range(2)),
        np.zeros((MAX_ALIGNED, MAX_ALIGNED), np.int32),
        np.zeros(MAX_ALIGNED, np.int32),
        np.zeros((MAX_ALIGNED, 4), np.int32),
        np.zeros(MAX_ALIGNED, np.uint64),
        np.zeros(MAX_ALIGNED, np.uint8),
        bounds,
    )


def alignment_scores(query: PackedTree, candidates: PackedTrees, kind: TreeKind) -> Scores:
    """Return Tangent-S's three scores of each candidate, one row each.

    They are the similarity of the largest common subtree (MSS: the harmonic mean of the shares of
    the query's nodes and edges that are matched, up to renaming), the share of the candidate's
    nodes that are matched, and the share of the query's nodes that are matched without renaming.
    The best alignment has the highest first score, then second, then third. The query is one tree
    of a kind, and is compared with that tree of the candidates.
    """
    count = len(candidates.starts) - 1
    scores = np.zeros((count, 3))
    size = min(len(query.labels), MAX_ALIGNED)
    if not size:
        return scores
    tree, is_layout = _query_tree(query), kind is TreeKind.LAYOUT
    work, other = _new_work(len(query.labels)), _new_tree()
    for first in range(0, count, BATCH):
        deadlines.check()
        last = min(first + BATCH, count)
        _score_batch(
            tree, size, len(query.labels), candidates, first, last, is_layout, other, work, scores
        )
    return scores


def best_alignment(
    query: PackedTree, result: PackedTree, kind: TreeKind
) -> tuple[AlignedNodes, ...]:
    """Return the matched nodes of the alignment that ``alignment_scores`` scores, in order.

    Trees are those of ``packed_tree``; nodes that are not listed are not matched.
    """
    size, other_size = min(len(query.labels), MAX_ALIGNED), min(len(result.labels), MAX_ALIGNED)
    if not size or not other_size:
        return ()
    one, other, is_layout = _query_tree(query), _query_tree(result), kind is TreeKind.LAYOUT
    work = _new_work(len(query.labels))
    scores = np.zeros(5)
    sizes = np.array([len(query.labels), len(result.labels)])
    _align(one, size, other, other_size, sizes, is_layout, work, scores)
    root, other_root = int(scores[3]), int(scores[4])
    if scores[0] <= 0:
        return ()
    count = _walk(one, other, work, root, other_root, is_layout)
    _match(one, other, work, count)
    matched: list[AlignedNodes] = []
    for pair in np.flatnonzero(work.is_match[:count]).tolist():
        node, first, _, end = work.pairs[pair].tolist()
        is_renamed = one.kinds[node] == VARIABLE and one.labels[node] != other.labels[first]
        matched += (
            AlignedNodes(node, place, bool(is_renamed))
            for place in range(first, end)
            if _is_in_part(one, other, node, first, place)
        )
    return tuple(sorted(matched))


def _query_tree(query: PackedTree) -> _Tree:
    tree = _new_tree()
    size = min(len(query.labels), MAX_ALIGNED)
    for own, given in zip(tree[:4], query, strict=True):
        own[:size] = given[:size]
    _link(tree, size)
    return tree


@compiled
def _score_batch(
    query: _Tree,
    size: IntLike,
    whole: IntLike,
    candidates: PackedTrees,
    first: IntLike,
    last: IntLike,
    is_layout: bool,
    other: _Tree,
    work: _Work,
    scores: Array,
) -> None:
    best = np.zeros(5)
    sizes = np.zeros(2, np.int64)
    sizes[0] = whole
    for place in range(first, last):
        start, end = candidates.starts[place], candidates.starts[place + 1]
        if start == end:
            continue
        head = candidates.numbers[start]
        nodes = np.int64(head & np.uint64(0xFFFFFFFF))
        start += 1
        if not is_layout:
            start += nodes
            nodes = np.int64(head >> np.uint64(32))
        sizes[1] = nodes
        used = min(nodes, MAX_ALIGNED)
        _unpack(candidates.numbers[start : start + used], other)
        _link(other, used)
        _align(query, size, other, used, sizes, is_layout, work, best)
        scores[place, :] = best[:3]


@compiled
def _unpack(numbers: Array, tree: _Tree) -> None:
    """Write the nodes of a stored tree to arrays."""
    for place in range(len(numbers)):
        number = numbers[place]
        tree.labels[place] = number & np.uint64(0xFFFFFFFF)
        parent = np.int64((number >> np.uint64(32)) & np.uint64(0xFFFF))
        tree.parents[place] = -1 if parent == NO_PARENT else parent
        tree.edges[place] = (number >> np.uint64(48)) & np.uint64(0xFF)
        tree.kinds[place] = number >> np.uint64(56)


@compiled
def _link(tree: _Tree, size: IntLike) -> None:
    """Fill in what is derived from labels and parents."""
    for place in range(size):
        tree.first[place] = tree.following[place] = tree.names[place] = -1
        tree.ends[place] = place + 1
    for place in range(size - 1, -1, -1):
        parent = tree.parents[place]
        if parent >= 0:
            tree.following[place] = tree.first[parent]
            tree.first[parent] = place
            tree.ends[parent] = max(tree.ends[parent], tree.ends[place])
    count = 0
    for place in range(size):
        if tree.kinds[place] == VARIABLE and tree.names[place] < 0:
            label = tree.labels[place]
            for same in range(place, size):
                if tree.labels[same] == label and tree.kinds[same] == VARIABLE:
                    tree.names[same] = count
            count += 1


@compiled
def _align(
    query: _Tree,
    size: IntLike,
    other: _Tree,
    other_size: IntLike,
    sizes: Array,
    is_layout: bool,
    work: _Work,
    best: Array,
) -> None:
    """Write the scores of the best alignment and its two roots to ``best``.

    ``sizes`` are those of the whole trees, of which the arrays may have only a part.
    """
    best[:] = 0.0
    largest = root = other_root = 0
    # Passing trees to a function costs more than comparing two nodes, so most of it is done here.
    labels, kinds, table = other.labels, other.kinds, work.table
    for one in range(size - 1, -1, -1):
        label, kind, is_leaf = query.labels[one], query.kinds[one], query.first[one] < 0
        for two in range(other_size - 1, -1, -1):
            is_same = label == labels[two] and kind == kinds[two]
            value = 0
            if is_same or kind == WILDCARD or (kind == VARIABLE and kinds[two] == VARIABLE):
                value = _NODE + (1 if is_same else 0)
                if not is_leaf:
                    value += _match_children(query, other, work, one, two, is_layout)
            table[one, two] = value
            if value >= largest:
                largest, root, other_root = value, one, two
    if not largest:
        return
    tried = 1
    _try_roots(query, other, work, root, other_root, sizes, is_layout, best)
    for one in range(size):
        for two in range(other_size):
            nodes = work.table[one, two] // _NODE
            if not nodes or work.bounds[nodes] < best[0] or (one == root and two == other_root):
                continue
            if tried >= MAX_ROOTS:
                return
            tried += 1
            _try_roots(query, other, work, one, two, sizes, is_layout, best)


@compiled
def _match_children(
    query: _Tree, other: _Tree, work: _Work, one: IntLike, two: IntLike, is_layout: bool
) -> IntLike:
    """Write the partners of a node's children; return the size of their alignments.

    The cells of the table for their descendants are known.
    """
    if not is_layout and query.kinds[one] == UNORDERED:
        return _match_operands(query, other, work, one, two)
    value = 0
    child = query.first[one]
    while child >= 0:
        partner = _partner_on_edge(query, other, work, one, two, child, is_layout)
        work.partners[child] = partner
        if partner >= 0:
            value += work.table[child, partner]
        child = query.following[child]
    return value


@compiled
def _child_on(tree: _Tree, node: IntLike, edge: IntLike) -> IntLike:
    child = tree.first[node]
    while child >= 0 and tree.edges[child] != edge:
        child = tree.following[child]
    return child


@compiled
def _is_open(tree: _Tree, node: IntLike) -> bool:
    """Whether a node is a wildcard that may match several symbols of a row."""
    if tree.kinds[node] != WILDCARD:
        return False
    child = tree.first[node]
    while child >= 0:
        if tree.edges[child] != _NEXT and tree.edges[child] != _ELEMENT:
            return False
        child = tree.following[child]
    return True


@compiled
def _partner_on_edge(
    query: _Tree,
    other: _Tree,
    work: _Work,
    one: IntLike,
    two: IntLike,
    child: IntLike,
    is_layout: bool,
) -> IntLike:
    """Return the node on the same edge as a child, or -1 if it is not compatible."""
    edge = query.edges[child]
    node = _child_on(other, two, edge)
    partner = -1
    value = 0
    may_skip = is_layout and edge == _NEXT and _is_open(query, one)
    while node >= 0:
        if work.table[child, node] > value:
            partner, value = node, work.table[child, node]
        if not may_skip:
            break
        node = _child_on(other, node, _NEXT)
    return partner


@compiled
def _match_operands(query: _Tree, other: _Tree, work: _Work, one: IntLike, two: IntLike) -> IntLike:
    """Match the operands of unordered operators; return the size of their alignments."""
    rows = columns = 0
    child = query.first[one]
    while child >= 0:
        work.rows[rows] = child
        rows += 1
        child = query.following[child]
    child = other.first[two]
    while child >= 0:
        work.columns[columns] = child
        columns += 1
        child = other.following[child]
    return _match_greedily(
        work.table, work.rows[:rows], work.columns[:columns], work, work.partners
    )


@compiled
def _match_greedily(
    values: Array, rows: Array, columns: Array, work: _Work, partners: Array
) -> IntLike:
    """Write the column of each row to ``partners``, or -1, one to one; return the sum of values.

    The pair with the largest value is taken first, then the one with the first row, then column.
    """
    for column in columns:
        work.is_taken[column] = 0
    for row in rows:
        partners[row] = -1
        work.best[row] = _best_free(values, row, columns, work.is_taken)
    total = 0
    while True:
        best_row, best_value = -1, 0
        for row in rows:
            column = work.best[row]
            if partners[row] < 0 and column >= 0 and values[row, column] > best_value:
                best_row, best_value = row, values[row, column]
        if best_row < 0:
            return total
        column = work.best[best_row]
        # The value of a taken column is a bound for the row until its best free one is needed.
        if work.is_taken[column]:
            work.best[best_row] = _best_free(values, best_row, columns, work.is_taken)
            continue
        partners[best_row] = column
        work.is_taken[column] = 1
        total += best_value


@compiled
def _best_free(values: Array, row: IntLike, columns: Array, is_taken: Array) -> IntLike:
    best, best_value = -1, 0
    for column in columns:
        if values[row, column] > best_value and not is_taken[column]:
            best, best_value = column, values[row, column]
    return best


@compiled
def _walk(
    query: _Tree, other: _Tree, work: _Work, root: IntLike, other_root: IntLike, is_layout: bool
) -> IntLike:
    """List the pairs of the alignment with these roots; return their number."""
    pairs = work.pairs
    pairs[0, 0], pairs[0, 1], pairs[0, 2] = root, other_root, -1
    count, place = 1, 0
    while place < count:
        one, two = pairs[place, 0], pairs[place, 1]
        _match_children(query, other, work, one, two, is_layout)
        pairs[place, 3] = two + 1
        if query.kinds[one] == WILDCARD:
            pairs[place, 3] = _part_end(query, other, work, one, two, is_layout)
        child = query.first[one]
        while child >= 0:
            partner = work.partners[child]
            if partner >= 0:
                pairs[count, 0], pairs[count, 1], pairs[count, 2] = child, partner, place
                count += 1
            child = query.following[child]
        place += 1
    return count


@compiled
def _part_end(
    query: _Tree, other: _Tree, work: _Work, one: IntLike, two: IntLike, is_layout: bool
) -> IntLike:
    """Return the place after the part that a wildcard matches, which begins at ``two``."""
    if not is_layout:
        return two + 1 if query.first[one] >= 0 else other.ends[two]
    after = _child_on(query, one, _NEXT)
    if after >= 0 and work.partners[after] >= 0:
        return work.partners[after]
    if after >= 0 or not _is_open(query, one):
        symbol = _child_on(other, two, _NEXT)
        if symbol >= 0:
            return symbol
    cell = _child_on(other, two, _ELEMENT)
    return cell if cell >= 0 else other.ends[two]


@compiled
def _is_in_part(query: _Tree, other: _Tree, one: IntLike, two: IntLike, place: IntLike) -> bool:
    """Whether a wildcard matches a node between the ends of its part.

    Rows that are aligned with the wildcard's own rows are in between, but do not belong to it.
    """
    if query.first[one] < 0:
        return True
    while place > two and other.parents[place] != two:
        place = other.parents[place]
    edge = other.edges[place]
    return place == two or edge == _NEXT or _child_on(query, one, edge) < 0


@compiled
def _match(query: _Tree, other: _Tree, work: _Work, count: IntLike) -> None:
    """Decide which pairs of an alignment match, by renaming variables and binding wildcards."""
    pairs = work.pairs
    rows = columns = 0
    for pair in range(count):
        name = query.names[pairs[pair, 0]]
        if name >= 0:
            rows, columns = max(rows, name + 1), max(columns, other.names[pairs[pair, 1]] + 1)
    work.counts[:rows, :columns] = 0
    for pair in range(count):
        one, two = pairs[pair, 0], pairs[pair, 1]
        if query.names[one] >= 0:
            same = work.counts[query.names[one], other.names[two]]
            # Two for each occurrence, and one if the names are identical.
            same += 2 if same else 2 + (query.labels[one] == other.labels[two])
            work.counts[query.names[one], other.names[two]] = same
    for row in range(rows):
        work.rows[row] = row
    for column in range(columns):
        work.columns[column] = column
    _match_greedily(work.counts, work.rows[:rows], work.columns[:columns], work, work.renamed)
    for pair in range(count):
        one, two = pairs[pair, 0], pairs[pair, 1]
        name = query.names[one]
        work.is_match[pair] = name < 0 or work.renamed[name] == other.names[two]
        if query.kinds[one] == WILDCARD:
            work.digests[pair] = _digest(query, other, one, two, pairs[pair, 3])
    _bind_wildcards(query, work, count)


@compiled
def _digest(query: _Tree, other: _Tree, one: IntLike, first: IntLike, end: IntLike) -> IntLike:
    """Return a number for the part that a wildcard matches, equal for equal parts."""
    digest = np.uint64(0)
    for place in range(first, end):
        if not _is_in_part(query, other, one, first, place):
            continue
        node = np.uint64(other.labels[place])
        if place > first:
            depth, above = 1, other.parents[place]
            while above > first:
                depth, above = depth + 1, other.parents[above]
            edge = np.uint64(other.edges[place])
            node |= (np.uint64(depth) << np.uint64(40)) | (edge << np.uint64(32))
        digest = (digest ^ node) * np.uint64(0x9E3779B97F4A7C15)
        digest ^= digest >> np.uint64(29)
    return digest


@compiled
def _bind_wildcards(query: _Tree, work: _Work, count: IntLike) -> None:
    """Keep of the wildcards of one name those that match the most frequent part."""
    pairs = work.pairs
    for pair in range(count):
        node = pairs[pair, 0]
        if query.kinds[node] != WILDCARD:
            continue
        own = _times_bound(query, work, count, pair)
        for rival in range(count):
            place = pairs[rival, 0]
            if query.kinds[place] != WILDCARD or query.labels[place] != query.labels[node]:
                continue
            if work.digests[rival] == work.digests[pair]:
                continue
            times = _times_bound(query, work, count, rival)
            if times > own or (times == own and _first_bound(query, work, count, rival, pair)):
                work.is_match[pair] = 0
                break


@compiled
def _times_bound(query: _Tree, work: _Work, count: IntLike, pair: IntLike) -> IntLike:
    """Return how often a wildcard matches the part that it matches here."""
    times = 0
    label = query.labels[work.pairs[pair, 0]]
    for each in range(count):
        node = work.pairs[each, 0]
        if query.kinds[node] == WILDCARD and query.labels[node] == label:
            times += work.digests[each] == work.digests[pair]
    return times


@compiled
def _first_bound(query: _Tree, work: _Work, count: IntLike, one: IntLike, two: IntLike) -> bool:
    """Whether the part of one pair is matched earlier in reading order than that of another."""
    label = query.labels[work.pairs[one, 0]]
    earliest = earliest_other = MAX_ALIGNED
    for each in range(count):
        node = work.pairs[each, 0]
        if query.kinds[node] == WILDCARD and query.labels[node] == label:
            if work.digests[each] == work.digests[one]:
                earliest = min(earliest, node)
            if work.digests[each] == work.digests[two]:
                earliest_other = min(earliest_other, node)
    return earliest < earliest_other


@compiled
def _try_roots(
    query: _Tree,
    other: _Tree,
    work: _Work,
    root: IntLike,
    other_root: IntLike,
    sizes: Array,
    is_layout: bool,
    best: Array,
) -> None:
    """Write the scores of the alignment with these roots to ``best`` if it is better."""
    count = _walk(query, other, work, root, other_root, is_layout)
    _match(query, other, work, count)
    nodes = edges = results = exact = 0
    for pair in range(count):
        if not work.is_match[pair]:
            continue
        one, two = work.pairs[pair, 0], work.pairs[pair, 1]
        above = work.pairs[pair, 2]
        nodes += 1
        edges += above >= 0 and work.is_match[above]
        if query.kinds[one] == WILDCARD:
            exact += 1
            for place in range(two, work.pairs[pair, 3]):
                results += _is_in_part(query, other, one, two, place)
        else:
            exact += query.labels[one] == other.labels[two]
            results += 1
    similarity = _similarity(nodes, edges, sizes[0])
    precision, recall = results / sizes[1], exact / sizes[0]
    # In reading order a root has a smaller number, and of equal alignments the first is the best.
    values = (similarity, precision, recall, float(-root), float(-other_root))
    if values <= (best[0], best[1], best[2], -best[3], -best[4]):
        return
    best[0], best[1], best[2], best[3], best[4] = similarity, precision, recall, root, other_root


@compiled
def _similarity(nodes: IntLike, edges: IntLike, size: IntLike) -> FloatLike:
    """Return the harmonic mean of the matched shares of nodes and edges of a query."""
    if not nodes:
        return 0.0
    node_recall = nodes / size
    if size == 1:
        edge_recall = 1.0
    elif edges:
        edge_recall = edges / (size - 1)
    else:
        edge_recall = 0.5 / (size - 1)
    return 2 * node_recall * edge_recall / (node_recall + edge_recall)
