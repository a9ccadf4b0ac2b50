"""Which part of a found formula is that which was asked for.

Rows of symbols are aligned as strings are, locally: some symbols of the one stand in the same order
in the other, and whatever hangs on two symbols that are aligned is aligned too. Every row of the
one formula is tried with every row of the other, and the alignment that is worth most is the part
they have in common. A symbol is worth most if it is the same, less if it is another variable that
stands for it throughout, and a wildcard takes whatever stands in its place.

This decides what is shown as matched, not what is found: systems have their own ways to compare.
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
"""What a pair is worth: of the same symbols, of fractions, roots and the like, which are nothing
without their content, of variables of which one stands for the other, of such before it is known
which do, and of a wildcard and what it takes."""

GAP = 10
"""What symbols left out in a row cost, however many: one symbol behind them is not worth it."""

OTHER = 1
"""What other rows on two symbols cost, so that of parts as large the most alike wins."""

MIN_WORTH = 2 * SAME
"""A part that is worth less is none, unless it is all that was asked for: most formulas have some
symbol in common."""

MAX_PAIRS = 4_000
"""Formulas of more pairs of symbols are not aligned, unless they are equal: that could take more
than 5 ms."""


class AlignedPair(NamedTuple):
    """Two nodes that are aligned, by their places in ``Tree.nodes()``."""

    asked: int
    found: int


class CommonPart(NamedTuple):
    """The part that two formulas have in common; what it is worth tells such parts apart."""

    pairs: tuple[AlignedPair, ...] = ()
    worth: int = 0


def with_common_part_marked(found: Tree, asked: Sequence[Tree]) -> Tree | None:
    """The found formula with the part marked that it has in common with one of those asked for.

    Of these the one that has most in common is taken. The formula itself, without marks, if that is
    all of it; None if nothing is in common.
    """
    best = max((common_part(each, found) for each in asked), key=_worth, default=CommonPart())
    if not best.pairs:
        return None
    marked = with_marks(found, {pair.found for pair in best.pairs})
    return found if all(type(node) is MarkedSubtree for node in marked.row) else marked


def _worth(common: CommonPart) -> int:
    return common.worth


def common_part(asked: Tree, found: Tree) -> CommonPart:
    """The largest part of one layout tree that is in another, up to the names of variables.

    Variables are renamed one for one. Nothing is in common if it is too little, or if the formulas
    differ and are too large to be aligned.

    >>> from porism.formula.tree import parse_tree
    >>> asked, found = parse_tree("[V!a[+[N!1]]]"), parse_tree("[-[V!x[+[N!1]]]]")
    >>> common_part(asked, found).pairs
    (AlignedPair(asked=0, found=1), AlignedPair(asked=1, found=2), AlignedPair(asked=2, found=3))
    """
    size, other_size = _size(asked), _size(found)
    if size == other_size:
        one, other = _flat(asked), _flat(found)
        # This takes linear time, so it holds for formulas of any size.
        if one.labels == other.labels and one.hung == other.hung:
            return _whole(one)
    if size * other_size > MAX_PAIRS:
        return CommonPart()
    one, other = _flat(asked), _flat(found)
    guess = _Alignments(one, other, _guessed(asked)).best()
    renaming = _renaming(one, other, guess.pairs)
    if renaming is None:
        return guess
    return _Alignments(one, other, _candidates(one, renaming)).best()


def _whole(asked: _Flat) -> CommonPart:
    """All of a formula, as the part that it has in common with an equal one."""
    worth = asked.worths[0]
    if worth < _enough(asked):
        return CommonPart()
    return CommonPart(tuple(AlignedPair(place, place) for place in range(len(asked.labels))), worth)


def _renaming(one: _Flat, other: _Flat, pairs: Iterable[AlignedPair]) -> dict[str, str] | None:
    """Which variable stands for which, one for one, by how often each does; None if all do so."""
    counts = Counter(
        (one.labels[pair.asked], other.labels[pair.found])
        for pair in pairs
        if _is_variable(one.labels[pair.asked]) and _is_variable(other.labels[pair.found])
    )
    renaming: dict[str, str] = {}
    taken: set[str] = set()
    # Sorting is stable: of those that occur as often, the same name and then the first one is kept.
    for (name, new), _ in sorted(
        counts.items(), key=lambda each: (-each[1], each[0][0] != each[0][1])
    ):
        if name not in renaming and new not in taken:
            renaming[name] = new
            taken.add(new)
    return None if len(renaming) == len(counts) else renaming


# Formulas as lists ----------------------------------------------------------------------------


class _Flat(NamedTuple):
    """A layout tree as lists by the places of nodes and of rows, of which 0 is the whole formula.

    ``hung`` has the rows on a node, with the order of their edges; ``ends`` is the place after all
    that hangs on a node. ``worths`` is the most that an alignment of a row can be worth.
    """

    labels: list[str]
    hung: list[tuple[tuple[int, int], ...]]
    ends: list[int]
    rows: list[list[int]]
    worths: list[int]


_EDGE_ORDER = {edge: place for place, edge in enumerate(Edge)}


def _size(tree: Tree) -> int:
    """How many nodes a tree has, of which no more than matters are counted."""
    return sum(1 for _ in islice(tree.nodes(), MAX_PAIRS + 1))


@lru_cache(maxsize=16)  # those asked for are compared with many
def _flat(tree: Tree) -> _Flat:
    flat = _Flat([], [], [], [], [])
    _flatten(tree.row, flat)
    return flat


def _flatten(row: Row, flat: _Flat) -> int:
    """Add a row and all that hangs on it; which row it is."""
    labels, hung, ends, rows, worths = flat
    number = len(rows)
    nodes: list[int] = []
    rows.append(nodes)
    worths.append(0)
    worth = 0
    for label, parts in row:
        place = len(labels)
        nodes.append(place)
        labels.append(CANONICAL_SYMBOLS.get(label, label))
        worth += _same_worth(label)
        hung.append(())
        ends.append(place + 1)
        if parts:
            hung[place] = tuple((_EDGE_ORDER[edge], _flatten(below, flat)) for edge, below in parts)
            ends[place] = len(labels)
            worth += sum(worths[below] for _, below in hung[place])
    worths[number] = worth
    return number


@cached_by_label
def _is_variable(label: str) -> bool:
    return len(label) == 3 and label[:2] == "V!" and label[2].isalpha()


@cached_by_label
def _is_wildcard(label: str) -> bool:
    return label[0] == "?" and len(label) > 1


@cached_by_label
def _same_worth(label: str) -> int:
    if _is_wildcard(label):
        return ANYTHING
    return SHAPE if label[:2] in ("O!", "M!", "W!") else SAME


def _enough(asked: _Flat) -> int:
    """What a part of a formula must be worth; one symbol must be the same."""
    if len(asked.labels) == 1:
        return SAME
    least = sum(GUESSED if _is_variable(each) else _same_worth(each) for each in asked.labels)
    return max(SAME + 1, min(MIN_WORTH, least))


# Alignments -----------------------------------------------------------------------------------

_Cell = tuple[int, int]
"""A place in a row of the asked formula, and one in a row of the found one."""


class _Aligned(NamedTuple):
    """The best alignment of two rows: what it is worth, its last cell, and each cell's last one."""

    worth: int
    last: _Cell | None
    before: Mapping[_Cell, _Cell | None]


