"""Operator trees as rows of numbers, and their sectors, for the structure search of Approach0.

A row has one 64-bit number for each operator, then one for each leaf, both in reading order, so an
operator comes after the one above it. From the lowest bit:

    parent (8)  step (24)  label (32)                operator
    parent (8)  step (24)  kind (3)  symbol (29)     leaf

*Parent* is the number of the operator above, ``NO_PARENT`` at the root. *Step* is the hash of the
way up to it: its kind, after the place of the operand if operands are ordered (``1/SUP``). A path
is hashed from its root down, step by step, so compiled code computes the keys of all paths of a
subtree in one pass. *Label* is the hash of the operator's own label, which paths merge with others
of its kind.

The paths of one kind that end at one operator are a sector of it; their number is its width. The
sectors of all formulas are the postings that are searched.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, IntLike, compiled
from porism.formula.features.leaf_paths import (
    MAX_LEAVES,
    MAX_OPERATORS,
    MAX_STEPS,
    leaf_kind,
    path_tree,
)
from porism.formula.features.tangent_layout import SYMBOL_NAMES, WILDCARD
from porism.formula.tree import Tree
from porism.hashing import text_key

NO_PARENT = 255

LEAF_KINDS = ("VAR", "NUM", "TEXT", "BLANK", "GROUP", "OTHER", WILDCARD)
"""The kinds of leaves, by their numbers."""

WILDCARD_KIND = LEAF_KINDS.index(WILDCARD)
"""The kind of a leaf that any operand matches; only queries have it."""

STEP_BITS, KIND_BITS, SYMBOL_BITS = 24, 3, 29

Words = NDArray[np.uint64]


class OperatorRow(NamedTuple):
    """The numbers of a formula: first of its operators, then of its leaves."""

    operators: list[int]
    leaves: list[int]


@lru_cache(1 << 16)
def _step(way: str) -> int:
    """Return the hash of a step, in its place."""
    return (text_key(way) >> (64 - STEP_BITS)) << 8 if way else 0


@lru_cache(1 << 16)
def _label(label: str) -> int:
    return (text_key(SYMBOL_NAMES[label]) >> 32) << 32


@lru_cache(1 << 16)
def _symbol(label: str) -> int:
    """Return kind and symbol of a leaf, in their places; each name of a wildcard is a symbol."""
    kind = LEAF_KINDS.index(leaf_kind(label))
    name = label if kind == WILDCARD_KIND else SYMBOL_NAMES[label]
    return kind << 32 | (text_key(name) >> (64 - SYMBOL_BITS)) << (64 - SYMBOL_BITS)


def operator_row(operators: Tree) -> OperatorRow:
    """Return the row of an operator tree, with at most ``MAX_LEAVES`` and ``MAX_OPERATORS``.

    >>> from porism.formula.tree import parse_tree
    >>> row = operator_row(parse_tree("[U!plus,0[V!x],1[N!1]]", "opt"))
    >>> [number & NO_PARENT for number in (*row.operators, *row.leaves)]
    [255, 0, 0]
    """
    nodes = path_tree(operators)
    return OperatorRow(
        [_label(label) | _step(way) | parent & NO_PARENT for label, parent, way in nodes.operators],
        [_symbol(label) | _step(way) | parent & NO_PARENT for label, parent, way in nodes.leaves],
    )


# Numba mixes signed with unsigned numbers to floats, so all of these are unsigned.
_BYTE = np.uint64(0xFF)
_STEP_MASK = np.uint64((1 << STEP_BITS) - 1)
_KIND_MASK = np.uint64((1 << KIND_BITS) - 1)
_8, _32 = np.uint64(8), np.uint64(32)
_SYMBOL_SHIFT = np.uint64(64 - SYMBOL_BITS)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@compiled
def parent_of(word: IntLike) -> IntLike:
    """Return the number of the operator above."""
    return np.int64(word & _BYTE)


@compiled
def step_of(word: IntLike) -> IntLike:
    """Return the hash of the step up."""
    return (word >> _8) & _STEP_MASK


@compiled
def label_of(word: IntLike) -> IntLike:
    """Return the hash of an operator's label."""
    return word >> _32


@compiled
def kind_of(word: IntLike) -> IntLike:
    """Return the number of the kind of a leaf."""
    return np.int64((word >> _32) & _KIND_MASK)


@compiled
def symbol_of(word: IntLike) -> IntLike:
    """Return the hash of the symbol of a leaf."""
    return word >> _SYMBOL_SHIFT


@compiled
def mixed(key: IntLike, value: IntLike) -> IntLike:
    """Return the key of what has been hashed so far and one more value."""
    key = (key ^ value) * _MULTIPLIER
    return key ^ (key >> _32)


WAY_KEY, WAY_PRINT, WAY_STEPS = range(3)
"""The columns of the ways from a root down to each operator of its subtree: the key, 0 if the way
is too long; the fingerprint, of the labels of all operators on it; and its steps.
"""


def room_for_ways() -> Words:
    """Return room for the ways of any row."""
    return np.empty((MAX_OPERATORS, 3), np.uint64)


_ROOT_KEY = np.uint64(1)


