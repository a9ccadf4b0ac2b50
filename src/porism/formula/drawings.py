"""Trees drawn as text, for terminals; ``str(tree)`` is the form for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from porism.formula.tree import Edge, Node, Row, Tree

MAX_LINES = 200
"""Nodes that are drawn; the rest is only counted."""

MAX_LABEL = 60
"""Characters of a label that are drawn; the text of a ``\\text`` may be very long."""


def drawing(tree: Tree, max_lines: int = MAX_LINES) -> str:
    """The tree with one line for each node, below its parent.

    In a layout tree the letter on a branch is the edge, and a row goes down the page. If a tree has
    more than ``max_lines`` nodes, the last line says how many are left. An empty tree gives the
    empty string.

    >>> from porism.formula.tree import parse_tree
    >>> print(drawing(parse_tree("[V!x[+[V!y]],a[N!2[V!n]]]")))
    ┬ V!x
    │ └─a─┬ N!2
    │     └ V!n
    ├ +
    └ V!y
    >>> print(drawing(parse_tree("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]", "opt")))
    ─ U!plus
      ├── O!SUP
      │   ├── V!x
      │   └── N!2
      └── V!y
    """
    lines = list(islice(_lines(tree), max_lines))
    left = sum(1 for _ in tree.nodes()) - len(lines)
    if left:
        lines.append(f"… and {left:,} more nodes")
    return "\n".join(lines)


def _lines(tree: Tree) -> Iterator[str]:
    """One line per node, generated lazily, so that a truncated drawing costs only its lines."""
    pending = list(reversed(_row_lines(tree.row, "", "")))
    while pending:
        branch, indent, node = pending.pop()
        yield f"{branch} {_drawn_label(node.label)}"
        pending.extend(reversed(_part_lines(node, indent)))


_Line = tuple[str, str, Node]
"""The prefix of a node's line, the prefix of the lines below it, and the node."""


def _row_lines(row: Row, branch: str, indent: str) -> list[_Line]:
    """A row going down the page; its first symbol continues ``branch``."""
    if len(row) == 1:
        return [(f"{branch}─", f"{indent}  ", row[0])]
    last = len(row) - 1
    return [
        (
            f"{branch}┬" if place == 0 else f"{indent}└" if place == last else f"{indent}├",
            f"{indent}  " if place == last else f"{indent}│ ",
            node,
        )
        for place, node in enumerate(row)
    ]


def _part_lines(node: Node, indent: str) -> list[_Line]:
    """The rows of a node, each on a branch with the letter of its edge.

    The operands of an operator are not a row to be read: each gets a branch of its own.
    """
    parts: list[tuple[str, Row]] = []
    for edge, row in node.parts:
        if edge is Edge.OPERANDS:
            parts += (("─", (operand,)) for operand in row)
        else:
            parts.append((f"─{edge.value}─", row))
    lines: list[_Line] = []
    for place, (stem, row) in enumerate(parts, start=1):
        corner, bar = ("└", " ") if place == len(parts) else ("├", "│")
        lines += _row_lines(row, f"{indent}{corner}{stem}", f"{indent}{bar}{' ' * len(stem)}")
    return lines


def _drawn_label(label: str) -> str:
    """The label on one line, truncated and without control characters."""
    if len(label) > MAX_LABEL:
        label = label[: MAX_LABEL - 1] + "…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in label)
