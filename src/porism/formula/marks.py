"""Layout trees with marked symbols, which are highlighted when the formula is rendered.

A marked tree is equal to the same tree without marks. Marks are subclasses of nodes, not a third
field or a separate table, so that code that reads trees need not know about them.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from porism.formula.tree import Node, Tree


class MarkedSubtree(Node):
    """A node that is marked with everything on its rows; the nodes there are plain."""

    __slots__ = ()


class MarkedSymbol(Node):
    """A node whose symbol is marked, but not everything on its rows."""

    __slots__ = ()


def with_marks(tree: Tree, places: Collection[int]) -> Tree:
    """The tree with the nodes marked at these positions of ``tree.nodes()``.

    >>> from porism.formula.tree import parse_tree
    >>> [type(node).__name__ for node in with_marks(parse_tree("[V!x[+],a[N!2]]"), {0, 2}).row]
    ['MarkedSymbol', 'MarkedSubtree']
    """
    numbers = count()

    def marked(node: Node) -> tuple[Node, bool]:
        """The node with its marks, and whether everything on its rows is marked too."""
        is_marked = next(numbers) in places
        rows = [(edge, [marked(each) for each in row]) for edge, row in node.parts]
        if is_marked and all(is_whole for _, row in rows for _, is_whole in row):
            return MarkedSubtree(*node), True
        kind = MarkedSymbol if is_marked else Node
        parts = ((edge, tuple(each for each, _ in row)) for edge, row in rows)
        return kind(node.label, tuple(parts)), False

    return Tree(tree.kind, tuple(marked(node)[0] for node in tree.row))
