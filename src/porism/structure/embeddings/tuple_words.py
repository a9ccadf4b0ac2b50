"""The tuples of Tangent-CFT as words, whose characters are the parts of a tuple.

A tuple is a node, another one at most two steps below it and the path between them; or a node at
the end of a line or branch and ``!0``. As a word it has one character for the type of each node and
one for its value (a number has one for each digit), and one for each edge of the path. Words with
equal parts share n-grams, by which fastText embeds words that it has not seen.

The original hands out characters in the order in which it meets tokens, and keeps the table with
the model. Here the character of a token is one of the 131,068 for private use, chosen by its hash:
that needs no table, and words are the same in every collection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from porism.formula.features.tangent_layout import SYMBOL_NAMES, TERMINAL, is_wildcard, symbols
from porism.formula.tree import NEXT, Node, Tree
from porism.hashing import text_key

WINDOW = 2
"""Steps of a path, as published."""

MAX_NODES = 400
"""Nodes of a tree, in reading order, that make tuples."""

_PER_PLANE = 0xFFFE
_PLANES = (0xF0000, 0x100000)


def token_character(token: str) -> str:
    """Return the character that stands for a token in words."""
    plane, place = divmod(text_key(token) % (2 * _PER_PLANE), _PER_PLANE)
    return chr(_PLANES[plane] + place)


class _TupleNode(NamedTuple):
    """A node, the place of its parent (-1 for a root), and the edge between them."""

    label: str
    parent: int
    edge: str


def layout_words(tree: Tree) -> list[str]:
    """Return the tuples of a layout tree as words, in reading order."""
    return _words(_layout_nodes(tree), NEXT, node_characters)


def layout_type_words(tree: Tree) -> list[str]:
    """Return the tuples of a layout tree with the types of nodes alone.

    A symbol without a type, such as ``+``, is its own.
    """
    return _words(_layout_nodes(tree), NEXT, type_character)


def operator_words(tree: Tree) -> list[str]:
    """Return the tuples of an operator tree as words; an edge is the place of an operand."""
    nodes: list[_TupleNode] = []
    pending: list[tuple[Node, int, str]] = [(root, -1, "") for root in reversed(tree.row)]
    while pending and len(nodes) < MAX_NODES:
        node, parent, edge = pending.pop()
        at = len(nodes)
        nodes.append(_TupleNode(node.label, parent, edge))
        for place in range(len(node.operands) - 1, -1, -1):
            pending.append((node.operands[place], at, chr(ord("0") + min(place, 9))))
    return _words(nodes, "", node_characters)


def _layout_nodes(tree: Tree) -> list[_TupleNode]:
    return [_TupleNode(*each) for each in symbols(tree)[:MAX_NODES]]


def _words(nodes: Sequence[_TupleNode], line: str, characters: Callable[[str], str]) -> list[str]:
    """Return the tuples of a tree: of each node with those above it, then with its missing end.

    A node has an end if no edge ``line`` leads on from it, or no edge at all if that is empty. A
    wildcard has no vector, so there are no tuples with one.
    """
    parts = ["" if is_wildcard(node.label) else characters(node.label) for node in nodes]
    continued = {node.parent for node in nodes if not line or node.edge == line}
    end, last = characters(TERMINAL), line or "0"
    words: list[str] = []
    for place, node in enumerate(nodes):
        below = parts[place]
        if not below:
            continue
        above, path = node.parent, node.edge
        for _ in range(WINDOW):
            if above < 0:
                break
            if parts[above]:
                words.append(f"{parts[above]}{below}{path}")
            path = nodes[above].edge + path
            above = nodes[above].parent
        if place not in continued:
            words.append(f"{below}{end}{last}")
    return words


@lru_cache(1 << 16)
def node_characters(label: str) -> str:
    """Return the characters of a node: of its type and its value, of a number by digits."""
    kind, value = _type_and_value(label)
    values = value if kind == "N!" else (value,)
    return "".join(token_character(token) for token in (kind, *values) if token)


@lru_cache(1 << 12)
def type_character(label: str) -> str:
    """Return the character of the type of a node; a symbol without one is its own."""
    kind, value = _type_and_value(label)
    return token_character(kind or value)


def _type_and_value(label: str) -> tuple[str, str]:
    name = SYMBOL_NAMES[label]
    has_type = name[1:2] == "!" and name[0] != "!" and name != TERMINAL
    return (name[:2], name[2:]) if has_type else ("", name)