_NOTHING = _Aligned(0, None, {})


class _Alignments:
    """The alignments of the rows of two formulas, each made once."""

    def __init__(self, asked: _Flat, found: _Flat, candidates: Sequence[_Candidates]) -> None:
        self._asked = asked
        self._found = found
        self._candidates = candidates
        self._known: dict[tuple[int, int], _Aligned] = {}

    def best(self) -> CommonPart:
        """The alignment that is worth most; of equal ones that of the outermost and first rows."""
        worth, best = _enough(self._asked) - 1, None
        for asked, most in enumerate(self._asked.worths):
            for found, most_found in enumerate(self._found.worths):
                if most > worth < most_found:  # else it cannot be better
                    aligned = self._aligned(asked, found)
                    if aligned.worth > worth:
                        worth, best = aligned.worth, (asked, found)
        return (
            CommonPart() if best is None else CommonPart(tuple(sorted(self._pairs(*best))), worth)
        )

    def _aligned(self, asked: int, found: int) -> _Aligned:
        key = (asked, found)
        aligned = self._known.get(key)
        if aligned is None:
            aligned = self._known[key] = self._align(asked, found)
        return aligned

    def _align(self, asked: int, found: int) -> _Aligned:
        candidates = self._candidates[asked]
        labels, hung_found, hung = self._found.labels, self._found.hung, self._asked.hung
        places = self._asked.rows[asked]
        length = len(places)
        # Of all cells before a place of the asked row, the worth of the best and which it is.
        reach = [0] * (length + 1)
        reached: list[_Cell | None] = [None] * (length + 1)
        before: dict[_Cell, _Cell | None] = {}
        worth, last = 0, None
        column: dict[int, int] = {}
        for right, node in enumerate(self._found.rows[found]):
            previous, column = column, {}
            for left, pair_worth in candidates.of(labels[node]):
                # Other rows on a symbol may cost more than it is worth: then it is left out.
                cell_worth = max(0, previous.get(left - 1, 0))
                source = (left - 1, right - 1) if cell_worth else None
                if reach[left] - GAP > cell_worth:
                    cell_worth, source = reach[left] - GAP, reached[left]
                cell_worth += pair_worth
                if hung[places[left]] or hung_found[node]:
                    cell_worth += self._hung_worth(places[left], node)
                if left in candidates.open_wildcards and previous.get(left, 0) >= cell_worth:
                    cell_worth, source = previous[left], (left, right - 1)
                column[left] = cell_worth
                before[left, right] = source
                if cell_worth > worth:
                    worth, last = cell_worth, (left, right)
            for left, cell_worth in column.items():
                for place in range(left + 1, length + 1):
                    if reach[place] >= cell_worth:
                        break
                    reach[place], reached[place] = cell_worth, (left, right)
        return _Aligned(worth, last, before) if worth else _NOTHING

    def _hung_worth(self, asked: int, found: int) -> int:
        hung, hung_found = self._asked.hung[asked], self._found.hung[found]
        worth = -OTHER if len(hung) != len(hung_found) else 0
        for one, other in _shared(hung, hung_found):
            worth += self._aligned(one, other).worth
            if len(self._asked.rows[one]) != len(self._found.rows[other]):
                worth -= OTHER
        return worth

    def _pairs(self, asked: int, found: int) -> Iterator[AlignedPair]:
        """The nodes that are aligned in two rows, and in the rows that hang on those."""
        aligned = self._aligned(asked, found)
        cell = aligned.last
        while cell is not None:
            one = self._asked.rows[asked][cell[0]]
            other = self._found.rows[found][cell[1]]
            yield AlignedPair(one, other)
            hung = self._asked.hung[one], self._found.hung[other]
            for row, other_row in _shared(*hung):
                yield from self._pairs(row, other_row)
            if _is_wildcard(self._asked.labels[one]):
                yield from self._taken(one, other)
            cell = aligned.before[cell]

    def _taken(self, wildcard: int, found: int) -> Iterator[AlignedPair]:
        """What hangs on a found node where the wildcard that takes it has nothing of its own."""
        own = {edge for edge, _ in self._asked.hung[wildcard]}
        for edge, row in self._found.hung[found]:
            if edge not in own:
                nodes = self._found.rows[row]
                for place in range(nodes[0], self._found.ends[nodes[-1]]):
                    yield AlignedPair(wildcard, place)


