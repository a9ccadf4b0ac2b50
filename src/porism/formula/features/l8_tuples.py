"""The L8 tuples of MathDowsers 2022, the best systems of the ARQMath labs that were not trained.

Four kinds, as strings (their names in the papers and in fwtompa/mathtuples, version 2):

    (V!x,+,n)      pair: two adjacent symbols and the edge from the first to the second
    (V!y,!0)       terminal: a symbol with nothing attached to it
    (V!x,[a,n])    compound: a symbol with two or more things attached to it, with their edges
    {V!x,nna}      duplicate: a symbol that occurs again, the second below the first, and
    {V!x,a,nn}     two occurrences on different branches, by their paths from the fork;
                   each also by the type of its symbol only: {?V,nna}

and each again with its location, as last item: the path to its (first) symbol, for duplicates the
path to the fork, if it has fewer than 8 nodes. Paths start at the formula's first symbol, or after
the closest anchor (``=``, ``≤``, ``→`` and the like), so that both sides of an equation are located
in the same way. Each occurrence of a duplicate is located from the start of its own path.

Our choices: duplicates pair the first six occurrences in reading order (mathtuples reads
backwards); the edges of a compound are in reading order, ``n`` after scripts and before ``e``; the
comma between cells is not a symbol, as in mathtuples' trees; case is kept, and there are no markers
for the start and end of a formula. A duplicate with one path and its location may have the same
string as one with two paths, as published.

This is the hot path of indexing, so strings are made in one pass without intermediate values. The
tests compare it with a plain implementation.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import NamedTuple

from porism.formula.caches import LabelCache
from porism.formula.features.tangent_layout import (
    SPELLED_PATHS,
    SYMBOL_NAMES,
    TERMINAL,
    WILDCARD,
    cell_content,
    is_wildcard,
)
from porism.formula.symbols import CANONICAL_SYMBOLS
from porism.formula.tree import Edge, Row, Tree

ANCHORS = frozenset(":= < = > ≠ ≤ ≥ ∝ ∼ ≅ ≈ ≡ → ↔ ↦ ⇒ ⇔ ⟹ ⊂ ⊆ ⊈".split())
"""The names of the relations after which paths start again."""

MAX_LOCATED_STEPS = 6
"""Steps of the longest location that is written: it has fewer than 8 nodes."""

MAX_REPEATS = 6
"""Occurrences of a symbol that are paired with each other as duplicates."""

MAX_PATH = 100
"""Steps from the origin beyond which a symbol has no duplicates.

