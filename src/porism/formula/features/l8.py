"""The L8 tuples of MathDowsers 2022, the best fully automatic features of the ARQMath labs.

Four kinds, as strings (their names in the papers and in fwtompa/mathtuples, version 2):

    (V!x,+,n)      pair: two adjacent symbols and the edge from the first to the second
    (V!y,!0)       terminal: a symbol on which nothing hangs
    (V!x,[a,n])    compound: a symbol on which two or more things hang, with their edges
    {V!x,nna}      duplicate: a symbol that occurs again, the second below the first, and
    {V!x,a,nn}     two occurrences on different branches, seen from where the branches part;
                   each also by the type of its symbol only: {?V,nna}

and each again with its location, as last item: the path to its (first) symbol, for duplicates the
path to where the branches part, if fewer than 8 nodes stand on that path. Paths start at the
formula's first symbol, or after the closest anchor (``=``, ``≤``, ``→`` and the like) before the
symbol, so that both sides of an equation are located alike. The occurrences of a duplicate are
each seen from its own anchor.

What is decided here: duplicates pair the first six occurrences in reading order (mathtuples
reads backwards); edges of compounds are ordered as in the tree, ``n`` last; the comma between
cells is not a symbol, as in mathtuples' trees; case is kept, and there are no markers for the
start and end of a formula. A duplicate with one path and its location is spelled as one with two
paths may be, as published.

This is the hot path of indexing, so strings are made in one walk with nothing in between. The
tests hold it equal to a plain twin.
"""

from __future__ import annotations

import re
from itertools import combinations
from os.path import commonprefix

from porism.formula.features.layout import NAMES, TERMINAL, WILDCARD, content, is_wildcard
from porism.formula.tree import Edge, Row, Tree

ANCHORS = frozenset(
    (":=", "<", "=", ">", "≠", "≤", "≥", "∝", "∼", "≅", "≈", "≡")
    + ("→", "↔", "↦", "⇒", "⇔", "⟹", "⊂", "⊆", "⊈")
)
"""The relations after which paths start anew."""

MAX_LOCATED_STEPS = 6
"""Steps of the longest location that is written: fewer than 8 nodes stand on it."""

MAX_REPEATS = 6
"""How many occurrences of a symbol are paired with each other as duplicates."""

MAX_PATH = 100
"""Steps from the origin beyond which a symbol takes no part in duplicates.

Bounds the cost of long rows; mathtuples makes no tuples at all beyond it.
"""

_MAX_CACHED = 1 << 16
_RUN = re.compile(r"(.)\1*")


def _run_length(run: re.Match[str]) -> str:
    return f"{len(run[0])}{run[1]}"


class _Spelled(dict[str, str]):
    """Path to how tuples have it: ``-`` if empty, ``nna`` up to five steps, else ``4n2a``."""

    def __missing__(self, path: str) -> str:
        if len(self) >= _MAX_CACHED:
            self.clear()
        long = len(path) > 5
        spelled = self[path] = _RUN.sub(_run_length, path) if long else path or "-"
        return spelled


class _Ends(dict[str, str]):
    """Raw path to the end of a tuple with that location, or to "" where it is too long."""

    def __missing__(self, path: str) -> str:
        if len(self) >= _MAX_CACHED:
            self.clear()
        end = self[path] = f",{_SPELLED[path]})" if len(path) <= MAX_LOCATED_STEPS else ""
        return end


_SPELLED = _Spelled()
_ENDS = _Ends()


def l8_tokens(tree: Tree) -> list[str]:
    """The L8 tuples of a layout tree, as a bag in a fixed order; empty for the empty tree.

    Wildcards of a query stand as ``*``; they make no terminals, and no pairs among themselves.

    >>> from porism.formula.tree import parse_tree
    >>> l8_tokens(parse_tree("[V!x,a[N!2]]"))
    ['(V!x,N!2,a)', '(V!x,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    """
    tokens: list[str] = []
    origins: dict[str, list[str]] = {}
    if tree.row:
        _add_row(tree.row, "", "", tokens, origins)
    if "?" in "".join(origins):
        tokens = [token for token in tokens if not token.startswith(_VOID)]
    for label, paths in origins.items():
        if len(paths) > 1:
            near = [path for path in paths[:MAX_REPEATS] if len(path) <= MAX_PATH]
            _add_duplicates(label, near, tokens)
    return tokens


