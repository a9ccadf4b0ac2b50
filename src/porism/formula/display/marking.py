"""The places in a formula's LaTeX of the marked symbols of its layout tree.

The tree is read once more, from tokens that have places, by a parser whose labels remember the
token that they are from. Labels stay the same objects wherever the parser attaches rows to a symbol
or moves it, so that the tree is the usual one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from porism.errors import LatexError
from porism.formula.display.tokens import SPLIT, PlacedToken, expanded_tokens, placed
from porism.formula.latex.constructs import CONSTRUCTS
from porism.formula.latex.grammar import LatexParser
from porism.formula.latex.leaves import FENCE_LEAVES
from porism.formula.latex.macros import LatexMacro
from porism.formula.latex.reader import lines_of
from porism.formula.marks import MarkedSubtree, MarkedSymbol
from porism.formula.tree import Edge, Node, Row, Tree


class PlacedLabel(str):
    """A label with the places of the tokens that it is from: two for a pair of fences."""

    __slots__ = ("places",)
    places: tuple[float, ...]

    def __new__(cls, text: str, places: tuple[float, ...]) -> PlacedLabel:
        label = super().__new__(cls, text)
        label.places = places
        return label


def marked_places(marked: Tree, source: str, macros: Mapping[str, LatexMacro]) -> dict[float, int]:
    """The number of the marked part at each marked place of the formula.

    Empty if the tree is not that of the formula, so that its places are unknown.
    """
    try:
        row = _placed_row(placed(expanded_tokens(source, macros)))
    except LatexError:
        return {}
    if row != marked.row:
        return {}
    places: dict[float, int] = {}
    _collect(row, marked.row, None, places)
    return places


def _collect(row: Row, marked: Row, inherited: int | None, places: dict[float, int]) -> None:
    for node, same in zip(row, marked, strict=True):
        is_marked = isinstance(same, MarkedSubtree | MarkedSymbol)
        number = same.number if isinstance(same, MarkedSubtree | MarkedSymbol) else inherited
        if number is not None and isinstance(node.label, PlacedLabel):
            places.update(dict.fromkeys(node.label.places, number))
        below = number if inherited is not None or isinstance(same, MarkedSubtree) else None
        assert is_marked or number == inherited
        for (_, inner), (_, inner_marked) in zip(node.parts, same.parts, strict=True):
            _collect(inner, inner_marked, below, places)


def _placed_row(tokens: list[str]) -> Row:
    parser = _TracingParser(tokens)
    row = parser.finished(parser.row(), 0)
    if parser.tokens[parser.at]:
        row = lines_of(_TracingParser(tokens))
    return row


class _PlacedLeaves(dict[str, Node]):
    """Leaves whose labels have the place of the token with which they are looked up."""

    def get(self, token: str, default: object = None) -> Node | None:  # type: ignore[override]
        node = super().get(token)
        return None if node is None else _at(node, token)

    def __getitem__(self, token: str) -> Node:
        return _at(super().__getitem__(token), token)


def _at(node: Node, token: str) -> Node:
    if not isinstance(token, PlacedToken):
        return node
    return Node(PlacedLabel(node.label, (token.place,)), node.parts)


_PLACED_LEAVES: dict[int, _PlacedLeaves] = {}


def _placed_leaves(leaves: dict[str, Node]) -> _PlacedLeaves:
    """The leaves of a style, made once."""
    if id(leaves) not in _PLACED_LEAVES:
        _PLACED_LEAVES[id(leaves)] = _PlacedLeaves(leaves)
    return _PLACED_LEAVES[id(leaves)]


class _TracingParser(LatexParser):
    """A parser of layout trees whose labels have places."""

    def __init__(self, tokens: list[str]) -> None:
        super().__init__("", CONSTRUCTS, {})
        self.tokens = list(tokens)
        self.fence_leaves = _placed_leaves(FENCE_LEAVES)

    def unshadowed(self, leaves: dict[str, Node]) -> dict[str, Node]:
        return _placed_leaves(leaves)

    def item(self, token: str, row: list[Node]) -> None:
        before = len(row)
        super().item(str(token), row)
        if isinstance(token, PlacedToken):
            for place in range(max(0, min(before, len(row)) - 1), len(row)):
                row[place] = _completed(row[place], (token.place,))

    def bare_argument(self, token: str) -> list[Node]:
        nodes = super().bare_argument(token)
        if not isinstance(token, PlacedToken):
            return nodes
        if token[0].isdecimal() and len(token) > 1:
            self.tokens[self.at] = PlacedToken(self.tokens[self.at], token.place + SPLIT)
        return [_completed(node, (token.place,)) for node in nodes]

    def inner(self, token_list: list[str]) -> Row:
        content = _TracingParser(token_list)
        content.depth, content.budget = self.depth, self.budget
        return content.whole_row()

    def finished(self, row: list[Node], fences_before: int) -> Row:
        finished = super().finished(row, fences_before)
        if len(finished) == len(row):
            return finished
        nodes, used = _with_fences(finished, row, 0)
        return nodes if used == len(row) else finished


def _completed(node: Node, places: tuple[float, ...]) -> Node:
    """The node with these places wherever it and the rows on it have none yet."""
    label, parts = node
    if not isinstance(label, PlacedLabel):
        label = PlacedLabel(label, places)
    elif not parts:
        return node
    return Node(label, tuple((edge, _completed_row(row, places)) for edge, row in parts))


def _completed_row(row: Row, places: tuple[float, ...]) -> Row:
    return tuple(
        node if isinstance(node.label, PlacedLabel) else _completed(node, places) for node in row
    )


def _with_fences(row: Row, symbols: Sequence[Node], at: int) -> tuple[Row, int]:
    """The row with the places of fences, which were symbols of a row before they were paired.

    Also returns the number of symbols used.
    """
    out: list[Node] = []
    for node in row:
        if at < len(symbols) and node is symbols[at]:
            at += 1
        elif not isinstance(node.label, PlacedLabel) and node.label[:2] == "M!":
            opening = at
            parts: list[tuple[Edge, Row]] = []
            at += 1
            for edge, inner in node.parts:
                placed_row = inner
                if edge is Edge.WITHIN or edge is Edge.ELEMENT:
                    placed_row, at = _with_fences(inner, symbols, at)
                parts.append((edge, placed_row))
            if at >= len(symbols):
                return row, -1
            fences = (symbols[opening].label, symbols[at].label)
            places = [place for each in fences for place in getattr(each, "places", ())]
            at += 1
            node = Node(PlacedLabel(node.label, tuple(places)), tuple(parts))
        out.append(node)
    return tuple(out), at
