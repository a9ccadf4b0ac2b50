"""The overlap of bags of nodes and of symbol pairs of two packed trees, compiled.

These are features of learned rankers, which compare a query formula with a thousand candidates:
Dice's coefficient (F1) of the bags of labels, and of the bags of symbol pairs with a window of two
steps and the ends of rows, as Tangent-CFT has them. In *typed* bags a node counts as its kind, so
that all variables are equal; symbols without a kind keep their labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.compiler import Array, IntLike, compiled
from porism.structure.packed_trees import NO_PARENT, UNORDERED, PackedTree, PackedTrees
from porism.structure.tree_edit_distance import TreeKind

AT_ONCE = 256
"""Trees that are compared between two looks at the deadline."""

PAIRS, NODES = 0, 1
"""The columns of ``bag_overlaps``."""

_NEXT = ord("n")
_TYPED = np.uint64(1 << 32)
_KEYS_PER_NODE = 3  # two pairs with nodes above, and the end of a row


class _Nodes(NamedTuple):
    """A tree as compiled loops read it; ``is_followed`` says whether a row goes on after a node."""

    labels: Array
    parents: Array
    edges: Array
    kinds: Array
    is_followed: Array


def bag_overlaps(
    query: PackedTree, stored: PackedTrees, kind: TreeKind, is_typed: bool = False
) -> NDArray[np.float64]:
    """Return the overlap of a query tree with one tree of each stored formula, from 0 to 1.

    The first column is for symbol pairs, the second for nodes. Wildcards of a query equal nothing.
    """
    count = len(stored.starts) - 1
    overlaps = np.zeros((count, 2))
    size = len(query.labels)
    most = max(size, int(np.diff(stored.starts).max(initial=0)))
    tree = _Nodes(
        np.zeros(most, np.uint64),
        np.zeros(most, np.int64),
        np.zeros(most, np.uint64),
        np.zeros(most, np.uint8),
        np.zeros(most, np.uint8),
    )
    for own, given in zip(tree, query, strict=False):
        own[:size] = given
    keys = np.zeros((2, _KEYS_PER_NODE * size), np.uint64)
    sizes = [
        _write_keys(tree, size, int(kind), is_typed, column, keys[column]) for column in (0, 1)
    ]
    pairs, nodes = np.sort(keys[0, : sizes[0]]), np.sort(keys[1, : sizes[1]])
    for first in range(0, count, AT_ONCE):
        deadlines.check()
        last = min(first + AT_ONCE, count)
        part = stored.starts[first : last + 1]
        _write_overlaps(
            pairs, nodes, stored.numbers, part, int(kind), is_typed, tree, overlaps[first:last]
        )
    return overlaps


@compiled
def _write_overlaps(
    pairs: Array,
    nodes: Array,
    numbers: Array,
    starts: Array,
    tree_kind: IntLike,
    is_typed: bool,
    tree: _Nodes,
    overlaps: Array,
) -> None:
    keys = np.empty(_KEYS_PER_NODE * len(tree.labels), np.uint64)
    for row in range(len(starts) - 1):
        if starts[row] == starts[row + 1]:
            continue
        head = numbers[starts[row]]
        size = np.int64(head & np.uint64(0xFFFFFFFF))
        first = starts[row] + 1
        if tree_kind != 0:
            first += size
            size = np.int64(head >> np.uint64(32))
        for place in range(size):
            number = numbers[first + place]
            parent = np.int64((number >> np.uint64(32)) & np.uint64(NO_PARENT))
            tree.labels[place] = number & np.uint64(0xFFFFFFFF)
            tree.parents[place] = -1 if parent == NO_PARENT else parent
            tree.edges[place] = (number >> np.uint64(48)) & np.uint64(0xFF)
            tree.kinds[place] = number >> np.uint64(56)
        for column in range(2):
            count = _write_keys(tree, size, tree_kind, is_typed, column, keys)
            own = keys[:count]
            own.sort()
            overlaps[row, column] = _dice(pairs if column == 0 else nodes, own)


@compiled
def _write_keys(
    tree: _Nodes, size: IntLike, tree_kind: IntLike, is_typed: bool, column: IntLike, keys: Array
) -> IntLike:
    """Write the keys of a tree's nodes or symbol pairs; return their number."""
    if column == 1:
        for place in range(size):
            keys[place] = _name(tree, place, is_typed)
        return size
    for place in range(size):
        tree.is_followed[place] = 0
    for place in range(size):
        if tree.parents[place] >= 0 and (tree_kind != 0 or tree.edges[place] == _NEXT):
            tree.is_followed[tree.parents[place]] = 1
    count = 0
    for place in range(size):
        name = _name(tree, place, is_typed)
        path = np.uint64(0)
        above = place
        for _ in range(2):
            parent = tree.parents[above]
            if parent < 0:
                break
            is_unordered = tree_kind != 0 and tree.kinds[parent] == UNORDERED
            step = np.uint64(1) if is_unordered else tree.edges[above] + np.uint64(1)
            path = (path << np.uint64(9)) | step
            keys[count] = _pair_key(_name(tree, parent, is_typed), name, path)
            count += 1
            above = parent
        if not tree.is_followed[place]:
            keys[count] = _pair_key(name, np.uint64(0), np.uint64(0))
            count += 1
    return count


@compiled
def _name(tree: _Nodes, place: IntLike, is_typed: bool) -> IntLike:
    kind = tree.kinds[place]
    return _TYPED | np.uint64(kind) if is_typed and kind else tree.labels[place]


@compiled
def _pair_key(above: IntLike, below: IntLike, path: IntLike) -> IntLike:
    key = (above + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    key = ((key ^ (key >> np.uint64(32))) + below) * np.uint64(0xC2B2AE3D27D4EB4F)
    key = ((key ^ (key >> np.uint64(29))) + path) * np.uint64(0x165667B19E3779F9)
    return key ^ (key >> np.uint64(32))


@compiled
def _dice(one: Array, other: Array) -> float:
    """Return the overlap of two ascending bags."""
    if not len(one) or not len(other):
        return 0.0
    shared = first = second = 0
    while first < len(one) and second < len(other):
        if one[first] == other[second]:
            shared += 1
            first += 1
            second += 1
        elif one[first] < other[second]:
            first += 1
        else:
            second += 1
    return 2.0 * shared / (len(one) + len(other))
