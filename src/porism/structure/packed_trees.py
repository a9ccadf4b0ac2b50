"""Both trees of a formula as one row of numbers, which compiled loops compare.

A row begins with the numbers of nodes of the two trees; the nodes follow in reading order, the
layout tree first. A node is one number of 64 bits: label, parent, edge and kind. Labels are hashed
to 32 bits: among the labels of ten million formulas, mostly long numbers and texts, a few hundred
rare ones share a number with another rare one, which no ranking notices.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.formula.features.tangent_layout import SYMBOL_NAMES, is_wildcard, symbols
from porism.formula.tree import Node, Tree
from porism.hashing import text_key

MAX_NODES = 400
"""Nodes of a tree that are kept, in reading order: what is kept is a tree again.

One formula in ten thousand has more. What compares trees takes the square of this, or more.
"""

NO_PARENT = 0xFFFF
MAX_EDGE = 255

VARIABLE, NUMBER, TEXT, FUNCTION, MATRIX, ORDERED, UNORDERED, WILDCARD, BLANK = range(1, 10)
"""Kinds of nodes; any other symbol has 0."""

_KINDS = {
    "V": VARIABLE,
    "N": NUMBER,
    "T": TEXT,
    "F": FUNCTION,
    "R": FUNCTION,
    "M": MATRIX,
    "O": ORDERED,
    "U": UNORDERED,
    "W": BLANK,
}


class PackedTree(NamedTuple):
    """One tree as arrays, nodes in reading order; the parent of a root is -1."""

    labels: NDArray[np.uint32]
    parents: NDArray[np.int32]
    edges: NDArray[np.uint8]
    kinds: NDArray[np.uint8]


class PackedTrees(NamedTuple):
    """The rows of many formulas: that of formula i begins at ``starts[i]``."""

    numbers: NDArray[np.uint64]
    starts: NDArray[np.int64]


@lru_cache(1 << 16)
def label_number(label: str) -> int:
    """Return the label and the kind of a node, in their places in its number."""
    kind = _KINDS.get(label[0], 0) if label[1:2] == "!" else 0
    if is_wildcard(label):
        # The names of wildcards matter, unlike in features: equal ones match equal parts.
        return text_key(label) & 0xFFFFFFFF | WILDCARD << 56
    return text_key(SYMBOL_NAMES[label]) & 0xFFFFFFFF | kind << 56


def layout_numbers(layout: Tree) -> list[int]:
    """Return the nodes of a layout tree, where a symbol hangs on its left neighbour."""
    return [
        label_number(label) | (parent & NO_PARENT) << 32 | (ord(edge) if edge else 0) << 48
        for label, parent, edge in symbols(layout)[:MAX_NODES]
    ]


def operator_numbers(operators: Tree) -> list[int]:
    """Return the nodes of an operator tree, each with its place among its operator's operands."""
    numbers: list[int] = []
    pending: list[tuple[Node, int, int]] = [(root, -1, 0) for root in reversed(operators.row)]
    while pending and len(numbers) < MAX_NODES:
        node, parent, place = pending.pop()
        at = len(numbers)
        numbers.append(
            label_number(node.label) | (parent & NO_PARENT) << 32 | min(place, MAX_EDGE) << 48
        )
        operands = node.operands
        pending += ((operands[number], at, number) for number in range(len(operands) - 1, -1, -1))
    return numbers


def packed_trees(layout: Tree, operators: Tree) -> list[int]:
    """Return both trees of a formula as a row of numbers."""
    one, other = layout_numbers(layout), operator_numbers(operators)
    return [len(one) | len(other) << 32, *one, *other]


def packed_tree(tree: Tree) -> PackedTree:
    """Return one tree as arrays.

    >>> from porism.formula.tree import parse_tree
    >>> packed_tree(parse_tree("[U!plus,0[V!x],1[N!1]]", "opt")).parents.tolist()
    [-1, 0, 0]
    """
    numbers = layout_numbers(tree) if tree.kind == "slt" else operator_numbers(tree)
    return unpacked_tree(np.array(numbers, np.uint64))


def unpacked_tree(numbers: NDArray[np.uint64]) -> PackedTree:
    """Return the nodes of one tree as arrays."""
    parents = ((numbers >> np.uint64(32)) & np.uint64(NO_PARENT)).astype(np.int32)
    parents[parents == NO_PARENT] = -1
    return PackedTree(
        (numbers & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        parents,
        ((numbers >> np.uint64(48)) & np.uint64(0xFF)).astype(np.uint8),
        (numbers >> np.uint64(56)).astype(np.uint8),
    )


def stored_trees(trees: PackedTrees, place: int) -> tuple[PackedTree, PackedTree]:
    """Return the layout and the operator tree of a formula; empty ones if its row is."""
    row = trees.numbers[trees.starts[place] : trees.starts[place + 1]]
    size = int(row[0]) & 0xFFFFFFFF if len(row) else 0
    return unpacked_tree(row[1 : 1 + size]), unpacked_tree(row[1 + size :])
