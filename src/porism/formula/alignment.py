"""The part that a query formula and a result formula have in common.

Rows of symbols are aligned like strings, locally: some symbols of one row occur in the same order
in the other, and the rows attached to two aligned symbols are aligned too. Every row of one formula
is tried with every row of the other, and the alignment with the highest score is the common part.
A symbol scores highest if it is the same, lower if it is another variable that replaces it
throughout, and a wildcard matches anything in its place.

This decides what is highlighted as a match. ``porism`` for formulas also scores by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from porism.formula.caches import MAX_LABEL, cached_by_label
from porism.formula.marks import MarkedSubtree, with_marks
from porism.formula.symbols import CANONICAL_SYMBOLS
from porism.formula.tree import Edge, Row, Tree

SAME, SHAPE, RENAMED, GUESSED, ANYTHING = 8, 4, 6, 4, 4
"""Scores of pairs: of the same symbols; of fractions, roots and the like, which mean little without
their content; of a variable and its new name; of two variables before the renaming is known; and of
a wildcard and what it matches."""

GAP = 10
"""The cost of skipped symbols in a row, however many: one symbol after them is not worth it."""

OTHER = 1
"""The cost of differing rows on two symbols: of parts of equal size the more similar wins."""

MIN_SCORE = 2 * SAME
"""The least score of a common part, unless it is the whole query: most formulas share a symbol."""

MAX_PAIRS = 4_000
"""Formulas with more pairs of symbols are not aligned, unless they are equal: that could take more
than 5 ms."""


class AlignedPair(NamedTuple):
    """Two aligned nodes, by their positions in ``Tree.nodes()``."""

    query: int
    result: int


class CommonPart(NamedTuple):
    """The part that two formulas have in common, and its score."""

    pairs: tuple[AlignedPair, ...] = ()
    score: int = 0


def with_common_part_marked(result: Tree, queries: Sequence[Tree]) -> Tree | None:
    """The result formula with the part marked that it has in common with a query formula.

    Of several queries the one with the best common part is used. The formula itself, without marks,
    if the part is all of it; None if there is no common part.
    """
    best = max((common_part(query, result) for query in queries), key=_score, default=CommonPart())
    if not best.pairs:
        return None
    marked = with_marks(result, {pair.result for pair in best.pairs})
    return result if all(isinstance(node, MarkedSubtree) for node in marked.row) else marked


def _score(common: CommonPart) -> int:
    return common.score


def common_part(query: Tree, result: Tree) -> CommonPart:
    """The largest part of one layout tree that is in another, up to the names of variables.

    Variables are renamed one to one. The part is empty if it scores too low, or if the formulas
    differ and are too large to be aligned.

    >>> from porism.formula.tree import parse_tree
    >>> query, result = parse_tree("[V!a[+[N!1]]]"), parse_tree("[-[V!x[+[N!1]]]]")
    >>> [tuple(pair) for pair in common_part(query, result).pairs]
    [(0, 1), (1, 2), (2, 3)]
    """
    size, other_size = _size(query), _size(result)
    if size == other_size:
        one, other = _flat(query), _flat(result)
        # This takes linear time, so it is done for formulas of any size.
        if one.labels == other.labels and one.attached == other.attached:
            return _whole(one)
    if size * other_size > MAX_PAIRS:
        return CommonPart()
    one, other = _flat(query), _flat(result)
    guess = _Alignments(one, other, _guessed_candidates(query)).best()
    renaming = _renaming(one, other, guess.pairs)
    if renaming is None:
        return guess
    return _Alignments(one, other, _candidates(one, renaming)).best()


def can_be_aligned(query: Tree, result: Tree) -> bool:
    """Whether ``common_part`` aligns two formulas that differ: not if both are large."""
    return _size(query) * _size(result) <= MAX_PAIRS


def _whole(query: _Flat) -> CommonPart:
    """All of a formula, as the part that it has in common with an equal one."""
    score = query.scores[0]
    if score < _min_score(query):
        return CommonPart()
    return CommonPart(tuple(AlignedPair(place, place) for place in range(len(query.labels))), score)


def _renaming(one: _Flat, other: _Flat, pairs: Iterable[AlignedPair]) -> dict[str, str] | None:
    """The most frequent one-to-one renaming of variables; None if all pairs agree with it."""
    counts = Counter(
        (one.labels[pair.query], other.labels[pair.result])
        for pair in pairs
        if _is_variable(one.labels[pair.query]) and _is_variable(other.labels[pair.result])
    )
    renaming: dict[str, str] = {}
    taken: set[str] = set()
    # Sorting is stable: of equally frequent ones, the same name and then the first one is kept.
    for (name, new), _ in sorted(
        counts.items(), key=lambda each: (-each[1], each[0][0] != each[0][1])
    ):
        if name not in renaming and new not in taken:
            renaming[name] = new
            taken.add(new)
    return None if len(renaming) == len(counts) else renaming


# Formulas as lists ----------------------------------------------------------------------------


class _Flat(NamedTuple):
    """A layout tree as lists by node and by row; row 0 is the whole formula.

    ``attached`` has the rows on a node, with the order of their edges; ``ends`` is the position
    after all nodes on these rows. ``scores`` is the highest score of any alignment of a row.
    """

    labels: list[str]
    attached: list[tuple[tuple[int, int], ...]]
    ends: list[int]
    rows: list[list[int]]
    scores: list[int]


_EDGE_ORDER = {edge: place for place, edge in enumerate(Edge)}


def _size(tree: Tree) -> int:
    """The number of nodes of a tree, counted up to the limit that matters."""
    return sum(1 for _ in islice(tree.nodes(), MAX_PAIRS + 1))


@lru_cache(maxsize=16)  # a query is compared with many results
def _flat(tree: Tree) -> _Flat:
    flat = _Flat([], [], [], [], [])
    _flatten(tree.row, flat)
    return flat


def _flatten(row: Row, flat: _Flat) -> int:
    """Add a row and all rows below it; return its number."""
    labels, attached, ends, rows, scores = flat
    number = len(rows)
    nodes: list[int] = []
    rows.append(nodes)
    scores.append(0)
    score = 0
    for label, parts in row:
        place = len(labels)
        nodes.append(place)
        labels.append(CANONICAL_SYMBOLS.get(label, label))
        score += _same_score(label)
        attached.append(())
        ends.append(place + 1)
        if parts:
            attached[place] = tuple(
                (_EDGE_ORDER[edge], _flatten(below, flat)) for edge, below in parts
            )
            ends[place] = len(labels)
            score += sum(scores[below] for _, below in attached[place])
    scores[number] = score
    return number


@cached_by_label
def _is_variable(label: str) -> bool:
    return len(label) == 3 and label[:2] == "V!" and label[2].isalpha()


@cached_by_label
def _is_wildcard(label: str) -> bool:
    return label[0] == "?" and len(label) > 1


@cached_by_label
def _same_score(label: str) -> int:
    if _is_wildcard(label):
        return ANYTHING
    return SHAPE if label[:2] in ("O!", "M!", "W!") else SAME


def _min_score(query: _Flat) -> int:
    """The least score of a common part; a single symbol must be the same."""
    if len(query.labels) == 1:
        return SAME
    least = sum(GUESSED if _is_variable(each) else _same_score(each) for each in query.labels)
    return max(SAME + 1, min(MIN_SCORE, least))


# Alignments -----------------------------------------------------------------------------------

_Cell = tuple[int, int]
"""A position in a row of the query, and one in a row of the result."""


class _Aligned(NamedTuple):
    """The best alignment of two rows: its score, its last cell, and each cell's predecessor."""

    score: int
    last: _Cell | None
    before: Mapping[_Cell, _Cell | None]