def _shared(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]
) -> Iterator[tuple[int, int]]:
    """The rows that hang by the same edges; the cells of matrices one after another."""
    left = right = 0
    while left < len(one) and right < len(other):
        edge, row = one[left]
        other_edge, other_row = other[right]
        if edge == other_edge:
            yield row, other_row
        left += edge <= other_edge
        right += other_edge <= edge


class _Candidates:
    """The places of an asked row that may be aligned with a symbol, and what each is worth.

    ``renaming`` says which variables stand for which; without it any may stand for any.
    """

    def __init__(
        self, asked: _Flat, row: Sequence[int], renaming: Mapping[str, str] | None
    ) -> None:
        self._labels = [asked.labels[node] for node in row]
        self._renaming = renaming
        self._known: dict[str, list[tuple[int, int]]] = {}
        self.open_wildcards = frozenset(
            place
            for place, node in enumerate(row)
            if _is_wildcard(asked.labels[node]) and not asked.hung[node]
        )
        """Those that may take more than one symbol; what has an exponent is one."""

    def of(self, label: str) -> list[tuple[int, int]]:
        known = self._known.get(label)
        if known is None:
            worths = ((place, self._worth(own, label)) for place, own in enumerate(self._labels))
            known = [each for each in worths if each[1]]
            if len(self._known) < MAX_CACHED and len(label) <= MAX_LABEL:
                self._known[label] = known
        return known

    def _worth(self, asked: str, found: str) -> int:
        if _is_wildcard(asked):
            return ANYTHING
        if _is_variable(asked) and _is_variable(found):
            if self._renaming is None:
                return SAME if asked == found else GUESSED
            if self._renaming.get(asked) != found:
                return 0
            return SAME if asked == found else RENAMED
        return _same_worth(asked) if asked == found else 0


MAX_CACHED = 1_000
"""Symbols of which it is kept what they may be aligned with; formulas have few others."""


def _candidates(asked: _Flat, renaming: Mapping[str, str] | None) -> tuple[_Candidates, ...]:
    return tuple(_Candidates(asked, row, renaming) for row in asked.rows)


@lru_cache(maxsize=16)
def _guessed(asked: Tree) -> tuple[_Candidates, ...]:
    """Those of a formula that is compared with many, before it is known what is renamed."""
    return _candidates(_flat(asked), None)
