"""Trees of formulas as graphs for an encoder: many trees in flat arrays, one after another.

A graph has the nodes of one tree. Messages pass along its edges in both directions; the *step* of a
node is the kind of edge that leads to it from its parent. This module turns packed trees into such
graphs and selects graphs again; it knows nothing of weights or of training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.structure.packed_trees import UNORDERED, VARIABLE, WILDCARD, PackedTrees, unpacked_tree

KINDS = 10
"""Kinds of nodes."""

STEPS = 10
"""Kinds of edges; 0 is that of a node without a parent."""

DEPTHS = 8
"""Levels of nesting that differ; deeper nodes count as on the last."""

_LAYOUT_EDGES = "nabouwecd"
_NEXT = 1
_COMMUTING, _FIRST_PLACE = 1, 2
_SAME_PLACE = STEPS - 1 - _FIRST_PLACE
"""The operand from which on all places are the same kind of edge."""


class TreeGraphs(NamedTuple):
    """The graphs of trees of one kind, one after another.

    Nodes are in reading order, so a subtree is a range. ``parents`` are places in these arrays, -1
    for none, and graph i has the nodes from ``starts[i]`` to ``starts[i + 1]``.
    """

    labels: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    steps: NDArray[np.uint8]
    depths: NDArray[np.int16]
    parents: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def graphs(self) -> int:
        """The number of graphs."""
        return len(self.starts) - 1


class FormulaGraphs(NamedTuple):
    """The graphs of the layout and of the operators of the same formulas."""

    layout: TreeGraphs
    operators: TreeGraphs


def formula_graphs(trees: PackedTrees) -> FormulaGraphs:
    """Return the graphs of packed trees; an empty row has graphs without nodes.

    A wildcard counts as a variable: models are trained on formulas of documents, which have none.
    """
    firsts, rows = trees.starts[:-1], np.diff(trees.starts)
    heads = np.zeros(len(rows), np.int64)
    heads[rows > 0] = (trees.numbers[firsts[rows > 0]] & np.uint64(0xFFFFFFFF)).astype(np.int64)
    is_row = (rows > 0).astype(np.int64)
    others = rows - is_row - heads
    return FormulaGraphs(
        _layout_graphs(_joined(trees.numbers, firsts + is_row, heads)),
        _operator_graphs(_joined(trees.numbers, firsts + is_row + heads, others)),
    )


class _JoinedTrees(NamedTuple):
    """Trees one after another, with parents as places among all nodes."""

    labels: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    edges: NDArray[np.uint8]
    parents: NDArray[np.int64]
    starts: NDArray[np.int64]


def _joined(
    numbers: NDArray[np.uint64], firsts: NDArray[np.int64], counts: NDArray[np.int64]
) -> _JoinedTrees:
    places, starts = ranges(firsts, counts)
    nodes = unpacked_tree(numbers[places])
    parents = nodes.parents + np.repeat(starts[:-1], counts)
    return _JoinedTrees(
        nodes.labels,
        np.where(nodes.kinds == WILDCARD, VARIABLE, nodes.kinds).astype(np.uint8),
        nodes.edges,
        np.where(nodes.parents >= 0, parents, -1),
        starts,
    )


def _layout_graphs(trees: _JoinedTrees) -> TreeGraphs:
    """The depth of a symbol is its nesting: a right neighbour is no deeper."""
    steps = _LAYOUT_STEPS[trees.edges]
    return _graphs(trees, steps, (steps != _NEXT) & (trees.parents >= 0))


def _operator_graphs(trees: _JoinedTrees) -> TreeGraphs:
    """The operands of an operator without order have the same edge, others that of their place."""
    is_unordered = (trees.kinds == UNORDERED)[trees.parents]
    places = _FIRST_PLACE + np.minimum(trees.edges, _SAME_PLACE)
    steps = np.where(is_unordered, _COMMUTING, places).astype(np.uint8)
    return _graphs(trees, steps, trees.parents >= 0)


def _graphs(
    trees: _JoinedTrees, steps: NDArray[np.uint8], is_deeper: NDArray[np.bool_]
) -> TreeGraphs:
    return TreeGraphs(
        trees.labels,
        trees.kinds,
        np.where(trees.parents >= 0, steps, 0).astype(np.uint8),
        sums_to_root(is_deeper, trees.parents).astype(np.int16),
        trees.parents,
        trees.starts,
    )


def sums_to_root(values: NDArray[np.bool_], parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of values from each node up to its root, itself included.

    Each pass doubles how far up the sums reach, so there are few of them.
    """
    sums, above = values.astype(np.int64), parents
    while (above >= 0).any():
        sums = sums + np.where(above >= 0, sums[above], 0)
        above = np.where(above >= 0, above[above], -1)
    return sums


def subtree_sizes(graphs: TreeGraphs) -> NDArray[np.int64]:
    """Return the number of nodes below each node, itself included."""
    sizes, above = np.ones(len(graphs.parents), np.int64), graphs.parents
    while (has_above := above >= 0).any():
        added = np.bincount(above[has_above], sizes[has_above], minlength=len(sizes))
        sizes = sizes + added.astype(np.int64)
        above = np.where(has_above, above[above], -1)
    return sizes


def ranges(
    firsts: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of ranges, one range after another, and where each begins.

    >>> ranges(np.array([5, 2]), np.array([2, 3]))
    (array([5, 6, 2, 3, 4]), array([0, 2, 5]))
    """
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], counts), starts


_LAYOUT_STEPS = np.zeros(256, np.uint8)
_LAYOUT_STEPS[np.frombuffer(_LAYOUT_EDGES.encode(), np.uint8)] = np.arange(
    1, len(_LAYOUT_EDGES) + 1
)
