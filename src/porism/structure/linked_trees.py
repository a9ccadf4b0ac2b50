"""Packed trees with the links between their nodes, in arrays that compiled loops fill and read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, IntLike, compiled
from porism.structure.packed_trees import NO_PARENT, VARIABLE, WILDCARD, PackedTree

MAX_ALIGNED = 128
"""Nodes of a tree that are aligned: more than the largest formula of the labs' topics has (118)."""

NEXT, ELEMENT = ord("n"), ord("e")
"""The edges of a layout tree along a row, and from one cell to the next."""


class LinkedTree(NamedTuple):
    """A packed tree with its links.

    ``first`` and ``following`` are the first child and the next sibling, or -1; ``ends`` is the
    place after the last descendant; ``names`` numbers the distinct variables, -1 for other nodes.
    ``is_open`` says that a node is a wildcard that may match several symbols of a row.
    """

    labels: Array
    parents: Array
    edges: Array
    kinds: Array
    first: Array
    following: Array
    ends: Array
    names: Array
    is_open: Array


def empty_tree() -> LinkedTree:
    """Return arrays for a tree."""

    def zeros(kind: type[np.generic] = np.int32) -> Array:
        return np.zeros(MAX_ALIGNED, kind)

    return LinkedTree(
        labels=zeros(np.uint32),
        parents=zeros(),
        edges=zeros(np.uint8),
        kinds=zeros(np.uint8),
        first=zeros(),
        following=zeros(),
        ends=zeros(),
        names=zeros(),
        is_open=zeros(np.uint8),
    )


def linked_tree(packed: PackedTree) -> LinkedTree:
    """Return the first nodes of a tree with their links."""
    tree = empty_tree()
    size = min(len(packed.labels), MAX_ALIGNED)
    tree.labels[:size] = packed.labels[:size]
    tree.parents[:size] = packed.parents[:size]
    tree.edges[:size] = packed.edges[:size]
    tree.kinds[:size] = packed.kinds[:size]
    link(tree, size)
    return tree


@compiled
def unpack(numbers: Array, tree: LinkedTree) -> None:
    """Write the nodes of a stored tree to arrays."""
    for place in range(len(numbers)):
        number = numbers[place]
        tree.labels[place] = number & np.uint64(0xFFFFFFFF)
        parent = np.int64((number >> np.uint64(32)) & np.uint64(0xFFFF))
        tree.parents[place] = -1 if parent == NO_PARENT else parent
        tree.edges[place] = (number >> np.uint64(48)) & np.uint64(0xFF)
        tree.kinds[place] = number >> np.uint64(56)


@compiled
def link(tree: LinkedTree, size: IntLike) -> None:
    """Fill in what is derived from labels and parents."""
    for place in range(size):
        tree.first[place] = tree.following[place] = tree.names[place] = -1
        tree.ends[place] = place + 1
        tree.is_open[place] = tree.kinds[place] == WILDCARD
    for place in range(size - 1, -1, -1):
        parent = tree.parents[place]
        if parent >= 0:
            tree.following[place] = tree.first[parent]
            tree.first[parent] = place
            tree.ends[parent] = max(tree.ends[parent], tree.ends[place])
            if tree.edges[place] != NEXT and tree.edges[place] != ELEMENT:
                tree.is_open[parent] = 0
    count = 0
    for place in range(size):
        if tree.kinds[place] == VARIABLE and tree.names[place] < 0:
            label = tree.labels[place]
            for same in range(place, size):
                if tree.labels[same] == label and tree.kinds[same] == VARIABLE:
                    tree.names[same] = count
            count += 1


@compiled
def child_on(tree: LinkedTree, node: IntLike, edge: IntLike) -> IntLike:
    """Return the child of a node on an edge, or -1."""
    child = tree.first[node]
    while child >= 0 and tree.edges[child] != edge:
        child = tree.following[child]
    return child