This bounds the cost of long rows; mathtuples makes no tuples at all beyond it.
"""


def _end(path: str) -> str:
    """The end of a tuple with that location, or "" if it is too long."""
    return f",{SPELLED_PATHS[path]})" if len(path) <= MAX_LOCATED_STEPS else ""


_ENDS = LabelCache(_end)


def l8(tree: Tree) -> list[str]:
    """The L8 tuples of a layout tree, as a bag in a fixed order; empty for the empty tree.

    Wildcards of a query become ``*``; they make no terminals, and no pairs among themselves.

    >>> from porism.formula.tree import parse_tree
    >>> l8(parse_tree("[V!x,a[N!2]]"))
    ['(V!x,N!2,a)', '(V!x,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    """
    bag = _Bag([], {})
    if tree.row:
        _add_row(tree.row, "", "", bag)
    for label, paths in bag.origins.items():
        if len(paths) > 1:
            short = [path for path in paths[:MAX_REPEATS] if len(path) <= MAX_PATH]
            _add_duplicates(label, short, bag.tokens)
    if "?" in "".join(bag.origins):
        return [token for token in bag.tokens if not token.startswith(_VOID)]
    return bag.tokens


_VOID = (f"({WILDCARD},{WILDCARD},", f"({WILDCARD},{TERMINAL}", "{?*,")
"""The beginnings of meaningless tuples of wildcards, which have no symbol and no type."""


class _Bag(NamedTuple):
    """The tuples so far, and by label the path of every occurrence."""

    tokens: list[str]
    origins: dict[str, list[str]]


def _add_row(row: Row, path: str, next_cell: str, bag: _Bag) -> None:
    """Add the pairs, terminals and compounds of a row and all below it.

    ``path`` leads to the first symbol of the row. If the row is a cell and another follows, that
    one is attached by ``e`` to this first symbol and begins with the symbol named ``next_cell``.
    """
    tokens, origins = bag
    names = [SYMBOL_NAMES[label] for label, _ in row]
    # Without ``strict``: the keyword makes this call, one per row, noticeably slower.
    for (label, parts), name, neighbour in zip(row, names, [*names[1:], ""]):  # noqa: B905
        searched = CANONICAL_SYMBOLS.get(label, label)
        if searched in origins:
            origins[searched].append(path)
        else:
            origins[searched] = [path]
        end = _ENDS[path]
        if parts or next_cell:
            edges = _add_parts(name, parts, path, end, bag) if parts else []
            if neighbour:
                edges.append("n")
                _add(f"({name},{neighbour},n", end, tokens)
            if next_cell:
                edges.append("e")
                _add(f"({name},{next_cell},e", end, tokens)
                next_cell = ""
            if len(edges) > 1:
                _add(f"({name},[{','.join(edges)}]", end, tokens)
        elif end:
            if neighbour:
                tokens += (f"({name},{neighbour},n)", f"({name},{neighbour},n{end}")
            else:
                tokens += (f"({name},!0)", f"({name},!0{end}")
        else:
            tokens.append(f"({name},{neighbour},n)" if neighbour else f"({name},!0)")
        if name in ANCHORS:
            path = ""
        elif len(path) <= MAX_PATH:
            path += "n"


def _add(start: str, end: str, tokens: list[str]) -> None:
    """Add a tuple without its location and, if that is not too long, with it."""
    tokens.append(start + ")")
    if end:
        tokens.append(start + end)


def _add_parts(
    name: str, parts: tuple[tuple[Edge, Row], ...], path: str, end: str, bag: _Bag
) -> list[str]:
    """Add the rows of a symbol and return their edges.

    ``path`` leads to the symbol, and ``end`` is that of its located tuples.
    """
    tokens = bag.tokens
    is_anchor = name in ANCHORS
    edges: list[str] = []
    for edge, row in parts:
        if edge is _ELEMENT:
            break
        letter = _LETTERS[edge]
        edges.append(letter)
        _add(f"({name},{SYMBOL_NAMES[row[0].label]},{letter}", end, tokens)
        below = "" if is_anchor else path + letter
        if edge is _WITHIN and parts[-1][0] is _ELEMENT:
            _add_cells([cell for edge, cell in parts if edge in _CELLS], below, bag)
        else:
            _add_row(row, below, "", bag)
    return edges


# Access to an enum member costs more than the comparison it is for.
_WITHIN, _ELEMENT = _CELLS = (Edge.WITHIN, Edge.ELEMENT)
_LETTERS = {edge: edge.value for edge in Edge}


def _add_cells(cells: list[Row], path: str, bag: _Bag) -> None:
    for cell, following in pairwise(cells):
        _add_row(cell_content(cell), path, SYMBOL_NAMES[following[0].label], bag)
        if SYMBOL_NAMES[cell[0].label] in ANCHORS:
            path = ""
        elif len(path) <= MAX_PATH:
            path += "e"
    _add_row(cells[-1], path, "", bag)


def _add_duplicates(label: str, paths: list[str], tokens: list[str]) -> None:
    """Add the duplicates of one symbol with these paths of its occurrences, in reading order."""
    name = "{" + SYMBOL_NAMES[label] + ","
    kind = "{?" + _type(label) + ","
    for first, second in combinations(paths, 2):
        common = first
        while not second.startswith(common):
            common = common[:-1]
        shared = len(common)
        if len(first) == shared:
            shape = SPELLED_PATHS[second[shared:]]
        elif len(second) == shared:
            shape = SPELLED_PATHS[first[shared:]]
        else:
            shape = f"{SPELLED_PATHS[first[shared:]]},{SPELLED_PATHS[second[shared:]]}"
        bare = shape + "}"
        tokens += (name + bare, kind + bare)
        if shared <= MAX_LOCATED_STEPS:
            located = f"{shape},{SPELLED_PATHS[common]}}}"
            tokens += (name + located, kind + located)


def _type(label: str) -> str:
    """The letter before the ``!`` of a label, O for operators, ``*`` for wildcards.

    >>> _type("V!x"), _type("+"), _type("!"), _type("?x")
    ('V', 'O', 'O', '*')
    """
    if is_wildcard(label):
        return WILDCARD
    kind, mark, _ = label.partition("!")
    return kind if mark and kind else "O"
