"""Two formulas side by side: the parts that they share, renamed variables, and the rest of each.

The parts are those of ``alignment``: a part is a run of neighbours in one formula that are
neighbours in the other, with what is attached to them. A gap or a change of order begins another
part, so that each can have its own colour on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from porism.formula.alignment import can_be_aligned, common_part
from porism.formula.latex.writer import latex
from porism.formula.marks import with_numbered_marks
from porism.formula.symbols import CANONICAL_SYMBOLS
from porism.formula.tree import Node, Row, Tree

MAX_REST = 8
"""Parts listed of what only one of two formulas has."""


class SharedPart(NamedTuple):
    """A part that two formulas share, as places in ``Tree.nodes()`` of each, and as LaTeX."""

    query: frozenset[int]
    result: frozenset[int]
    query_latex: str
    result_latex: str


class Replacement(NamedTuple):
    """A variable of the query and its name in the result, or a wildcard and what it matches."""

    query: str
    result: str


@dataclass(frozen=True, slots=True)
class FormulaComparison:
    """What two formulas share and what they do not, as LaTeX.

    ``is_aligned`` is False if both are too large to be aligned; then nothing is shared.
    """

    query: Tree
    result: Tree
    is_aligned: bool
    parts: tuple[SharedPart, ...]
    renamed: tuple[Replacement, ...]
    wildcards: tuple[Replacement, ...]
    missing: tuple[str, ...]
    """Parts of the query that are not in the result."""
    extra: tuple[str, ...]
    """Parts of the result that are not in the query."""

    def record(self) -> dict[str, object]:
        """The comparison as JSON values."""
        return {
            "is_aligned": self.is_aligned,
            "parts": [
                {"query": part.query_latex, "result": part.result_latex} for part in self.parts
            ],
            "renamed": [each._asdict() for each in self.renamed],
            "wildcards": [each._asdict() for each in self.wildcards],
            "missing": list(self.missing),
            "extra": list(self.extra),
        }

    @property
    def matched_symbols(self) -> int:
        """Symbols of the query that are matched."""
        return sum(len(part.query) for part in self.parts)

    def marked_query(self) -> Tree:
        """The query with its shared parts marked by their numbers, from 1."""
        return with_numbered_marks(self.query, _numbers(part.query for part in self.parts))

    def marked_result(self) -> Tree:
        """The result with its shared parts marked by their numbers, from 1."""
        return with_numbered_marks(self.result, _numbers(part.result for part in self.parts))


def compare_formulas(query: Tree, result: Tree) -> FormulaComparison:
    r"""Compare two layout trees; wildcards of the query match anything in their places.

    >>> from porism.formula.latex import parse_latex
    >>> compared = compare_formulas(parse_latex("a^2+b=1").tree, parse_latex("x^2+y").tree)
    >>> [(part.query_latex, part.result_latex) for part in compared.parts], compared.missing
    ([('a^{2}+b', 'x^{2}+y')], ('=1',))
    >>> [tuple(each) for each in compared.renamed]
    [('a', 'x'), ('b', 'y')]
    """
    one, other = _placed(query), _placed(result)
    images: dict[int, list[int]] = {}
    for pair in common_part(query, result).pairs:
        images.setdefault(pair.query, []).append(pair.result)
    parts: list[SharedPart] = []
    for places in _runs(one, images, {place: found[0] for place, found in images.items()}, other):
        matched = frozenset(found for place in places for found in images[place])
        parts.append(
            SharedPart(frozenset(places), matched, _latex(query, places), _latex(result, matched))
        )
    renamed: dict[Replacement, None] = {}
    wildcards: dict[Replacement, None] = {}
    for place, found in sorted(images.items()):
        label, other_label = one.labels[place], other.labels[found[0]]
        if label[:1] == "?" and len(label) > 1:
            wildcards.setdefault(Replacement(label, _latex(result, found)))
        elif label != other_label:
            renamed.setdefault(Replacement(_latex(query, [place]), _latex(result, found[:1])))
    matched_places = {found for every in images.values() for found in every}
    return FormulaComparison(
        query,
        result,
        bool(images) or can_be_aligned(query, result),
        tuple(parts),
        tuple(renamed),
        tuple(wildcards),
        _rest(query, one, images),
        _rest(result, other, matched_places),
    )


class _Placed(NamedTuple):
    """The nodes of a tree by place: their labels, left neighbours, and bases; -1 for none."""

    labels: list[str]
    before: list[int]
    bases: list[int]


def _placed(tree: Tree) -> _Placed:
    placed = _Placed([], [], [])

    def add(row: Row, base: int) -> None:
        last = -1
        for node in row:
            place = len(placed.labels)
            placed.labels.append(CANONICAL_SYMBOLS.get(node.label, node.label))
            placed.before.append(last)
            placed.bases.append(base)
            for _, below in node.parts:
                add(below, place)
            last = place

    add(tree.row, -1)
    return placed


def _runs(
    one: _Placed, places: Collection[int], images: Mapping[int, int], other: _Placed
) -> list[list[int]]:
    """The places in runs: neighbours, with what is attached to them, in both formulas."""
    runs: list[list[int]] = []
    run_of: dict[int, list[int]] = {}
    for place in sorted(places):
        before, base = one.before[place], one.bases[place]
        image = images[place]
        if before in run_of and images[before] == other.before[image]:
            run = run_of[before]
        elif before < 0 and base in run_of and images[base] == other.bases[image]:
            run = run_of[base]
        else:
            run = []
            runs.append(run)
        run.append(place)
        run_of[place] = run
    return runs


def _rest(tree: Tree, placed: _Placed, matched: Collection[int]) -> tuple[str, ...]:
    """The parts of a formula that are not matched."""
    rest = [place for place in range(len(placed.labels)) if place not in matched]
    runs = _runs(placed, rest, {place: place for place in rest}, placed)
    parts = [_latex(tree, run) for run in runs[:MAX_REST]]
    if len(runs) > MAX_REST:
        parts.append("…")
    return tuple(parts)


def _latex(tree: Tree, places: Collection[int]) -> str:
    """The nodes of a formula at these places, without others, in LaTeX."""
    wanted = frozenset(places)
    numbers = count()

    def selected(row: Row) -> Row:
        kept: list[Node] = []
        for node in row:
            is_kept = next(numbers) in wanted
            rows = [(edge, selected(below)) for edge, below in node.parts]
            if is_kept:
                kept.append(Node(node.label, tuple((edge, row) for edge, row in rows if row)))
            else:
                kept += (each for _, below in rows for each in below)
        return tuple(kept)

    return _QUERY_VARIABLE.sub(r"?\1", latex(Tree(tree.kind, selected(tree.row))))


_QUERY_VARIABLE = re.compile(r"\\qvar\{([^{}]*)\}")
"""A wildcard as the LaTeX writer writes it; people type ``?x``."""


def _numbers(parts: Iterable[Collection[int]]) -> dict[int, int]:
    """The number of the part of each place."""
    return {place: number for number, part in enumerate(parts, start=1) for place in part}
