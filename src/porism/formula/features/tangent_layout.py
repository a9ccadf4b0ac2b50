"""A layout tree as the Tangent family of systems sees it, and the notation of their features.

Those systems have no rows: a symbol is attached to its left neighbour by the edge ``n``, and the
first symbol of a cell by ``e`` to the first symbol of the cell before it. Only the first cell is
attached to its matrix. This module has that view, the names of symbols in features, and the paths
between symbols; the modules beside it make features of them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formula.caches import LabelCache
from porism.formula.symbols import CANONICAL_SYMBOLS
from porism.formula.tree import NEXT, Edge, Node, Row, Tree

WILDCARD = "*"
"""Any symbol, in features: the name of a wildcard ``?x`` of a query."""

TERMINAL = "!0"
"""The name of a missing right neighbour."""

COMMA = Node(",")

_SPECIAL = re.compile(r"[,/\[\]\s]|&(?=(?:amp|ast|comma|lsqb|rsqb|sol|sp);)")
_SPELLED = {",": "&comma;", "/": "&sol;", "[": "&lsqb;", "]": "&rsqb;", "&": "&amp;"}


def is_wildcard(label: str) -> bool:
    """Whether ``label`` is a wildcard of a query; a question mark alone is a symbol."""
    return label[:1] == "?" and len(label) > 1


def _name(label: str) -> str:
    if is_wildcard(label):
        return WILDCARD
    if label == WILDCARD:
        return "&ast;"
    label = CANONICAL_SYMBOLS.get(label, label)
    return _SPECIAL.sub(lambda match: _SPELLED.get(match[0], "&sp;"), label)


SYMBOL_NAMES = LabelCache(_name)
"""The name of each label in features: the label itself with the characters of the features' syntax
escaped (a comma is ``&comma;``), so that names have no comma, slash, square bracket or white space;
``*`` for every wildcard. Labels have different names, except for those that mean the same
(``CANONICAL_SYMBOLS``): a query with one should match the other.
"""


def cell_content(cell: Row) -> Row:
    """A cell that is followed by another one, without the comma between them.

    The edge ``e`` already says that the cells are neighbours. With the comma, ``(a,b)`` and a
    matrix of the same cells would not share terms.
    """
    return cell[:-1] if len(cell) > 1 and cell[-1] == COMMA else cell


class LayoutSymbol(NamedTuple):
    """A symbol of a layout tree and how it is attached to another one.

    ``parent`` is the index of that other symbol in the list, -1 for the first symbol.
    """

    label: str
    parent: int
    edge: str


def symbols(tree: Tree, unwritten: frozenset[str] = frozenset()) -> list[LayoutSymbol]:
    """All symbols in reading order: each before its rows, and those before its neighbour.

    Labels are those of features, see ``CANONICAL_SYMBOLS``. The commas between cells are left out,
    see ``cell_content``; so is a symbol between two others whose label is in ``unwritten`` and that
    has no rows.
    """
    layout: list[LayoutSymbol] = []
    _add_symbols(tree.row, -1, "", unwritten, layout)
    return layout


def _add_symbols(
    row: Row, parent: int, edge: str, unwritten: frozenset[str], layout: list[LayoutSymbol]
) -> None:
    last = len(row) - 1
    for position, (label, parts) in enumerate(row):
        if label in unwritten and not parts and 0 < position < last:
            continue
        place = len(layout)
        layout.append(LayoutSymbol(CANONICAL_SYMBOLS.get(label, label), parent, edge))
        cell = place
        for after, (below, inner) in enumerate(parts, start=1):
            if after < len(parts) and parts[after][0] is _ELEMENT:
                inner = cell_content(inner)
            start = len(layout)
            above = cell if below is _ELEMENT else place
            _add_symbols(inner, above, _LETTERS[below], unwritten, layout)
            cell = start
        parent, edge = place, NEXT


# Access to an enum member costs more than the comparison it is for.
_ELEMENT = Edge.ELEMENT
_LETTERS = {edge: edge.value for edge in Edge}


_RUN = re.compile(r"(.)\1*")


def _run_length(run: re.Match[str]) -> str:
    return f"{len(run[0])}{run[1]}"


def _spelled_path(path: str) -> str:
    return _RUN.sub(_run_length, path) if len(path) > 5 else path or "-"


SPELLED_PATHS = LabelCache(_spelled_path)
"""Short paths, a letter for each step, as in features: ``-`` if empty, ``nna`` up to five steps,
else ``4n2a``.
"""

Path = tuple[tuple[str, int], ...]
"""Steps from a symbol down to another, as runs of one edge each.

A row of 50,000 symbols gives paths of 50,000 steps but of one run, so the cost of making, comparing
and writing a path depends on the nesting of the formula and not on its length.
"""


def extended_path(path: Path, edge: str) -> Path:
    """The path extended by one edge."""
    if path and path[-1][0] == edge:
        return (*path[:-1], (edge, path[-1][1] + 1))
    return (*path, (edge, 1))


def fork(first: Path, second: Path) -> tuple[Path, Path, Path]:
    """The common prefix of two paths, and the rest of each."""
    at = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        at += 1
    common = first[:at]
    rest, other_rest = first[at:], second[at:]
    if rest and other_rest and rest[0][0] == other_rest[0][0]:
        edge, count = rest[0][0], min(rest[0][1], other_rest[0][1])
        common = (*common, (edge, count))
        rest, other_rest = _shortened(rest, count), _shortened(other_rest, count)
    return common, rest, other_rest


def _shortened(path: Path, count: int) -> Path:
    edge, length = path[0]
    return ((edge, length - count), *path[1:]) if length > count else path[1:]


def path_text(path: Path) -> str:
    """A path as in features, see ``SPELLED_PATHS``."""
    if not path:
        return "-"
    if sum(count for _, count in path) > 5:
        return "".join(f"{count}{edge}" for edge, count in path)
    return "".join(edge * count for edge, count in path)


def symbol_paths(layout: list[LayoutSymbol]) -> list[Path]:
    """The path from the first symbol to each symbol."""
    paths: list[Path] = []
    for _, parent, edge in layout:
        paths.append(extended_path(paths[parent], edge) if edge else ())
    return paths
