"""Tree edit distances of one query tree to many stored trees, compiled.

The distance is the least cost of deleting nodes of the query, inserting nodes of the other tree and
renaming nodes, in ordered trees (Zhang and Shasha 1989). Edges have no labels, as in the systems
that introduced it for formulas, and the right neighbour of a symbol is its last child.

Zhang-Shasha is quick where deep paths lead through first children, and slow on layout trees, where
they lead through last ones. Mirroring both trees changes the work and not the distance, so each
pair is computed in the form that needs fewer cells; APTED chooses among more forms, which trees of
formulas do not need.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.compiler import Array, IntLike, compiled
from porism.structure.packed_trees import NO_PARENT, WILDCARD, PackedTree, PackedTrees

MAX_CELLS = 1 << 20
"""Cells that one distance may take: three milliseconds, and enough for two real formulas of 200
symbols; those of the labs' topics need a tenth with any formula.

Of a larger pair only the first nodes are compared, and the others deleted and inserted, which gives
an upper bound of the distance.
"""

AT_ONCE = 64
"""Trees that are compared between two looks at the deadline."""

_ROOT = -1
_ANY = -2
_TYPED = 1 << 32


class TreeKind(IntEnum):
    """Which of the two trees of a stored formula is compared."""

    LAYOUT = 0
    OPERATORS = 1


class EditCosts(NamedTuple):
    """What it costs to delete a node of the query, to insert one of the other tree, to rename."""

    delete: int
    insert: int
    rename: int


UNIT_COSTS = EditCosts(1, 1, 1)


class EditDistances(NamedTuple):
    """The distance of the query to each tree, and the number of nodes of that.

    ``is_bound`` says of each whether it is only an upper bound, see ``MAX_CELLS``.
    """

    distances: NDArray[np.float64]
    sizes: NDArray[np.int64]
    is_bound: NDArray[np.bool_]


def edit_distances(
    query: PackedTree,
    stored: PackedTrees,
    kind: TreeKind,
    costs: EditCosts = UNIT_COSTS,
    is_typed: bool = False,
) -> EditDistances:
    """Return the distance of a query tree to one of the trees of each stored formula.

    If ``is_typed``, nodes of the same kind are equal, such as all variables; the symbols without a
    kind are still compared by their labels. A wildcard of the query equals any node.
    """
    count = len(stored.starts) - 1
    distances = np.zeros(count, np.float64)
    sizes = np.zeros(count, np.int64)
    is_bound = np.zeros(count, np.bool_)
    names, parents = _query_names(query, is_typed), query.parents.astype(np.int64)
    for first in range(0, count, AT_ONCE):
        deadlines.check()
        last = min(first + AT_ONCE, count)
        _write_distances(
            names,
            parents,
            stored.numbers,
            stored.starts[first : last + 1],
            int(kind),
            is_typed,
            np.array(costs, np.int64),
            MAX_CELLS,
            distances[first:last],
            sizes[first:last],
            is_bound[first:last],
        )
    return EditDistances(distances, sizes, is_bound)


def edit_distance(
    query: PackedTree, other: PackedTree, costs: EditCosts = UNIT_COSTS, is_typed: bool = False
) -> float:
    """Return the distance of two trees."""
    nodes = [
        label | (parent & NO_PARENT) << 32 | edge << 48 | kind << 56
        for label, parent, edge, kind in zip(*(each.tolist() for each in other), strict=True)
    ]
    row = np.array([len(nodes), *nodes], np.uint64)
    stored = PackedTrees(row, np.array([0, len(row)], np.int64))
    return float(edit_distances(query, stored, TreeKind.LAYOUT, costs, is_typed).distances[0])


class EditSimilarities(NamedTuple):
    """1 - d / (n + m) for each tree, 0 for one without nodes; ``is_bound``: it is at least that."""

    values: NDArray[np.float64]
    is_bound: NDArray[np.bool_]


def edit_similarities(
    query: PackedTree,
    stored: PackedTrees,
    kind: TreeKind,
    costs: EditCosts = UNIT_COSTS,
    scale: float = 1,
    is_typed: bool = False,
) -> EditSimilarities:
    """Return similarities from distances, which are divided by ``scale``, and sizes of trees."""
    distances, sizes, is_bound = edit_distances(query, stored, kind, costs, is_typed)
    values = 1 - distances / (scale * np.maximum(len(query.labels) + sizes, 1))
    return EditSimilarities(np.where(sizes > 0, values, 0.0), is_bound)


def _query_names(query: PackedTree, is_typed: bool) -> NDArray[np.int64]:
    """Return a number for each node; equal ones need no renaming."""
    kinds = query.kinds.astype(np.int64)
    names = query.labels.astype(np.int64)
    if is_typed:
        names = np.where(kinds > 0, kinds + _TYPED, names)
    return np.where(kinds == WILDCARD, _ANY, names)


@compiled
def _write_distances(
    query_names: Array,
    query_parents: Array,
    numbers: Array,
    starts: Array,
    tree: IntLike,
    is_typed: IntLike,
    costs: Array,
    max_cells: IntLike,
    distances: Array,
    sizes: Array,
    is_bound: Array,
) -> None:
    """Write the distances of rows to a query, their sizes, and which are upper bounds."""
    most: IntLike = 0
    for row in range(len(starts) - 1):
        most = max(most, starts[row + 1] - starts[row])
    names = np.empty(most, np.int64)
    parents = np.empty(most, np.int64)
    query = np.zeros((2, 3, len(query_names) + 2), np.int64)
    other = np.zeros((2, 3, most + 2), np.int64)
    below = np.empty((len(query_names) + 2, most + 2), np.int32)
    forest = np.empty((len(query_names) + 2, most + 2), np.int32)
    columns = np.empty((2, max(len(query_names), most) + 2), np.uint64)
    least = np.empty(most + 2, np.int32)
    scratch = np.empty((2, max(len(query_names), most) + 2), np.int64)
    for row in range(len(starts) - 1):
        nodes = numbers[starts[row] : starts[row + 1]]
        counts = nodes[0] if len(nodes) else np.uint64(0)
        layout = np.int64(counts & np.uint64(0xFFFFFFFF))
        size: IntLike = layout if tree == 0 else np.int64(counts >> np.uint64(32))
        at = min(1 if tree == 0 else 1 + layout, len(nodes))
        size = min(size, len(nodes) - at)
        for place in range(size):
            node = nodes[at + place]
            label = np.int64(node & np.uint64(0xFFFFFFFF))
            kind = np.int64(node >> np.uint64(56))
            parent = np.int64((node >> np.uint64(32)) & np.uint64(NO_PARENT))
            names[place] = kind + _TYPED if is_typed and kind > 0 else label
            parents[place] = parent if parent < place else -1  # no parent: a root
        n: IntLike = len(query_names)
        m: IntLike = size
        while True:
            best, cells = 0, np.int64(0)
            for mirrored in range(2):
                work = _write_form(query_names, query_parents, n, mirrored, query, scratch)
                work *= _write_form(names, parents, m, mirrored, other, scratch)
                if mirrored == 0 or work < cells:
                    best, cells = mirrored, work
            if cells <= max_cells:
                break
            longest = max(n, m) * 3 // 4
            n, m = min(n, longest), min(m, longest)
        is_bound[row] = n < len(query_names) or m < size
        rest = (len(query_names) - n) * costs[0] + (size - m) * costs[1]
        distances[row] = rest + _distance(
            query[best], n + 1, other[best], m + 1, costs, below, forest, columns, least
        )
        sizes[row] = size


@compiled
def _write_form(
    names: Array, parents: Array, count: IntLike, mirrored: IntLike, forms: Array, scratch: Array
) -> IntLike:
    """Write the first nodes of a tree, below a root of its own, in postorder.

    Row 0 of the form has names, row 1 the place of the first leaf below each node, row 2 whether a
    node is a keyroot: the last one with its first leaf. The reverse of reading order is the
    postorder of the mirrored tree. Returns the sum of the sizes of keyroots that are not leaves.
    """
    form = forms[mirrored]
    sizes, depths = scratch[0], scratch[1]
    for place in range(count):
        sizes[place] = 1
        depths[place] = 1 + (depths[parents[place]] if parents[place] >= 0 else 0)
    for back in range(count):
        place = count - 1 - back
        if parents[place] >= 0:
            sizes[parents[place]] += sizes[place]
    for place in range(count):
        after = count - 1 - place if mirrored else place - depths[place] + sizes[place]
        form[0, after] = names[place]
        form[1, after] = after - sizes[place] + 1
    form[0, count] = _ROOT
    form[1, count] = 0
    for place in range(count + 1):
        scratch[0, form[1, place]] = place  # the last node with this first leaf
    total = np.int64(0)
    for place in range(count + 1):
        is_keyroot = scratch[0, form[1, place]] == place
        form[2, place] = is_keyroot
        if is_keyroot and form[1, place] != place:
            total += place - form[1, place] + 1
    return total


@compiled
def _is_equal(name: IntLike, other: IntLike) -> IntLike:
    """Whether a node of the query and one of the other tree need no renaming."""
    return name == other or (name == _ANY and other != _ROOT)


@compiled
def _write_leaves(
    query: Array, n: IntLike, other: Array, m: IntLike, costs: Array, below: Array, equals: Array
) -> None:
    """Write the distances of subtrees one of which is a leaf and a keyroot.

    The leaf becomes a node of the other subtree that is equal, if there is one; otherwise it is
    renamed, or deleted. Most keyroots are leaves, so this saves most of the work.
    """
    delete, insert = costs[0], costs[1]
    rename = min(costs[2], delete + insert)
    equals[0] = 0
    for x in range(n):
        if query[2, x] and query[1, x] == x:
            for y in range(m):
                equals[y + 1] = equals[y] + _is_equal(query[0, x], other[0, y])
                first = other[1, y]
                cost = 0 if equals[y + 1] > equals[first] else rename
                below[x, y] = cost + (y - first) * insert
    for y in range(m):
        if other[2, y] and other[1, y] == y:
            for x in range(n):
                equals[x + 1] = equals[x] + _is_equal(query[0, x], other[0, y])
                first = query[1, x]
                cost = 0 if equals[x + 1] > equals[first] else rename
                below[x, y] = cost + (x - first) * delete


@compiled
def _distance(
    query: Array,
    n: IntLike,
    other: Array,
    m: IntLike,
    costs: Array,
    below: Array,
    forest: Array,
    scratch: Array,
    least: Array,
) -> IntLike:
    """Return the distance of two trees in postorder (Zhang and Shasha).

    ``below`` gets the distances of subtrees, ``forest`` those of the forests below two keyroots;
    ``scratch`` and ``least`` are space.
    """
    delete, insert, rename = np.int32(costs[0]), np.int32(costs[1]), np.int32(costs[2])
    _write_leaves(query, n, other, m, costs, below, scratch[0].view(np.int64))
    leaves, path = scratch[0], scratch[1]
    for j in range(m):
        start = other[1, j]
        if not other[2, j] or start == j:
            continue
        columns = j - start + 1
        names = other[0, start : j + 1]
        top = forest[0]
        top[0] = 0
        count = 0
        for column in range(columns):
            top[column + 1] = top[column] + insert
            leaf = max(other[1, start + column] - start, 0)
            leaves[column] = leaf
            if leaf == 0:
                path[count] = column
                count += 1
        for i in range(n):
            first = query[1, i]
            if not query[2, i] or first == i:
                continue
            for x in range(first, i + 1):
                above, here = forest[x - first], forest[x - first + 1]
                subtrees = below[x, start : j + 1]
                name, leaf = query[0, x], query[1, x]
                before = forest[leaf - first]
                left = above[0] + delete
                here[0] = left
                for column in range(columns):
                    cost = before[leaves[column]] + subtrees[column]
                    least[column] = min(above[column + 1] + delete, cost)
                if leaf != first:
                    for column in range(columns):
                        left = min(left + insert, least[column])
                        here[column + 1] = left
                    continue
                for place in range(count):
                    column = path[place]
                    cost = above[column]
                    if not _is_equal(name, names[column]):
                        cost += rename
                    least[column] = min(above[column + np.uint64(1)] + delete, cost)
                for column in range(columns):
                    left = min(left + insert, least[column])
                    here[column + 1] = left
                for place in range(count):
                    subtrees[path[place]] = here[path[place] + np.uint64(1)]
    return np.int64(below[n - 1, m - 1])