_NOTHING = _Aligned(0, None, {})


class _Alignments:
    """The alignments of the rows of two formulas, each computed once."""

    def __init__(self, query: _Flat, result: _Flat, candidates: Sequence[_Candidates]) -> None:
        self._query = query
        self._result = result
        self._candidates = candidates
        self._cached: dict[tuple[int, int], _Aligned] = {}

    def best(self) -> CommonPart:
        """The alignment with the highest score; of equal ones that of the outermost first rows."""
        score, best = _min_score(self._query) - 1, None
        for row, most in enumerate(self._query.scores):
            for other_row, other_most in enumerate(self._result.scores):
                if most > score < other_most:  # else it cannot be better
                    aligned = self._aligned(row, other_row)
                    if aligned.score > score:
                        score, best = aligned.score, (row, other_row)
        return (
            CommonPart() if best is None else CommonPart(tuple(sorted(self._pairs(*best))), score)
        )

    def _aligned(self, row: int, other_row: int) -> _Aligned:
        key = (row, other_row)
        aligned = self._cached.get(key)
        if aligned is None:
            aligned = self._cached[key] = self._align(row, other_row)
        return aligned

    def _align(self, row: int, other_row: int) -> _Aligned:
        candidates = self._candidates[row]
        labels, other_attached = self._result.labels, self._result.attached
        places, attached = self._query.rows[row], self._query.attached
        length = len(places)
        # Of all cells before a position of the query row, the best score and its cell.
        reach = [0] * (length + 1)
        reached: list[_Cell | None] = [None] * (length + 1)
        before: dict[_Cell, _Cell | None] = {}
        score, last = 0, None
        column: dict[int, int] = {}
        for right, node in enumerate(self._result.rows[other_row]):
            previous, column = column, {}
            for left, pair_score in candidates.of(labels[node]):
                # Differing rows on a symbol may cost more than its score: then it is skipped.
                cell_score = max(0, previous.get(left - 1, 0))
                source = (left - 1, right - 1) if cell_score else None
                if reach[left] - GAP > cell_score:
                    cell_score, source = reach[left] - GAP, reached[left]
                cell_score += pair_score
                if attached[places[left]] or other_attached[node]:
                    cell_score += self._attached_score(places[left], node)
                if left in candidates.open_wildcards and previous.get(left, 0) >= cell_score:
                    cell_score, source = previous[left], (left, right - 1)
                column[left] = cell_score
                before[left, right] = source
                if cell_score > score:
                    score, last = cell_score, (left, right)
            for left, cell_score in column.items():
                for place in range(left + 1, length + 1):
                    if reach[place] >= cell_score:
                        break
                    reach[place], reached[place] = cell_score, (left, right)
        return _Aligned(score, last, before) if score else _NOTHING

    def _attached_score(self, node: int, other_node: int) -> int:
        attached, other_attached = self._query.attached[node], self._result.attached[other_node]
        score = -OTHER if len(attached) != len(other_attached) else 0
        for row, other_row in _shared(attached, other_attached):
            score += self._aligned(row, other_row).score
            if len(self._query.rows[row]) != len(self._result.rows[other_row]):
                score -= OTHER
        return score

    def _pairs(self, row: int, other_row: int) -> Iterator[AlignedPair]:
        """The aligned nodes of two rows, and of the rows attached to them."""
        aligned = self._aligned(row, other_row)
        cell = aligned.last
        while cell is not None:
            one = self._query.rows[row][cell[0]]
            other = self._result.rows[other_row][cell[1]]
            yield AlignedPair(one, other)
            for below, other_below in _shared(
                self._query.attached[one], self._result.attached[other]
            ):
                yield from self._pairs(below, other_below)
            if _is_wildcard(self._query.labels[one]):
                yield from self._matched_by_wildcard(one, other)
            cell = aligned.before[cell]

    def _matched_by_wildcard(self, wildcard: int, node: int) -> Iterator[AlignedPair]:
        """The nodes attached to a result node by edges that the wildcard does not have."""
        own = {edge for edge, _ in self._query.attached[wildcard]}
        for edge, row in self._result.attached[node]:
            if edge not in own:
                nodes = self._result.rows[row]
                for place in range(nodes[0], self._result.ends[nodes[-1]]):
                    yield AlignedPair(wildcard, place)


