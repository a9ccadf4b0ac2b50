"""Layout trees with marked symbols, which are highlighted when the formula is rendered.

A marked tree is equal to the same tree without marks. Marks are subclasses of nodes, not a third
field or a separate table, so that code that reads trees need not know about them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from itertools import count
from typing import ClassVar

from porism.formula.tree import Node, Tree


class MarkedSubtree(Node):
    """A node that is marked with everything on its rows; the nodes there are plain."""

    __slots__ = ()
    number: ClassVar[int] = 0
    """Which of several marked parts it belongs to, from 1; 0 if there is only one."""


class MarkedSymbol(Node):
    """A node whose symbol is marked, but not everything on its rows."""

    __slots__ = ()
    number: ClassVar[int] = 0


@cache
def _numbered(kind: type[Node], number: int) -> type[Node]:
    """The kind of marks of one part: a class, because a node is a tuple without other fields."""
    if not number:
        return kind
    return type(kind.__name__, (kind,), {"__slots__": (), "number": number})


def with_marks(tree: Tree, places: Collection[int]) -> Tree:
    """The tree with the nodes marked at these positions of ``tree.nodes()``.

    >>> from porism.formula.tree import parse_tree
    >>> [type(node).__name__ for node in with_marks(parse_tree("[V!x[+],a[N!2]]"), {0, 2}).row]
    ['MarkedSymbol', 'MarkedSubtree']
    """
    return with_numbered_marks(tree, dict.fromkeys(places, 0))


def with_numbered_marks(tree: Tree, numbers: Mapping[int, int]) -> Tree:
    """The tree with nodes marked as belonging to parts, by their positions in ``tree.nodes()``."""
    places = count()

    def marked(node: Node) -> tuple[Node, int | None]:
        """The node with its marks, and the part that it and everything on its rows belong to."""
        number = numbers.get(next(places))
        rows = [(edge, [marked(each) for each in row]) for edge, row in node.parts]
        if number is not None and all(whole == number for _, row in rows for _, whole in row):
            return _numbered(MarkedSubtree, number)(*node), number
        kind = Node if number is None else _numbered(MarkedSymbol, number)
        parts = ((edge, tuple(each for each, _ in row)) for edge, row in rows)
        return kind(node.label, tuple(parts)), None

    return Tree(tree.kind, tuple(marked(node)[0] for node in tree.row))


def has_marks(tree: Tree) -> bool:
    """Whether any symbol is marked."""
    return any(isinstance(node, MarkedSubtree | MarkedSymbol) for node in tree.nodes())
