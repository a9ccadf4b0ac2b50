"""The one tree type of formulas, for layout and for operators, and its string form.

A *layout tree* (symbol layout tree, SLT) describes how a formula looks: it is a row of symbols, and
a symbol may have further rows above, below, over, under or within it. An *operator tree* (OPT)
describes its meaning: an operator has one row, its operands. Labels and string form are those of
the Tangent family of systems, so that their published strings can be read and ours compared:

    x^2+y        [V!x[+[V!y]],a[N!2]]
    plus(...)    [U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]

Nodes are named tuples, not frozen dataclasses: there are hundreds of millions of them, a tuple is
created in a third of the time, and comparing and hashing tuples stays in C.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from enum import StrEnum
from typing import Literal, NamedTuple

from porism.errors import FormatError
from porism.formula.caches import LabelCache

MAX_DEPTH = 60
"""Levels of nested rows that a layout tree may have.

Comparing nested tuples recurses four C levels for each of ours, and Python gives up at about a
thousand, so a deeper tree could be built but not used.
"""

MAX_OPERATOR_DEPTH = 150
"""Levels of nested operators; a row that would need more stays flat."""


class Edge(StrEnum):
    """The position of a row at its symbol. The members are in the order of the string form."""

    ABOVE = "a"
    BELOW = "b"
    OVER = "o"
    UNDER = "u"
    PRE_ABOVE = "c"
    PRE_BELOW = "d"
    WITHIN = "w"
    ELEMENT = "e"
    OPERANDS = "0"


NEXT = "n"
"""The step from a symbol to its right neighbour, in paths and features."""


class Node(NamedTuple):
    """A symbol with the rows attached to it.

    ``parts`` is in the order of ``Edge`` and has each edge once, except for the cells of a matrix:
    the first is ``WITHIN`` and each further one ``ELEMENT``, row by row. No row is empty; an empty
    cell holds the node ``W!``.
    """

    label: str
    parts: tuple[tuple[Edge, tuple[Node, ...]], ...] = ()

    def row(self, edge: Edge) -> Row:
        """The first row on ``edge``, or the empty row."""
        for each, row in self.parts:
            if each is edge:
                return row
        return ()

    @property
    def operands(self) -> Row:
        """The operands of an operator, left to right; empty for a leaf."""
        return self.parts[0][1] if self.parts else ()


Row = tuple[Node, ...]

BLANK = Node("W!")


# Access to an enum member runs Python code, which costs as much as making a tuple.
_OPERANDS, _ELEMENT = Edge.OPERANDS, Edge.ELEMENT


def operator(label: str, *operands: Node) -> Node:
    """An operator with its operands, as in operator trees."""
    return operation(label, operands) if operands else Node(label)


def operation(label: str, operands: Row) -> Node:
    """As ``operator``, with at least one operand; this makes most nodes of operator trees.

    It creates the tuple itself, in half the time of the constructor, which is Python code.
    """
    return _new(Node, (label, ((_OPERANDS, operands),)))


_new = tuple.__new__


class Tree(NamedTuple):
    """A formula as a tree. ``str()`` gives Tangent's notation and ``parse_tree`` reads it back."""

    kind: Literal["slt", "opt"]
    row: Row

    def __str__(self) -> str:
        pieces: list[str] = []
        if self.kind == "slt":
            _write_row(self.row, pieces)
        else:
            for node in self.row:
                _write_operator(node, pieces)
        return "".join(pieces)

    def is_too_deep(self) -> bool:
        """Whether a layout tree has more levels than ``MAX_DEPTH``; its reader then rejects it."""
        level = [node for node in self.row if node.parts]
        for _ in range(MAX_DEPTH):
            level = [node for up in level for _, row in up.parts for node in row if node.parts]
            if not level:
                return False
        return True

    def nodes(self) -> Iterator[Node]:
        """Every node, each before the nodes on its own rows."""
        pending = list(reversed(self.row))
        while pending:
            node = pending.pop()
            yield node
            for _, row in reversed(node.parts):
                pending.extend(reversed(row))


def _write_row(row: Row, pieces: list[str]) -> None:
    """Add the string of a row to ``pieces``.

    In Tangent's notation a symbol encloses its right neighbour, so a row is written in two
    passes: labels from left to right, then the rows of each symbol from right to left. The cells of
    a matrix are chained: each is attached to the first symbol of the one before it, whose bracket,
    already written, is removed to be closed last.
    """
    for node in row:
        pieces.append(_OPENED[node.label])
    for node in reversed(row):
        if not node.parts:
            pieces.append("]")
            continue
        closing = "]"
        for edge, below in node.parts:
            if edge is _ELEMENT:
                pieces[-1] = pieces[-1][:-1]
                closing += "]"
            pieces.append(_EDGE_NAMES[edge])
            if len(below) == 1 and not below[0].parts:
                pieces.append(_LEAVES[below[0].label])
            else:
                _write_row(below, pieces)
        pieces.append(closing)


_EDGE_NAMES = {edge: f",{edge.value}" for edge in Edge}


def _write_operator(node: Node, pieces: list[str]) -> None:
    """Add the string of an operator with its operands to ``pieces``."""
    pieces.append(_OPENED[node.label])
    for place, child in enumerate(node.operands):
        pieces.append(_PLACES[place] if place < _NAMED_PLACES else f",{place}")
        if child.parts:
            _write_operator(child, pieces)
        else:
            pieces.append(_LEAVES[child.label])
    pieces.append("]")


