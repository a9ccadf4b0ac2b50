"""How layout nodes are built, shared by all readers of formulas.

Readers differ in their input and agree on the tree: the edges of scripts and limits, what an accent
covers, how the cells of a table are stored.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from porism.formula.caches import cached_by_label
from porism.formula.fences import is_bare_matrix
from porism.formula.symbols import LIMIT_LABELS
from porism.formula.tree import BLANK, Edge, Node, Row

Cells = list[list[Row]]
"""A table, line by line."""

LIMIT_EDGES = {Edge.ABOVE: Edge.OVER, Edge.BELOW: Edge.UNDER}
"""The edges of limits that are typed as scripts of big operators."""

_OVER, _UNDER = Edge.OVER, Edge.UNDER  # looked up once: access to enum members is slow
_EDGE_ORDER = {edge: place for place, edge in enumerate(Edge)}


def attached(node: Node, edge: Edge, content: Row) -> Node:
    """The node with ``content`` on ``edge``; limits of big operators go over and under.

    If the edge is taken, as by a prime before an exponent, its row is extended.
    """
    label, parts = node
    if label in LIMIT_LABELS and edge in LIMIT_EDGES:
        edge = LIMIT_EDGES[edge]
    if not parts:
        return Node(label, ((edge, content),))
    if node.row(edge):
        return Node(label, tuple((e, row + content if e is edge else row) for e, row in parts))
    return Node(label, ordered_parts((*parts, (edge, content))))


def with_prescripts(row: list[Node]) -> list[Node]:
    """The row with scripts that have no base moved to the symbol after them."""
    out: list[Node] = []
    for symbol in row:
        node = symbol
        if out and out[-1].label == "W!" and out[-1].parts and node.label[:2] == "V!":
            for edge, part in out.pop().parts:
                node = attached(node, _BEFORE.get(edge, edge), part)
        out.append(node)
    return out


_BEFORE = {Edge.ABOVE: Edge.PRE_ABOVE, Edge.BELOW: Edge.PRE_BELOW}


def ordered_parts(parts: tuple[tuple[Edge, Row], ...]) -> tuple[tuple[Edge, Row], ...]:
    """The parts in the order of ``Edge``, as in a node."""
    return tuple(sorted(parts, key=lambda part: _EDGE_ORDER[part[0]]))


def accent_base(content: Row) -> Node:
    """One node for the base of an accent or brace: a plain symbol, else an invisible group."""
    if len(content) == 1 and not content[0].parts:
        return content[0]
    return Node("M!1x1", ((Edge.WITHIN, content or (BLANK,)),))


def stacked(label: str, over: Row, under: Row) -> Node:
    return Node(label, ((_OVER, over or (BLANK,)), (_UNDER, under or (BLANK,))))


def table(lines: Cells, fences: str) -> list[Node]:
    """The node of a table; for a single cell without fences, only its content."""
    if lines and not any(lines[-1]):
        lines = lines[:-1]
    columns = max((len(line) for line in lines), default=0)
    if not columns:
        return []
    if not fences and len(lines) == columns == 1:
        return list(lines[0][0])
    parts = []
    edge = Edge.WITHIN
    for line in lines:
        for cell in line + [()] * (columns - len(line)):
            parts.append((edge, cell or (BLANK,)))
            edge = Edge.ELEMENT
    return [Node(f"M!{fences}{len(lines)}x{columns}", tuple(parts))]


class FenceLabel(NamedTuple):
    """The parsed label of a fenced row or matrix; no fence is the empty string."""

    opening: str
    closing: str
    rows: int
    columns: int


_FENCED = re.compile(r"M!(\D*)(?:(\d+)x(\d+))?")


@cached_by_label
def parse_fence_label(label: str) -> FenceLabel | None:
    """The fences and size in a label such as ``M!()1x2``, or None for other labels."""
    match = _FENCED.fullmatch(label)
    if match is None or len(match[1]) > 2:
        return None
    opening, closing = match[1][:1], match[1][1:]
    return FenceLabel(
        "" if opening == "." else opening, closing, int(match[2] or 0), int(match[3] or 0)
    )


def is_grid(shape: FenceLabel, cells: Sequence[Row]) -> bool:
    """Whether cells form a grid, rather than a list separated by commas.

    Cells of a list end in a comma, all but the last, and have no other comma. An invisible group is
    one cell and not a grid.
    """
    if shape.rows > 1:
        return True
    if len(cells) == 1:
        if not shape.opening and not shape.closing:
            return False
        if cells[0] == (BLANK,) or (len(cells[0]) == 1 and is_bare_matrix(cells[0][0])):
            return True
    return any(
        _COMMA in cell[:-1] or (cell[-1] == _COMMA) == (place == len(cells) - 1)
        for place, cell in enumerate(cells)
    )


_COMMA = Node(",")
