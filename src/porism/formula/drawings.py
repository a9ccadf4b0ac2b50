"""Trees drawn as text, for people at a terminal; ``str(tree)`` is the form for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from porism.formula.tree import Edge, Node, Row, Tree

MAX_LINES = 200
"""How many nodes are drawn before the rest is only counted."""

MAX_LABEL = 60
"""Characters of a label that are shown; the text of a ``\\text`` may go on for pages."""


def drawing(tree: Tree, max_lines: int = MAX_LINES) -> str:
    """The tree with one line for each node, under the symbol that it hangs on.

    In a layout tree the letter on a branch is the edge, and a row goes down the page. Of a tree
    with more than ``max_lines`` nodes the last line only tells how many are left. An empty
    tree gives the empty string.

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
    """One line a node, made as they are asked for, so that a cut drawing costs what it shows."""
    pending = list(reversed(_row_lines(tree.row, "", "")))
    while pending:
        branch, indent, node = pending.pop()
        yield f"{branch} {_shown(node.label)}"
        pending.extend(reversed(_part_lines(node, indent)))


_Line = tuple[str, str, Node]
"""What stands before a node, what stands before all that hangs on it, and the node."""


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
    """What hangs on a node: its rows, each on a branch with the letter of its edge.

    The operands of an operator are no row to be read along: each gets a branch of its own.
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


def _shown(label: str) -> str:
    """The label on one line: cut where it is long, and nothing in it that moves the cursor."""
    if len(label) > MAX_LABEL:
        label = label[: MAX_LABEL - 1] + "…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in label)