_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_PLACES = ["," + digit for digit in _DIGITS]
_NAMED_PLACES = len(_DIGITS)


def _operand_name(place: int) -> str:
    """Tangent numbers operands by one character; beyond its characters we use decimals."""
    return _DIGITS[place] if place < _NAMED_PLACES else str(place)


# Tangent escapes the three characters of its syntax; an ampersand that would read as such an
# escape is escaped too, so that every label reads back unchanged.
_SPECIAL = re.compile(r"[,\[\]]|&(?=(?:amp|comma|lsqb|rsqb);)")
_NAMED = re.compile(r"&(amp|comma|lsqb|rsqb);")
_NAMES = {",": "&comma;", "[": "&lsqb;", "]": "&rsqb;", "&": "&amp;"}
_CHARACTERS = {name[1:-1]: char for char, name in _NAMES.items()}


def _opened(label: str) -> str:
    return "[" + _SPECIAL.sub(lambda match: _NAMES[match[0]], label)


def _leaf(label: str) -> str:
    return _opened(label) + "]"


_OPENED = LabelCache(_opened)
_LEAVES = LabelCache(_leaf)


def _unescaped(label: str) -> str:
    return _NAMED.sub(lambda match: _CHARACTERS[match[1]], label) if "&" in label else label


_TOKEN = re.compile(r"\[(?P<label>[^\[\],]*)|(?P<close>\])|,(?P<edge>[a-zA-Z]|\d+)(?=\[)")
_EDGES = {edge.value: edge for edge in Edge if edge is not Edge.OPERANDS}
_ORDER = {edge: place for place, edge in enumerate(Edge)}


class _Open:
    """A node whose closing bracket has not been read yet."""

    def __init__(self, label: str, edge: str) -> None:
        self.label = label
        self.edge = edge  # how it is attached to the node before it; "" means as right neighbour
        self.parts: list[tuple[Edge, Row]] = []
        self.operands: list[Node] = []
        self.tail: list[Node] = []  # the row to its right, last symbol first
        self.elements: list[Row] = []  # further cells, if it begins a cell, last first

    def node(self) -> Node:
        if self.operands:
            return operator(self.label, *self.operands)
        return Node(self.label, tuple(sorted(self.parts, key=lambda part: _ORDER[part[0]])))

    def take_operand(self, child: _Open) -> str:
        """Attach the finished ``child`` of an operator tree; return an error message or ""."""
        if not child.edge:
            self.tail.append(child.node())
        elif child.edge == _operand_name(len(self.operands)):
            self.operands.append(child.node())
        else:
            return f"operand {child.edge} is out of order"
        return "an operator has no right neighbour" if self.label and self.tail else ""

    def take_part(self, child: _Open) -> str:
        """Attach the finished ``child`` of a layout tree; return an error message or ""."""
        child.tail.append(child.node())
        if not child.edge:
            self.tail = child.tail
            return "cells outside a matrix" if child.elements else ""
        edge = _EDGES.get(child.edge)
        row = tuple(reversed(child.tail))
        if edge is None:
            return f"there is no edge {child.edge}"
        if edge is Edge.ELEMENT:
            self.elements = child.elements
            self.elements.append(row)
            return ""
        if any(each is edge for each, _ in self.parts):
            return f"edge {edge.value} occurs twice on {self.label}"
        self.parts.append((edge, row))
        self.parts += ((Edge.ELEMENT, cell) for cell in reversed(child.elements))
        return "cells outside a matrix" if child.elements and edge is not Edge.WITHIN else ""


def parse_tree(text: str, kind: Literal["slt", "opt"] = "slt") -> Tree:
    """The tree of ``text`` in Tangent's notation.

    The two kinds use the same letters for different edges, so the kind must be given.

    >>> parse_tree("[V!x[+[V!y]],a[N!2]]").row[0].row(Edge.ABOVE)
    (Node(label='N!2', parts=()),)
    """

    def fault(why: str, at: int) -> FormatError:
        return FormatError("tree", 1, f"{why} at character {at} of {text[:80]!r}")

    flat = ("", "e") if kind == "slt" else ("",)  # steps along a row or a table, and not deeper
    root = _Open("", "")
    path = [root]
    depth = 0
    edge = ""
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise fault("expected [label, ] or ,edge", at)
        if token["label"] is not None:
            if len(path) == 1 and root.tail:
                raise fault("a second tree begins", at)
            depth += edge not in flat
            if depth > max(MAX_DEPTH, MAX_OPERATOR_DEPTH):
                raise fault("the tree is nested too deeply", at)
            path.append(_Open(_unescaped(token["label"]), edge))
        elif token["close"] is not None:
            if len(path) == 1:
                raise fault("a bracket closes that was not opened", at)
            child = path.pop()
            depth -= child.edge not in flat
            why = path[-1].take_part(child) if kind == "slt" else path[-1].take_operand(child)
            if why:
                raise fault(why, at)
        edge = token["edge"] or ""
        at = token.end()
    if len(path) > 1:
        raise fault("a bracket is not closed", at)
    return Tree(kind, tuple(reversed(root.tail)))


class ParseProblem(NamedTuple):
    """A problem that a reader recovered from, with its position in the input."""

    offset: int
    message: str


class ParsedTree(NamedTuple):
    """A tree and the problems that its reader recovered from."""

    tree: Tree
    problems: tuple[ParseProblem, ...]
