"""A query formula as its sectors, in the arrays that compiled loops compare formulas with.

Each operator of the query, with all below it, is a *node* that may match the subtree of a formula.
A node has the paths of its leaves, each with its width and its weight; a path has the symbols of
its leaves. A wildcard is a leaf that any operand at its place matches, leaf or operator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array
from porism.formula.features.leaf_paths import MAX_LEAVES
from porism.structure.operator_rows import (
    WILDCARD_KIND,
    OperatorRow,
    Words,
    kind_of,
    operand_keys,
    row_paths,
    row_words,
    symbol_of,
)

WEIGHT_SCALE = 1 << 16
"""Weights of paths are whole multiples of the inverse, so that sums do not depend on their order.

The paths of 64 leaves, each with the weight of one path in a billion, stay below 2**31.
"""

OPERAND = np.uint64(1 << 63)
"""Set in the names of wildcards and of operands that match them, which no symbol equals."""

PathFrequencies = Callable[[Words], NDArray[np.int64]]
"""Returns how many sectors each path has in all formulas."""


TABLE = 256
"""Slots for the paths of one node, of which there are at most 64."""


ROOT, BOUND, LEAVES, FIRST_PATH, FIRST_SYMBOL = range(5)
"""The columns of nodes: the operator; the structure score of a formula that has all of its paths;
the number of leaves, wildcards among them; where its paths and its symbols begin.
"""

WEIGHT, WIDTH, OTHERS, FIRST_GROUP = range(4)
"""The columns of paths. ``OTHERS`` is of a wildcard's path the number of other operands of the
query there, else -1. A group is the leaves with one path and symbol.
"""

SYMBOL, COUNT, FIRST_PRINT = range(3)
"""The columns of groups: the symbol, by its number in the node; the leaves; and where the
fingerprints of these leaves begin.
"""


class SectorQuery(NamedTuple):
    """The nodes of a query formula, those with the largest bounds first.

    What belongs to a row ends where that of the next row begins, so each table has one row more.
    There are few arrays, because each that a compiled function is passed costs time.
    """

    nodes: Array
    leaf_weights: Array
    """For each node the sums of its largest weights of leaves: of none, of one, of two, ..."""
    paths: Array
    keys: Array
    """The key of each path."""
    table: Array
    """For each node a hash table of its paths by their keys: numbers in the node, or -1."""
    symbols: Array
    """The names of the symbols of a node, the most frequent first."""
    groups: Array
    prints: Array
    """Fingerprints, each with the number of leaves."""


class _Path(NamedTuple):
    """A path from leaves of a query up to a node."""

    key: int
    others: int
    places: list[int]
    """The places of its leaves in the row."""
    prints: list[int]
    """The fingerprints of these leaves."""


def sector_query(row: OperatorRow, frequencies: PathFrequencies, total: int) -> SectorQuery:
    """Return the nodes of a query formula.

    ``total`` is the number of sectors of all formulas. The weight of a path is
    ``ln(1 + total / frequency)``; Approach0 has no 1, which would leave a path that all formulas
    have without weight, in a collection of one formula every path. A path that no formula has
    weighs nothing. A wildcard weighs as much as a leaf of any kind at its place.
    """
    words = row_words(row)
    by_node: dict[int, dict[int, _Path]] = {}
    for place, root, key, fingerprint in row_paths(row):
        path = by_node.setdefault(root, {}).setdefault(key, _Path(key, -1, [], []))
        path.places.append(place)
        path.prints.append(fingerprint)
    nodes = {
        root: [_with_others(row, words, root, path) for path in paths.values()]
        for root, paths in by_node.items()
    }
    weights = _weights(row, words, nodes, frequencies, total)
    bounds = {
        root: sum(weights[path.key] * len(path.places) for path in paths)
        for root, paths in nodes.items()
    }
    tables = _Tables()
    # In reading order if bounds are equal: an operator comes before those below it.
    for root in sorted(nodes, key=lambda root: (-bounds[root], root)):
        tables.add_node(root, bounds[root], nodes[root], words, weights)
    return tables.query()


def _is_wild(words: Words, path: _Path) -> bool:
    return bool(kind_of(words[path.places[0]]) == WILDCARD_KIND)


def symbol_name(word: np.uint64) -> int:
    """Return the name of the symbol of a leaf of a query."""
    symbol = symbol_of(word)
    return int(symbol | OPERAND if kind_of(word) == WILDCARD_KIND else symbol)


def _with_others(row: OperatorRow, words: Words, root: int, path: _Path) -> _Path:
    """Count the operands of a query at the place of wildcards that are no wildcards themselves."""
    if not _is_wild(words, path):
        return path
    here = sum(key == path.key for key in operand_keys(row, root, WILDCARD_KIND))
    return path._replace(others=max(0, here - len(path.places)))


def _weights(
    row: OperatorRow,
    words: Words,
    nodes: dict[int, list[_Path]],
    frequencies: PathFrequencies,
    total: int,
) -> dict[int, int]:
    """Return the weights of paths by their keys."""
    kinds: dict[int, list[int]] = {}
    for root, paths in nodes.items():
        for path in paths:
            kinds[path.key] = [path.key]
            if _is_wild(words, path):
                kinds[path.key] = [
                    operand_keys(row, root, kind)[path.places[0]] for kind in range(WILDCARD_KIND)
                ]
    found = frequencies(np.array([key for keys in kinds.values() for key in keys], np.uint64))
    counts = iter(found.tolist())
    weights: dict[int, int] = {}
    for key, keys in kinds.items():
        frequency = sum(next(counts) for _ in keys)
        weights[key] = round(log(1 + total / frequency) * WEIGHT_SCALE) if frequency else 0
    return weights


class _Tables:
    """The tables of a query, to which nodes are added."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, ...]] = []
        self.leaf_weights: list[list[int]] = []
        self.paths: list[tuple[int, ...]] = []
        self.keys: list[int] = []
        self.tables: list[list[int]] = []
        self.symbols: list[int] = []
        self.groups: list[tuple[int, ...]] = []
        self.prints: list[tuple[int, int]] = []

    def add_node(
        self, root: int, bound: int, paths: list[_Path], words: Words, weights: dict[int, int]
    ) -> None:
        places = sorted(place for path in paths for place in path.places)
        counts = Counter(symbol_name(words[place]) for place in places)
        numbers = {name: number for number, (name, _) in enumerate(counts.most_common())}
        self.nodes.append((root, bound, len(places), len(self.paths), len(self.symbols)))
        self.symbols += numbers
        table = [-1] * TABLE
        for number, (key, others, of_path, prints) in enumerate(paths):
            self.paths.append((weights[key], len(of_path), others, len(self.groups)))
            self.keys.append(key)
            slot = key % TABLE
            while table[slot] >= 0:
                slot = (slot + 1) % TABLE
            table[slot] = number
            names = (numbers[symbol_name(words[at])] for at in of_path)
            self._add_groups(Counter(zip(names, prints, strict=True)))
        self.tables.append(table)
        descending = sorted(
            (weights[path.key] for path in paths for _ in path.places), reverse=True
        )
        sums = list(accumulate(descending, initial=0))
        self.leaf_weights.append(sums + [sums[-1]] * (MAX_LEAVES + 1 - len(sums)))

    def _add_groups(self, leaves: Counter[tuple[int, int]]) -> None:
        """Add the groups of a path, from the symbol and the fingerprint of each leaf."""
        for symbol in dict.fromkeys(symbol for symbol, _ in leaves):
            own = [(each, count) for (other, each), count in leaves.items() if other == symbol]
            self.groups.append((symbol, sum(count for _, count in own), len(self.prints)))
            self.prints += own

    def query(self) -> SectorQuery:
        ends = len(self.paths), len(self.symbols), len(self.groups), len(self.prints)
        return SectorQuery(
            np.array([*self.nodes, (0, 0, 0, ends[0], ends[1])], np.int64),
            np.array(self.leaf_weights, np.int64).reshape(len(self.nodes), MAX_LEAVES + 1),
            np.array([*self.paths, (0, 0, -1, ends[2])], np.int64),
            np.array(self.keys, np.uint64),
            np.array(self.tables, np.int16).reshape(len(self.nodes), TABLE),
            np.array(self.symbols, np.uint64),
            np.array([*self.groups, (0, 0, ends[3])], np.int64),
            np.array(self.prints, np.uint64).reshape(len(self.prints), 2),
        )
