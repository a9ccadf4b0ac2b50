"""How well a node of a query matches a subtree of a formula, compiled.

Structure: each path counts its weight for as many leaves as both have. Symbols ("mark and cross"):
the leaves of a path are compared symbol by symbol. Of a symbol of the query and one of the formula,
as many leaves as both have count 1 if the symbols are equal and the operators above the leaves too
(their fingerprints), ``same_symbol`` if only the symbols are equal, else ``other_symbol``. Then
each symbol of the query, the most frequent first, is assigned the one that counts most of those
that are left; so letters may be renamed, but one-to-one. The sum is divided by the leaves of the
node. A wildcard is a symbol too: where it occurs twice, it should match equal operands; different
wildcards may also match equal ones.

Approach0 compares the four operators above a leaf, also those above the match. Here all operators
up to the root of the match count, and none above it, so that a formula that is part of a larger one
has equal fingerprints.

Calls that pass many arrays cost more than what they do here, so the loops of one step are together
in one function.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.structure.operator_rows import (
    MAX_LEAVES,
    MAX_OPERATORS,
    NO_PARENT,
    WILDCARD_KIND,
    SubtreeRoom,
    kind_of,
    label_of,
    lone_key,
    mixed,
    parent_of,
    path_below,
    step_of,
    subtree_room,
    symbol_of,
    walk_down,
)
from porism.structure.sector_query import OPERAND, TABLE, WEIGHT_SCALE, SectorQuery

MAX_NODES = MAX_LEAVES + MAX_OPERATORS


class MatchScale(NamedTuple):
    """The constants of the score, for compiled loops."""

    same_symbol: float
    other_symbol: float
    sizes: Array
    """The factor for a formula of 0, 1, 2, ... leaves; it decreases."""


def match_scale(same_symbol: float, other_symbol: float, eta: float) -> MatchScale:
    """Return the constants of the score: the factor of n leaves is ``1 - eta + eta / ln(1 + n)``.

    A formula without leaves has no sectors; its factor is that of one leaf.
    """
    sizes = [1 - eta + eta / log(1 + max(1, leaves)) for leaves in range(MAX_LEAVES + 1)]
    return MatchScale(same_symbol, other_symbol, np.array(sizes))


class MatchRoom(NamedTuple):
    """Arrays that hold one match while it is computed."""

    nodes: Array
    """The operators and leaves of the formula that match, by their places."""
    paths: Array
    """The path of each, by its number in the node of the query."""
    names: Array
    """The name of the symbol of each; then of each distinct symbol."""
    symbols: Array
    """The number of the symbol of each."""
    prints: Array
    """The fingerprint of each."""
    widths: Array
    """For each path the leaves that count."""
    cells: Array
    """For each symbol of the query, and each of the formula, what their leaves count."""
    partners: Array
    """For each symbol of the query, that of the formula that it is matched with, or -1."""
    is_taken: Array
    subtrees: Array
    ways: SubtreeRoom


def match_room() -> MatchRoom:
    """Return room for any match."""
    return MatchRoom(
        np.empty(MAX_NODES, np.int64),
        np.empty(MAX_NODES, np.int64),
        np.empty(MAX_NODES, np.uint64),
        np.empty(MAX_NODES, np.int64),
        np.empty(MAX_NODES, np.uint64),
        np.empty(MAX_LEAVES, np.int64),
        np.empty((MAX_LEAVES, MAX_NODES)),
        np.empty(MAX_LEAVES, np.int64),
        np.empty(MAX_NODES, np.uint8),
        np.empty(MAX_NODES, np.uint64),
        subtree_room(),
    )


@compiled
def match_score(
    query: SectorQuery,
    node: IntLike,
    words: Array,
    first: IntLike,
    operators: IntLike,
    leaves: IntLike,
    root: IntLike,
    scale: MatchScale,
    room: MatchRoom,
) -> FloatLike:
    """Return the score of a node of a query and the subtree of a formula at a root.

    The row of the formula begins at ``first``. ``room`` then has the parts of the match.
    """
    size = find_matches(query, node, words, first, operators, leaves, root, room)
    start, structure, count = query.path_starts[node], 0, 0
    for path in range(query.path_starts[node + 1] - start):
        structure += room.widths[path] * query.path_weights[start + path]
        count += room.widths[path]
    symbols = mark_and_cross(query, node, size, scale, room)
    share = min(symbols, np.float64(count)) / query.leaves[node]
    return combined_score(structure, share, scale.sizes[leaves])


@compiled
def combined_score(structure: IntLike, symbols: FloatLike, size_factor: FloatLike) -> FloatLike:
    """Return the score of a match: structure, share of symbols, and size of the formula."""
    return structure / WEIGHT_SCALE * symbol_factor(symbols) * size_factor


@compiled
def symbol_factor(symbols: FloatLike) -> FloatLike:
    """Return the factor for the share of symbols that match."""
    missing = 1.0 - symbols
    return 1.0 / (1.0 + missing * missing)


@compiled
def find_matches(
    query: SectorQuery,
    node: IntLike,
    words: Array,
    first: IntLike,
    operators: IntLike,
    leaves: IntLike,
    root: IntLike,
    room: MatchRoom,
) -> IntLike:
    """Write the leaves of a subtree with paths of the node, and operands where it has wildcards.

    Returns how many there are, and writes the width that counts of each path.
    """
    keys, table, others = query.path_keys, query.path_table, query.path_others
    nodes, paths, names, prints = room.nodes, room.paths, room.names, room.prints
    start = query.path_starts[node]
    count = query.path_starts[node + 1] - start
    has_wildcards = False
    for path in range(count):
        room.widths[path] = 0
        has_wildcards |= others[start + path] >= 0
    end = walk_down(words, first, operators, root, room.ways)
    if has_wildcards:
        _hash_subtrees(words, first, operators, leaves, room.subtrees)
    size = 0
    for at in range(0 if has_wildcards else operators, operators + leaves):
        word = words[first + at]
        above = parent_of(word)
        if operators > 0 and not root <= above < end:
            continue
        for is_operand in range(2 if has_wildcards else 1):
            if at < operators and not is_operand:
                continue
            kind = WILDCARD_KIND if is_operand else kind_of(word)
            key = path_below(word, kind, room.ways.keys) if operators else lone_key(kind)
            slot = np.int64(key % np.uint64(TABLE))
            while table[node, slot] >= 0 and keys[start + table[node, slot]] != key:
                slot = (slot + 1) % TABLE
            path = np.int64(table[node, slot])
            if path >= 0 and key != 0:
                nodes[size], paths[size] = at, path
                names[size] = room.subtrees[at] | OPERAND if is_operand else symbol_of(word)
                prints[size] = room.ways.prints[above] if operators else np.uint64(0)
                room.widths[path] += 1
                size += 1
    for path in range(count):
        found = room.widths[path] - max(0, others[start + path])
        room.widths[path] = max(0, min(query.path_widths[start + path], found))
    return size


@compiled
def _hash_subtrees(
    words: Array, first: IntLike, operators: IntLike, leaves: IntLike, subtrees: Array
) -> None:
    """Write the hash of each operator or leaf with all that is below it."""
    for at in range(operators):
        subtrees[at] = label_of(words[first + at])
    for at in range(operators + leaves - 1, -1, -1):
        word = words[first + at]
        if at >= operators:
            subtrees[at] = symbol_of(word)
        if parent_of(word) != NO_PARENT:
            # A sum, so that the order of operands does not matter; steps have their places.
            subtrees[parent_of(word)] += mixed(step_of(word), subtrees[at])


@compiled
def mark_and_cross(
    query: SectorQuery, node: IntLike, size: IntLike, scale: MatchScale, room: MatchRoom
) -> FloatLike:
    """Return what the symbols of the matches in ``room`` count, and write their partners."""
    cells, names, symbols, prints = room.cells, room.names, room.symbols, room.prints
    start, first = query.path_starts[node], query.symbol_starts[node]
    count, distinct = query.symbol_starts[node + 1] - first, 0
    for at in range(size):
        number = 0
        while number < distinct and names[number] != names[at]:
            number += 1
        if number == distinct:
            # Never behind the name that is read: there are not more distinct ones.
            names[distinct] = names[at]
            room.is_taken[distinct] = 0
            for symbol in range(count):
                cells[symbol, distinct] = 0.0
            distinct += 1
        symbols[at] = number
    for at in range(size):
        path, symbol = room.paths[at], symbols[at]
        before, before_alike = 0, 0
        for other in range(at):
            if symbols[other] == symbol and room.paths[other] == path:
                before += 1
                before_alike += prints[other] == prints[at]
        path += start
        for group in range(query.group_starts[path], query.group_starts[path + 1]):
            own, is_counted = query.group_symbols[group], before < query.group_counts[group]
            if query.path_others[path] >= 0:
                cells[own, symbol] += 1.0 if is_counted else 0.0
            elif query.symbols[first + own] != names[symbol]:
                cells[own, symbol] += scale.other_symbol if is_counted else 0.0
            else:
                cells[own, symbol] += scale.same_symbol if is_counted else 0.0
                for place in range(query.print_starts[group], query.print_starts[group + 1]):
                    is_new = before_alike < query.print_counts[place]
                    if is_new and query.prints[place] == prints[at]:
                        cells[own, symbol] += 1.0 - scale.same_symbol
    total = 0.0
    for symbol in range(count):
        best, value = -1, 0.0
        for other in range(distinct):
            if not room.is_taken[other] and cells[symbol, other] > value:
                best, value = other, cells[symbol, other]
        room.partners[symbol] = best
        total += value
        if best >= 0 and query.symbols[first + symbol] < OPERAND:
            room.is_taken[best] = 1
    return total