_VOID = (f"({WILDCARD},{WILDCARD},", f"({WILDCARD},{TERMINAL}")
"""How the tuples begin that say nothing, having no symbol in them."""


def _add_row(
    row: Row, path: str, beside: str, tokens: list[str], origins: dict[str, list[str]]
) -> None:
    """Add the pairs, terminals and compounds of a row and all below it.

    ``path`` leads to its first symbol, on which the next cell, which begins with the symbol
    ``beside``, hangs by ``e``. ``origins`` collects the path of every occurrence by label.
    """
    names = [NAMES[node.label] for node in row]
    neighbours = names[1:]
    neighbours.append("")
    for (label, parts), name, neighbour in zip(row, names, neighbours, strict=True):
        if label in origins:
            origins[label].append(path)
        else:
            origins[label] = [path]
        end = _ENDS[path]
        if label in ANCHORS:
            path = ""
        if parts or beside:
            _add_branches(name, _branches(parts, beside, neighbour), end, tokens)
            _add_parts(parts, path, tokens, origins)
            beside = ""
        else:
            tuple_ = f"({name},{neighbour},n" if neighbour else f"({name},!0"
            tokens.append(tuple_ + ")")
            if end:
                tokens.append(tuple_ + end)
        if len(path) <= MAX_PATH:
            path += "n"


def _branches(
    parts: tuple[tuple[Edge, Row], ...], beside: str, neighbour: str
) -> list[tuple[str, str]]:
    """What hangs on a symbol: each edge with the name of the first symbol on it."""
    found: list[tuple[str, str]] = [
        (edge, NAMES[row[0].label]) for edge, row in parts if edge is not Edge.ELEMENT
    ]
    if beside:
        found.append(("e", beside))
    if neighbour:
        found.append(("n", neighbour))
    return found


def _add_branches(name: str, branches: list[tuple[str, str]], end: str, tokens: list[str]) -> None:
    for edge, other in branches:
        tuple_ = f"({name},{other},{edge}"
        tokens.append(tuple_ + ")")
        if end:
            tokens.append(tuple_ + end)
    if len(branches) > 1:
        tuple_ = f"({name},[{','.join([edge for edge, _ in branches])}]"
        tokens.append(tuple_ + ")")
        if end:
            tokens.append(tuple_ + end)


def _add_parts(
    parts: tuple[tuple[Edge, Row], ...],
    path: str,
    tokens: list[str],
    origins: dict[str, list[str]],
) -> None:
    """Add the rows below a symbol that stands at the end of ``path``."""
    if parts and parts[-1][0] is Edge.ELEMENT:
        cells = [row for edge, row in parts if edge is Edge.WITHIN or edge is Edge.ELEMENT]
        parts = parts[: -len(cells)]
    else:
        cells = []
    for edge, row in parts:
        _add_row(row, path + edge, "", tokens, origins)
    cell_path = path + "w"
    for cell, following in zip(cells, [*cells[1:], ()], strict=False):
        if following:
            beside = NAMES[following[0].label]
            _add_row(content(cell), cell_path, beside, tokens, origins)
        else:
            _add_row(cell, cell_path, "", tokens, origins)
        if cell[0].label in ANCHORS:
            cell_path = ""
        elif len(cell_path) <= MAX_PATH:
            cell_path += "e"


def _add_duplicates(label: str, paths: list[str], tokens: list[str]) -> None:
    """Add the duplicates of one symbol, given the paths of its occurrences in reading order.

    The type of a label is what stands before its ``!``, and O, operator, if it has none.
    """
    name = NAMES[label]
    kind = "?" + (label[: label.find("!")] if "!" in label[1:] else "O")
    for first, second in combinations(paths, 2):
        common = first
        while not second.startswith(common):
            common = common[:-1]
        shared = len(common)
        if len(second) == shared:
            shape = _SPELLED[first[shared:]]
        elif len(first) == shared:
            shape = _SPELLED[second[shared:]]
        else:
            shape = f"{_SPELLED[first[shared:]]},{_SPELLED[second[shared:]]}"
        tokens += (f"{{{name},{shape}}}", f"{{{kind},{shape}}}")
        if shared <= MAX_LOCATED_STEPS:
            shape = f"{shape},{_SPELLED[common]}"
            tokens += (f"{{{name},{shape}}}", f"{{{kind},{shape}}}")
