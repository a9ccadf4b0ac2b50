"""How well a node of a query matches a subtree of a formula, compiled.

Structure: each path counts its weight for as many leaves as both have. Symbols ("mark and cross"):
the leaves of a path are compared symbol by symbol. Of a symbol of the query and one of the formula,
as many leaves as both have count 1 if the symbols are equal, else ``other_symbol``, and times
``other_operators`` if the operators above them differ (their fingerprints). Then each symbol of
the query, the most frequent first, is assigned the one that counts most of those that are left; so
letters may be renamed, but one-to-one. The sum is divided by the leaves of the node. A wildcard is
a symbol too: where it occurs twice, it should match equal operands; different wildcards may also
match equal ones.

Approach0 compares the four operators above a leaf, also those above the match. Here all operators
up to the root of the match count, and none above it, so that a formula that is part of a larger one
has equal fingerprints.

Calls that pass many arrays cost more than what they do here, so the steps are inlined.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import log
from typing import NamedTuple

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled, inlined
from porism.formula.features.leaf_paths import MAX_LEAVES, MAX_OPERATORS
from porism.structure.operator_rows import (
    NO_PARENT,
    WAY_PRINT,
    WILDCARD_KIND,
    OperatorRow,
    kind_of,
    label_of,
    lone_key,
    mixed,
    parent_of,
    path_below,
    room_for_ways,
    row_paths,
    row_words,
    step_of,
    symbol_of,
    walk_down,
)
from porism.structure.sector_query import (
    COUNT,
    FIRST_GROUP,
    FIRST_PATH,
    FIRST_PRINT,
    FIRST_SYMBOL,
    LEAVES,
    OPERAND,
    OTHERS,
    ROOT,
    SYMBOL,
    TABLE,
    WEIGHT,
    WEIGHT_SCALE,
    WIDTH,
    SectorQuery,
    symbol_name,
)

MAX_NODES = MAX_LEAVES + MAX_OPERATORS


class MatchScale(NamedTuple):
    """The constants of the score, for compiled loops."""

    other_symbol: float
    other_operators: float
    sizes: Array
    """The factor for a formula of 0, 1, 2, ... leaves; it decreases."""


def match_scale(other_symbol: float, other_operators: float, eta: float) -> MatchScale:
    """Return the constants of the score: the factor of n leaves is ``1 - eta + eta / ln(1 + n)``.

    A formula without leaves has no sectors; its factor is that of one leaf.
    """
    sizes = [1 - eta + eta / log(1 + max(1, leaves)) for leaves in range(MAX_LEAVES + 1)]
    return MatchScale(other_symbol, other_operators, np.array(sizes))


NODE, PATH, NUMBER = range(3)
"""The columns of matches: the operator or leaf of the formula, by its place in the row; its path,
by the number in the node of the query; its symbol, by its number among those of all matches.
"""

END = -1
"""The ``NODE`` after the last match."""

NAME, PRINT, SUBTREE = range(3)
"""The columns of hashes: the name of the symbol of a match, then of each distinct symbol; the
fingerprint of a match; and the hash of each operator or leaf of the formula with all below it.
"""


class MatchRoom(NamedTuple):
    """Arrays that hold one match while it is computed."""

    matches: Array
    hashes: Array
    widths: Array
    """For each path of the node the leaves that count."""
    cells: Array
    """For each symbol of the query, and each of the formula, what their leaves count."""
    partners: Array
    """For each symbol of the query, that of the formula that it is assigned, or -1."""
    is_taken: Array
    ways: Array


def match_room() -> MatchRoom:
    """Return room for any match."""
    return MatchRoom(
        np.empty((2 * MAX_NODES + 1, 3), np.int64),
        np.empty((2 * MAX_NODES, 3), np.uint64),
        np.empty(MAX_LEAVES, np.int64),
        np.empty((MAX_LEAVES, 2 * MAX_NODES)),
        np.empty(MAX_LEAVES, np.int64),
        np.empty(2 * MAX_NODES, np.uint8),
        room_for_ways(),
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
    least: FloatLike,
    scale: MatchScale,
    room: MatchRoom,
) -> FloatLike:
    """Return the score of a node of a query and the subtree of a formula at a root.

    The row of the formula begins at ``first``. ``room`` then has the parts of the match. The score
    is 0 without a leaf that matches one of the query that is no wildcard, and if symbols cannot
    make up for a structure that is below the score ``least``.
    """
    nodes, paths, widths = query.nodes, query.paths, room.widths
    size = find_matches(query, node, words, first, operators, leaves, root, room)
    start, structure, count, known = nodes[node, FIRST_PATH], 0, 0, 0
    for path in range(nodes[node + 1, FIRST_PATH] - start):
        structure += widths[path] * paths[start + path, WEIGHT]
        count += widths[path]
        known += widths[path] if paths[start + path, OTHERS] < 0 else 0
    size_factor, own = scale.sizes[leaves], np.float64(nodes[node, LEAVES])
    if known == 0 or combined_score(structure, count / own, size_factor) < least:
        return 0.0
    symbols = min(mark_and_cross(query, node, size, scale, room), np.float64(count))
    return combined_score(structure, symbols / own, size_factor)


@compiled
def combined_score(structure: IntLike, symbols: FloatLike, size_factor: FloatLike) -> FloatLike:
    """Return the score of a match: structure, share of symbols, and size of the formula."""
    return structure / WEIGHT_SCALE * symbol_factor(symbols) * size_factor


@compiled
def symbol_factor(symbols: FloatLike) -> FloatLike:
    """Return the factor for the share of symbols that match."""
    missing = 1.0 - symbols
    return 1.0 / (1.0 + missing * missing)


@inlined
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
    keys, table, own_paths = query.keys, query.table, query.paths
    matches, hashes, widths, ways = room.matches, room.hashes, room.widths, room.ways
    start = query.nodes[node, FIRST_PATH]
    count = query.nodes[node + 1, FIRST_PATH] - start
    has_wildcards = False
    for path in range(count):
        widths[path] = 0
        has_wildcards |= own_paths[start + path, OTHERS] >= 0
    end = walk_down(words, first, operators, root, ways)
    if has_wildcards:
        _hash_subtrees(words, first, operators, leaves, hashes)
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
            key = path_below(word, kind, ways) if operators else lone_key(kind)
            slot = np.int64(key % np.uint64(TABLE))
            while table[node, slot] >= 0 and keys[start + table[node, slot]] != key:
                slot = (slot + 1) % TABLE
            path = int(table[node, slot])
            if path >= 0 and key != 0:
                matches[size, NODE], matches[size, PATH] = at, path
                hashes[size, NAME] = (
                    hashes[at, SUBTREE] | OPERAND if is_operand else symbol_of(word)
                )
                hashes[size, PRINT] = ways[above, WAY_PRINT] if operators else np.uint64(0)
                widths[path] += 1
                size += 1
    matches[size, NODE] = END
    for path in range(count):
        found = widths[path] - max(0, own_paths[start + path, OTHERS])
        widths[path] = max(0, min(own_paths[start + path, WIDTH], found))
    return size


@compiled
def _hash_subtrees(
    words: Array, first: IntLike, operators: IntLike, leaves: IntLike, hashes: Array
) -> None:
    """Write the hash of each operator or leaf with all that is below it."""
    for at in range(operators):
        hashes[at, SUBTREE] = label_of(words[first + at])
    for at in range(operators + leaves - 1, -1, -1):
        word = words[first + at]
        if at >= operators:
            hashes[at, SUBTREE] = symbol_of(word)
        if parent_of(word) != NO_PARENT:
            # A sum, so that the order of operands does not matter; steps have their places.
            hashes[parent_of(word), SUBTREE] += mixed(step_of(word), hashes[at, SUBTREE])


@inlined
def mark_and_cross(
    query: SectorQuery, node: IntLike, size: IntLike, scale: MatchScale, room: MatchRoom
) -> FloatLike:
    """Return what the symbols of the matches in ``room`` count, and write their partners."""
    own_paths, names, groups, own_prints = query.paths, query.symbols, query.groups, query.prints
    matches, hashes, cells, is_taken = room.matches, room.hashes, room.cells, room.is_taken
    other_symbol, other_operators = scale.other_symbol, scale.other_operators
    start, first = query.nodes[node, FIRST_PATH], query.nodes[node, FIRST_SYMBOL]
    count, distinct = query.nodes[node + 1, FIRST_SYMBOL] - first, 0
    for at in range(size):
        name, number = hashes[at, NAME], 0
        while number < distinct and hashes[number, NAME] != name:
            number += 1
        if number == distinct:
            # Never behind the name that is read: there are not more distinct ones.
            hashes[distinct, NAME] = name
            is_taken[distinct] = 0
            for symbol in range(count):
                cells[symbol, distinct] = 0.0
            distinct += 1
        matches[at, NUMBER] = number
    for at in range(size):
        path, symbol, fingerprint = matches[at, PATH], matches[at, NUMBER], hashes[at, PRINT]
        before, before_alike = 0, 0
        for other in range(at):
            if matches[other, NUMBER] == symbol and matches[other, PATH] == path:
                before += 1
                before_alike += hashes[other, PRINT] == fingerprint
        path += start
        for group in range(own_paths[path, FIRST_GROUP], own_paths[path + 1, FIRST_GROUP]):
            own, is_counted = groups[group, SYMBOL], before < groups[group, COUNT]
            if own_paths[path, OTHERS] >= 0:
                cells[own, symbol] += 1.0 if is_counted else 0.0
                continue
            value = 1.0 if names[first + own] == hashes[symbol, NAME] else other_symbol
            cells[own, symbol] += value * other_operators if is_counted else 0.0
            for place in range(groups[group, FIRST_PRINT], groups[group + 1, FIRST_PRINT]):
                is_new = before_alike < np.int64(own_prints[place, 1])
                if is_new and own_prints[place, 0] == fingerprint:
                    cells[own, symbol] += value * (1.0 - other_operators)
    total = 0.0
    for symbol in range(count):
        best, value = -1, 0.0
        for other in range(distinct):
            if not is_taken[other] and cells[symbol, other] > value:
                best, value = other, cells[symbol, other]
        room.partners[symbol] = best
        total += value
        if best >= 0 and names[first + symbol] < OPERAND:
            is_taken[best] = 1
    return total


class BestMatch(NamedTuple):
    """The best match of a query and a formula, with the parts of its score."""

    score: float
    node: int
    """The node of the query."""
    root: int
    """The operator of the formula."""
    widths: tuple[int, ...]
    """For each path of the node the leaves that count."""
    size_factor: float
    pairs: tuple[tuple[int, int], ...]
    """Leaves of the query and of the formula that match, by their places in the rows; where the
    query has a wildcard, the formula may have an operator.
    """


def best_match(
    row: OperatorRow, query: SectorQuery, other: OperatorRow, scale: MatchScale
) -> BestMatch | None:
    """Return the best match of a query with a formula; of equal ones the first, None if none.

    Every node of the query is compared with every subtree.
    """
    room, words = match_room(), row_words(other)
    operators, leaves = len(other.operators), len(other.leaves)
    best, at = 0.0, (0, 0)
    for node in range(len(query.nodes) - 1):
        for root in range(max(1, operators)):
            score = match_score(query, node, words, 0, operators, leaves, root, 0.0, scale, room)
            if score > best:
                best, at = score, (node, root)
    if not best:
        return None
    node, root = at
    match_score(query, node, words, 0, operators, leaves, root, 0.0, scale, room)
    paths = int(query.nodes[node + 1, FIRST_PATH] - query.nodes[node, FIRST_PATH])
    return BestMatch(
        best,
        node,
        root,
        tuple(room.widths[:paths].tolist()),
        float(scale.sizes[leaves]),
        tuple(_pairs(row, query, node, room)),
    )


def _pairs(
    row: OperatorRow, query: SectorQuery, node: int, room: MatchRoom
) -> Iterator[tuple[int, int]]:
    """Pair the leaves of a match: those whose symbols are partners, then others of the path."""
    places: dict[int, list[tuple[int, int]]] = {}
    first = int(query.nodes[node, FIRST_PATH])
    keys = query.keys[first : int(query.nodes[node + 1, FIRST_PATH])].tolist()
    names = query.symbols[int(query.nodes[node, FIRST_SYMBOL]) :].tolist()
    words = row_words(row)
    for path in row_paths(row):
        if path.root == query.nodes[node, ROOT]:
            symbol = names.index(symbol_name(words[path.place]))
            places.setdefault(keys.index(path.key), []).append((path.place, symbol))
    count = room.matches[:, NODE].tolist().index(END)
    found: dict[int, list[tuple[int, int]]] = {}
    for place, number, symbol in room.matches[:count].tolist():
        found.setdefault(number, []).append((place, symbol))
    for number, own in places.items():
        theirs, left = found.get(number, []), []
        width = int(room.widths[number])
        for place, symbol in own:
            partner = int(room.partners[symbol])
            match = next((pair for pair in theirs if pair[1] == partner), None)
            if match is None:
                left.append(place)
            elif width:
                theirs.remove(match)
                width -= 1
                yield place, match[0]
        yield from islice(zip(left, (place for place, _ in theirs), strict=False), width)
