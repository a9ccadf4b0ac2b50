"""Which pairs of an alignment match: variables are renamed one to one, wildcards bound to parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, IntLike, compiled
from porism.structure.linked_trees import MAX_ALIGNED, NEXT, LinkedTree, child_on
from porism.structure.packed_trees import WILDCARD


class AlignmentWork(NamedTuple):
    """Arrays that are used again for each candidate."""

    table: Array  # by query node and candidate node: nodes of their alignment, identical labels
    in_row: Array  # by both: the best partner of the query node from there on in a row
    partners: Array  # by query node: the candidate node that it is aligned with
    best: Array  # by row: the best column that was free when it was last looked for
    is_taken: Array  # by column
    rows: Array
    columns: Array
    counts: Array  # by query variable and candidate variable
    renamed: Array  # by query variable: the candidate variable
    pairs: Array  # by pair: query node, candidate node, place of the pair above, end of the part
    digests: Array  # by pair: the part that a wildcard matches
    is_match: Array  # by pair
    bounds: Array  # by number of nodes of an alignment: the highest possible similarity


@compiled
def match_greedily(
    values: Array, rows: Array, columns: Array, work: AlignmentWork, partners: Array
) -> IntLike:
    """Write the column of each row to ``partners``, or -1, one to one; return the sum of values.

    The pair with the largest value is taken first, then the one with the first row, then column.
    """
    for column in columns:
        work.is_taken[column] = 0
    for row in rows:
        partners[row] = -1
        work.best[row] = _best_free(values, row, columns, work.is_taken)
    total = 0
    while True:
        best_row, best_value = -1, 0
        for row in rows:
            column = work.best[row]
            if partners[row] < 0 and column >= 0 and values[row, column] > best_value:
                best_row, best_value = row, values[row, column]
        if best_row < 0:
            return total
        column = work.best[best_row]
        # The value of a taken column is a bound for the row until its best free one is needed.
        if work.is_taken[column]:
            work.best[best_row] = _best_free(values, best_row, columns, work.is_taken)
            continue
        partners[best_row] = column
        work.is_taken[column] = 1
        total += best_value


@compiled
def _best_free(values: Array, row: IntLike, columns: Array, is_taken: Array) -> IntLike:
    best, best_value = -1, 0
    for column in columns:
        if values[row, column] > best_value and not is_taken[column]:
            best, best_value = column, values[row, column]
    return best


@compiled
def match_pairs(query: LinkedTree, other: LinkedTree, work: AlignmentWork, count: IntLike) -> None:
    """Decide which pairs of an alignment match, by renaming variables and binding wildcards."""
    pairs = work.pairs
    rows = columns = 0
    for pair in range(count):
        name = query.names[pairs[pair, 0]]
        if name >= 0:
            rows, columns = max(rows, name + 1), max(columns, other.names[pairs[pair, 1]] + 1)
    work.counts[:rows, :columns] = 0
    for pair in range(count):
        one, two = pairs[pair, 0], pairs[pair, 1]
        if query.names[one] >= 0:
            same = work.counts[query.names[one], other.names[two]]
            # Two for each occurrence, and one if the names are identical.
            same += 2 if same else 2 + (query.labels[one] == other.labels[two])
            work.counts[query.names[one], other.names[two]] = same
    for row in range(rows):
        work.rows[row] = row
    for column in range(columns):
        work.columns[column] = column
    match_greedily(work.counts, work.rows[:rows], work.columns[:columns], work, work.renamed)
    for pair in range(count):
        one, two = pairs[pair, 0], pairs[pair, 1]
        name = query.names[one]
        work.is_match[pair] = name < 0 or work.renamed[name] == other.names[two]
        if query.kinds[one] == WILDCARD:
            work.digests[pair] = _digest(query, other, one, two, pairs[pair, 3])
    _bind_wildcards(query, work, count)


@compiled
def _bind_wildcards(query: LinkedTree, work: AlignmentWork, count: IntLike) -> None:
    """Keep of the wildcards of one name those that match the most frequent part."""
    times, earliest = work.rows, work.columns
    for pair in range(count):
        node = work.pairs[pair, 0]
        times[pair], earliest[pair] = 0, MAX_ALIGNED
        if query.kinds[node] != WILDCARD:
            continue
        for other in range(count):
            place = work.pairs[other, 0]
            if query.kinds[place] != WILDCARD or query.labels[place] != query.labels[node]:
                continue
            if work.digests[other] == work.digests[pair]:
                times[pair] += 1
                earliest[pair] = min(earliest[pair], place)
    for pair in range(count):
        node = work.pairs[pair, 0]
        if query.kinds[node] != WILDCARD:
            continue
        for rival in range(count):
            place = work.pairs[rival, 0]
            if query.kinds[place] == WILDCARD and query.labels[place] == query.labels[node]:
                is_earlier = times[rival] == times[pair] and earliest[rival] < earliest[pair]
                if times[rival] > times[pair] or is_earlier:
                    work.is_match[pair] = 0
                    break


@compiled
def _digest(
    query: LinkedTree, other: LinkedTree, one: IntLike, first: IntLike, end: IntLike
) -> IntLike:
    """Return a number for the part that a wildcard matches, equal for equal parts."""
    digest = np.uint64(0)
    for place in range(first, end):
        if not is_in_part(query, other, one, first, place):
            continue
        node = np.uint64(other.labels[place])
        if place > first:
            depth, above = 1, other.parents[place]
            while above > first:
                depth, above = depth + 1, other.parents[above]
            edge = np.uint64(other.edges[place])
            node |= (np.uint64(depth) << np.uint64(40)) | (edge << np.uint64(32))
        digest = (digest ^ node) * np.uint64(0x9E3779B97F4A7C15)
        digest ^= digest >> np.uint64(29)
    return digest


@compiled
def is_in_part(
    query: LinkedTree, other: LinkedTree, one: IntLike, two: IntLike, place: IntLike
) -> bool:
    """Whether a wildcard matches a node between the ends of its part.

    Rows that are aligned with the wildcard's own rows are in between, but do not belong to it.
    """
    if query.first[one] < 0:
        return True
    while place > two and other.parents[place] != two:
        place = other.parents[place]
    edge = other.edges[place]
    return bool(place == two or edge == NEXT or child_on(query, one, edge) < 0)
