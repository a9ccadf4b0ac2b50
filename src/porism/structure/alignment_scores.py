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
from porism.structure.alignment_matches import (
    AlignmentWork,
    is_in_part,
    match_greedily,
    match_pairs,
)
from porism.structure.linked_trees import (
    ELEMENT,
    MAX_ALIGNED,
    NEXT,
    LinkedTree,
    child_on,
    empty_tree,
    link,
    linked_tree,
    unpack,
)
from porism.structure.packed_trees import (
    UNORDERED,
    VARIABLE,
    WILDCARD,
    PackedTree,
    PackedTrees,
)
from porism.structure.tree_edit_distance import TreeKind

MAX_ROOTS = 1_000
"""Pairs of roots that are tried; formulas of 50 different variables in a row have that many."""

BATCH = 256
"""Candidates that are aligned between two checks of the deadline."""

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


def _new_work(size: int) -> AlignmentWork:
    """Return arrays to align a query of that many nodes."""
    bounds = np.zeros(MAX_ALIGNED + 1)
    for nodes in range(1, MAX_ALIGNED + 1):
        bounds[nodes] = _similarity(nodes, nodes - 1, max(size, nodes))

    def zeros(*shape: int, kind: type[np.generic] = np.int32) -> Array:
        return np.zeros(shape, kind)

    return AlignmentWork(
        table=zeros(MAX_ALIGNED, MAX_ALIGNED),
        in_row=zeros(MAX_ALIGNED, MAX_ALIGNED),
        partners=zeros(MAX_ALIGNED),
        best=zeros(MAX_ALIGNED),
        is_taken=zeros(MAX_ALIGNED, kind=np.uint8),
        rows=zeros(MAX_ALIGNED),
        columns=zeros(MAX_ALIGNED),
        counts=zeros(MAX_ALIGNED, MAX_ALIGNED),
        renamed=zeros(MAX_ALIGNED),
        pairs=zeros(MAX_ALIGNED, 4),
        digests=zeros(MAX_ALIGNED, kind=np.uint64),
        is_match=zeros(MAX_ALIGNED, kind=np.uint8),
        bounds=bounds,
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
    tree, is_layout = linked_tree(query), kind is TreeKind.LAYOUT
    work, other = _new_work(len(query.labels)), empty_tree()
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
    one, other, is_layout = linked_tree(query), linked_tree(result), kind is TreeKind.LAYOUT
    work = _new_work(len(query.labels))
    scores = np.zeros(5)
    sizes = np.array([len(query.labels), len(result.labels)])
    _align(one, size, other, other_size, sizes, is_layout, work, scores)
    root, other_root = int(scores[3]), int(scores[4])
    if scores[0] <= 0:
        return ()
    count = _walk(one, other, work, root, other_root, is_layout)
    match_pairs(one, other, work, count)
    matched: list[AlignedNodes] = []
    for pair in np.flatnonzero(work.is_match[:count]).tolist():
        node, first, _, end = work.pairs[pair].tolist()
        is_renamed = one.kinds[node] == VARIABLE and one.labels[node] != other.labels[first]
        matched += (
            AlignedNodes(node, place, bool(is_renamed))
            for place in range(first, end)
            if is_in_part(one, other, node, first, place)
        )
    return tuple(sorted(matched))


@compiled
def _score_batch(
    query: LinkedTree,
    size: IntLike,
    whole: IntLike,
    candidates: PackedTrees,
    first: IntLike,
    last: IntLike,
    is_layout: bool,
    other: LinkedTree,
    work: AlignmentWork,
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
        unpack(candidates.numbers[start : start + used], other)
        link(other, used)
        _align(query, size, other, used, sizes, is_layout, work, best)
        scores[place, :] = best[:3]


@compiled
def _align(
    query: LinkedTree,
    size: IntLike,
    other: LinkedTree,
    other_size: IntLike,
    sizes: Array,
    is_layout: bool,
    work: AlignmentWork,
    best: Array,
) -> None:
    """Write the scores of the best alignment and its two roots to ``best``.

    ``sizes`` are those of the whole trees, of which the arrays may have only a part.
    """
    best[:] = 0.0
    _fill_table(query, size, other, other_size, is_layout, work)
    largest = root = other_root = 0
    for one in range(size):
        for two in range(other_size):
            if work.table[one, two] > largest:
                largest, root, other_root = work.table[one, two], one, two
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
def _fill_table(
    query: LinkedTree,
    size: IntLike,
    other: LinkedTree,
    other_size: IntLike,
    is_layout: bool,
    work: AlignmentWork,
) -> None:
    """Write the sizes of the alignments with all pairs of roots; 0 if they are not compatible.

    Children come before their parents. Passing trees to a function costs more than comparing two
    nodes, so what ``_match_children`` does for nodes on the same edges is repeated here.
    """
    labels, kinds, edges = other.labels, other.kinds, other.edges
    firsts, followers, table = other.first, other.following, work.table
    for one in range(size - 1, -1, -1):
        label, kind = query.labels[one], query.kinds[one]
        is_unordered = not is_layout and kind == UNORDERED
        is_open = is_layout and query.is_open[one]
        for two in range(other_size - 1, -1, -1):
            is_same = label == labels[two] and kind == kinds[two]
            if not (is_same or kind == WILDCARD or (kind == VARIABLE and kinds[two] == VARIABLE)):
                table[one, two] = 0
                continue
            value = _NODE + (1 if is_same else 0)
            child = query.first[one]
            if is_unordered and child >= 0:
                value += _match_operands(query, other, work, one, two)
                child = -1
            while child >= 0:
                edge = query.edges[child]
                node = firsts[two]
                while node >= 0 and edges[node] != edge:
                    node = followers[node]
                if node >= 0 and is_open and edge == NEXT:
                    node = work.in_row[child, node]
                if node >= 0:
                    value += table[child, node]
                child = query.following[child]
            table[one, two] = value
        if is_layout and query.edges[one] == NEXT and query.is_open[query.parents[one]]:
            _find_partners_in_rows(other, other_size, work, one)


@compiled
def _match_children(
    query: LinkedTree,
    other: LinkedTree,
    work: AlignmentWork,
    one: IntLike,
    two: IntLike,
    is_layout: bool,
) -> None:
    """Write the partners of the children of two aligned nodes."""
    if not is_layout and query.kinds[one] == UNORDERED:
        _match_operands(query, other, work, one, two)
        return
    child = query.first[one]
    while child >= 0:
        edge = query.edges[child]
        node = child_on(other, two, edge)
        if node >= 0 and is_layout and edge == NEXT and query.is_open[one]:
            node = work.in_row[child, node]
        elif node >= 0 and not work.table[child, node]:
            node = -1
        work.partners[child] = node
        child = query.following[child]


@compiled
def _find_partners_in_rows(
    other: LinkedTree, other_size: IntLike, work: AlignmentWork, node: IntLike
) -> None:
    """Write for each symbol the best partner of a query node from there on in its row, or -1."""
    for place in range(other_size - 1, -1, -1):
        partner: IntLike = place if work.table[node, place] else -1
        following = child_on(other, place, NEXT)
        if following >= 0:
            later = work.in_row[node, following]
            if later >= 0 and (partner < 0 or work.table[node, later] > work.table[node, partner]):
                partner = later
        work.in_row[node, place] = partner


@compiled
def _match_operands(
    query: LinkedTree, other: LinkedTree, work: AlignmentWork, one: IntLike, two: IntLike
) -> IntLike:
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
    return match_greedily(work.table, work.rows[:rows], work.columns[:columns], work, work.partners)


@compiled
def _walk(
    query: LinkedTree,
    other: LinkedTree,
    work: AlignmentWork,
    root: IntLike,
    other_root: IntLike,
    is_layout: bool,
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
    query: LinkedTree,
    other: LinkedTree,
    work: AlignmentWork,
    one: IntLike,
    two: IntLike,
    is_layout: bool,
) -> IntLike:
    """Return the place after the part that a wildcard matches, which begins at ``two``."""
    if not is_layout:
        return two + 1 if query.first[one] >= 0 else other.ends[two]
    after = child_on(query, one, NEXT)
    if after >= 0 and work.partners[after] >= 0:
        return work.partners[after]
    if after >= 0 or not query.is_open[one]:
        symbol = child_on(other, two, NEXT)
        if symbol >= 0:
            return symbol
    cell = child_on(other, two, ELEMENT)
    return cell if cell >= 0 else other.ends[two]


@compiled
def _try_roots(
    query: LinkedTree,
    other: LinkedTree,
    work: AlignmentWork,
    root: IntLike,
    other_root: IntLike,
    sizes: Array,
    is_layout: bool,
    best: Array,
) -> None:
    """Write the scores of the alignment with these roots to ``best`` if it is better."""
    count = _walk(query, other, work, root, other_root, is_layout)
    match_pairs(query, other, work, count)
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
                results += is_in_part(query, other, one, two, place)
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