def _shared(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]
) -> Iterator[tuple[int, int]]:
    """The rows on the same edges; the cells of matrices one after another."""
    left = right = 0
    while left < len(one) and right < len(other):
        edge, row = one[left]
        other_edge, other_row = other[right]
        if edge == other_edge:
            yield row, other_row
        left += edge <= other_edge
        right += other_edge <= edge


class _Candidates:
    """The positions of a query row that may be aligned with a symbol, with their scores.

    ``renaming`` is the renaming of variables; without it any may be aligned with any.
    """

    def __init__(
        self, query: _Flat, row: Sequence[int], renaming: Mapping[str, str] | None
    ) -> None:
        self._labels = [query.labels[node] for node in row]
        self._renaming = renaming
        self._cached: dict[str, list[tuple[int, int]]] = {}
        self.open_wildcards = frozenset(
            place
            for place, node in enumerate(row)
            if _is_wildcard(query.labels[node]) and not query.attached[node]
        )
        """Wildcards that may match several symbols: those without an exponent or the like."""

    def of(self, label: str) -> list[tuple[int, int]]:
        cached = self._cached.get(label)
        if cached is None:
            scores = ((place, self._score(own, label)) for place, own in enumerate(self._labels))
            cached = [each for each in scores if each[1]]
            if len(self._cached) < MAX_CACHED and len(label) <= MAX_LABEL:
                self._cached[label] = cached
        return cached

    def _score(self, own: str, other: str) -> int:
        if _is_wildcard(own):
            return ANYTHING
        if _is_variable(own) and _is_variable(other):
            if self._renaming is None:
                return SAME if own == other else GUESSED
            if self._renaming.get(own) != other:
                return 0
            return SAME if own == other else RENAMED
        return _same_score(own) if own == other else 0


MAX_CACHED = 1_000
"""Symbols whose candidates are cached; formulas have few others."""


def _candidates(query: _Flat, renaming: Mapping[str, str] | None) -> tuple[_Candidates, ...]:
    return tuple(_Candidates(query, row, renaming) for row in query.rows)


@lru_cache(maxsize=16)
def _guessed_candidates(query: Tree) -> tuple[_Candidates, ...]:
    """The candidates of a query that is compared with many results, without a renaming."""
    return _candidates(_flat(query), None)