@compiled
def walk_down(
    words: Array, first: IntLike, operators: IntLike, root: IntLike, ways: Array
) -> IntLike:
    """Write the ways from a root to all operators below it, and return the end of its subtree.

    ``first`` is where the row begins. Operators of a subtree have consecutive numbers. A way has
    less than ``MAX_STEPS``, so that the path of a leaf has at most so many.
    """
    if root < operators:
        ways[root, WAY_KEY] = _ROOT_KEY
        ways[root, WAY_PRINT] = label_of(words[first + root])
        ways[root, WAY_STEPS] = np.uint64(0)
    at = root + 1
    while at < operators:
        word = words[first + at]
        above = parent_of(word)
        if above < root or above == NO_PARENT:
            break
        steps = ways[above, WAY_STEPS] + np.uint64(1)
        ways[at, WAY_STEPS] = steps
        ways[at, WAY_PRINT] = mixed(ways[above, WAY_PRINT], label_of(word))
        ways[at, WAY_KEY] = mixed(ways[above, WAY_KEY], step_of(word))
        if steps >= np.uint64(MAX_STEPS):
            ways[at, WAY_KEY] = np.uint64(0)
        at += 1
    return at


@compiled
def path_below(word: IntLike, kind: IntLike, ways: Array) -> IntLike:
    """Return the key of the path of a leaf or operator of a kind, 0 if it is too long.

    ``ways`` are those of a subtree to which it belongs.
    """
    above = ways[parent_of(word), WAY_KEY]
    if above == 0:
        return above
    return mixed(mixed(above, step_of(word)), np.uint64(kind + 1))


@compiled
def lone_key(kind: IntLike) -> IntLike:
    """Return the key of the path of a formula that is a lone leaf."""
    return mixed(_ROOT_KEY, np.uint64(kind + 1))


class RowPath(NamedTuple):
    """A path of a row: the place of its leaf, its root, its key, and its fingerprint."""

    place: int
    root: int
    key: int
    fingerprint: int


def row_paths(row: OperatorRow) -> list[RowPath]:
    """Return the paths of all leaves up to each operator above them, root by root.

    A formula that is a lone leaf has one path, to itself; it counts as operator 0.
    """
    words = row_words(row)
    if not row.operators:
        return [
            RowPath(place, 0, int(lone_key(kind_of(word))), 0) for place, word in enumerate(words)
        ]
    columns = np.empty((4, MAX_LEAVES * MAX_STEPS), np.uint64)
    size = _write_paths(words, len(row.operators), room_for_ways(), *columns)
    return list(map(RowPath._make, columns[:, :size].T.tolist()))


def row_words(row: OperatorRow) -> Words:
    """Return the numbers of a row, operators first."""
    return np.array([*row.operators, *row.leaves], np.uint64)


@compiled
def _write_paths(
    words: Array,
    operators: IntLike,
    ways: Array,
    places: Array,
    roots: Array,
    keys: Array,
    prints: Array,
) -> IntLike:
    """Write the columns of all paths, and return their number."""
    size = 0
    for root in range(operators):
        end = walk_down(words, 0, operators, root, ways)
        for at in range(operators, len(words)):
            above = parent_of(words[at])
            if root <= above < end:
                key = path_below(words[at], kind_of(words[at]), ways)
                if key != 0:
                    places[size] = at
                    roots[size] = root
                    keys[size] = key
                    prints[size] = ways[above, WAY_PRINT]
                    size += 1
    return size


def row_sectors(row: OperatorRow) -> list[tuple[int, int]]:
    """Return the sectors of a row: the key of the path, and the payload of the posting.

    That is the root, shifted by 8, and the width.
    """
    widths = Counter((path.key, path.root) for path in row_paths(row))
    return [(key, root << 8 | width) for (key, root), width in widths.items()]


def operand_keys(row: OperatorRow, root: int, kind: int) -> list[int]:
    """Return the key that the path of each operator and leaf would have as a leaf of a kind.

    Those that are not below the root have 0.
    """
    words, ways = row_words(row), room_for_ways()
    if not row.operators:
        return [int(lone_key(kind)) for _ in words]
    end = walk_down(words, 0, len(row.operators), root, ways)
    return [
        int(path_below(word, kind, ways)) if root <= int(parent_of(word)) < end else 0
        for word in words
    ]


def path_names(operators: Tree) -> dict[int, str]:
    """Return the names of the paths of an operator tree, by their keys.

    >>> from porism.formula.tree import parse_tree
    >>> sorted(path_names(parse_tree("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]", "opt")).values())
    ['/NUM/2/SUP', '/NUM/2/SUP/ADD', '/VAR/1/SUP', '/VAR/1/SUP/ADD', '/VAR/ADD']
    """
    nodes, row = path_tree(operators), operator_row(operators)
    names: dict[int, str] = {}
    for place, root, key, _ in row_paths(row):
        label, above, way = nodes.leaves[place - len(nodes.operators)]
        name = f"/{leaf_kind(label)}"
        while above >= 0:
            name += f"/{way}"
            if above == root:
                break
            _, above, way = nodes.operators[above]
        names[key] = name
    return names
