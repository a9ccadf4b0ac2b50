"""Formula trees as SVG: each operator above its operands, each row from left to right.

The drawing uses the surrounding text colour, and every symbol has a class by its kind, so that a
page can colour them. It contains no script, no style and no ids.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from porism.formula.tree import Edge, Node, Row, Tree

MAX_NODES = 300
"""Maximum number of symbols drawn; dots replace those farthest from the root."""

MAX_LABEL_LENGTH = 24
"""Maximum length of a label in characters."""

KIND_NAMES = {
    "V": "variable",
    "N": "number",
    "C": "constant",
    "T": "text",
    "F": "function",
    "O": "operator",
    "U": "operator",
    "M": "group",
    "W": "blank",
}
"""Classes of symbols by the first letter of their label; others are signs."""

EDGE_NAMES = {
    Edge.ABOVE: "above",
    Edge.BELOW: "below",
    Edge.OVER: "over",
    Edge.UNDER: "under",
    Edge.PRE_ABOVE: "before, above",
    Edge.PRE_BELOW: "before, below",
    Edge.WITHIN: "within",
    Edge.ELEMENT: "cell",
    Edge.OPERANDS: "",
}

_NAMES = {"SUP": "power", "SUB": "index", "R!": "row"}
_GROUP = re.compile(r"(\D*?)-?(?:1x1|(\d+)(?:x(\d+))?)?")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LETTER, _PADDING, _HEIGHT = 8.5, 8.0, 24.0  # of a label, in units of the drawing
_GAP, _STEP, _MARGIN = 14.0, 66.0, 8.0  # between neighbours, between levels, around all
_EDGE_LETTER = 6.0


@dataclass(eq=False, slots=True)
class _Box:
    """A symbol in the drawing, with the rows below it; ``width`` includes these."""

    text: str
    kind: str
    level: int
    rows: list[tuple[str, list[_Box]]] = field(default_factory=list)
    width: float = 0.0
    x: float = 0.0  # of the centre

    @property
    def own_width(self) -> float:
        return max(_HEIGHT, len(self.text) * _LETTER + 2 * _PADDING)

    @property
    def y(self) -> float:
        return _MARGIN + _HEIGHT / 2 + self.level * _STEP


def tree_svg(tree: Tree) -> str:
    """The tree as an HTML element with a title; empty for an empty tree."""
    roots, boxes = _boxes(tree)
    if not boxes:
        return ""
    for box in reversed(boxes):  # lower levels first
        below = sum(_row_width(name, row) for name, row in box.rows)
        box.width = max(box.own_width, below + _GAP * (len(box.rows) - 1))
    _place(roots, _MARGIN)
    for box in boxes:
        _place_rows(box)
    width = 2 * _MARGIN + _row_width("", roots)
    height = 2 * _MARGIN + _HEIGHT + _STEP * max(box.level for box in boxes)
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return "\n".join(
        (
            f'<svg class="tree {tree.kind}" role="img" {size}>',
            f"<title>{_title(tree)}</title>",
            '<g fill="none" stroke="currentColor" stroke-opacity="0.5">',
            *_neighbours(roots),
            *(line for box in boxes for _, row in box.rows for line in _neighbours(row)),
            *(line for box in boxes for line in _edges(box)),
            "</g>",
            '<g fill="currentColor" font-size="11" text-anchor="middle" opacity="0.8">',
            *(name for box in boxes for name in _edge_names(box)),
            "</g>",
            '<g fill="currentColor" font-size="14" text-anchor="middle">',
            *map(_label, boxes),
            "</g>",
            "</svg>",
        )
    )


def _boxes(tree: Tree) -> tuple[list[_Box], list[_Box]]:
    """The boxes of the first row, and all boxes, level by level."""
    left = MAX_NODES
    boxes: list[_Box] = []
    pending: deque[tuple[_Box, Node]] = deque()

    def boxed(row: Row, level: int) -> list[_Box]:
        nonlocal left
        taken = row[:left]
        left -= len(taken)
        row_boxes = [_Box(*_text_and_kind(node.label), level) for node in taken]
        pending.extend(zip(row_boxes, taken, strict=True))
        if len(taken) < len(row):
            row_boxes.append(_Box("…", "more", level))
        boxes.extend(row_boxes)
        return row_boxes

    roots = boxed(tree.row, 0)
    while pending:
        box, node = pending.popleft()
        for edge, row in node.parts:
            if edge is not Edge.OPERANDS:
                box.rows.append((EDGE_NAMES[edge], boxed(row, box.level + 1)))
                continue
            for operand in row:  # operands are not neighbours on a baseline
                is_full = left == 0
                box.rows.append(("", boxed((operand,), box.level + 1)))
                if is_full:
                    break  # dots replace this one and the rest
    return roots, boxes


def _text_and_kind(label: str) -> tuple[str, str]:
    """The text of a label, and the class of its kind.

    >>> [_text_and_kind(label)[0] for label in ("V!x", "+", "M!()2x2", "M!()1x1", "+!O!sum", "W!")]
    ['x', '+', '() 2×2', '()', 'sum', 'blank']
    """
    while label.startswith("+!"):  # an operator with its own operands
        label = label[2:]
    letter, mark, text = label.partition("!")
    kind = KIND_NAMES.get(letter, "sign") if mark else "sign"
    if kind == "sign":
        text = label
    elif kind == "blank":
        text = text or "blank"
    elif kind == "group":
        text = _group_name(text)
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", _NAMES.get(text, text))
    return (text if len(text) <= MAX_LABEL_LENGTH else f"{text[: MAX_LABEL_LENGTH - 1]}…"), kind


def _group_name(text: str) -> str:
    match = _GROUP.fullmatch(text)
    if match is None or text in _NAMES:
        return text
    name = {"M": "matrix", "L": "list", "S": "set", "V": "vector", "D": "determinant"}.get(
        match[1], match[1]
    )
    size = "×".join(filter(None, (match[2], match[3])))
    return f"{name} {size}".strip() or "group"


def _row_width(name: str, row: list[_Box]) -> float:
    boxes = sum(box.width for box in row) + _GAP * (len(row) - 1)
    return max(boxes, len(name) * _EDGE_LETTER)


def _place(row: list[_Box], left: float) -> None:
    for box in row:
        box.x = left + box.width / 2
        left += box.width + _GAP


def _place_rows(box: _Box) -> None:
    """Place the rows of a box side by side below it, centred."""
    widths = [_row_width(name, row) for name, row in box.rows]
    left = box.x - (sum(widths) + _GAP * (len(widths) - 1)) / 2
    for (_, row), width in zip(box.rows, widths, strict=True):
        inner = sum(each.width for each in row) + _GAP * (len(row) - 1)
        _place(row, left + (width - inner) / 2)
        left += width + _GAP


def _neighbours(row: list[_Box]) -> list[str]:
    """Lines between the symbols of a row."""
    return [
        f'<path d="M {one.x + one.own_width / 2:.1f} {one.y:.1f} '
        f'H {next_one.x - next_one.own_width / 2:.1f}"/>'
        for one, next_one in pairwise(row)
    ]


def _edges(box: _Box) -> list[str]:
    """Lines from a symbol to the first symbol of each of its rows."""
    return [
        f'<path d="M {box.x:.1f} {box.y + _HEIGHT / 2:.1f} '
        f'L {row[0].x:.1f} {row[0].y - _HEIGHT / 2:.1f}"/>'
        for _, row in box.rows
    ]


def _edge_names(box: _Box) -> list[str]:
    """The names of edges, each just above its target."""
    return [
        f'<text class="edge" x="{row[0].x:.1f}" y="{row[0].y - _HEIGHT / 2 - 5:.1f}">{name}</text>'
        for name, row in box.rows
        if name
    ]


def _label(box: _Box) -> str:
    left, top = box.x - box.own_width / 2, box.y - _HEIGHT / 2
    return (
        f'<g class="{box.kind}"><rect x="{left:.1f}" y="{top:.1f}" width="{box.own_width:.1f}" '
        f'height="{_HEIGHT:.0f}" rx="5" fill="none" stroke="currentColor" stroke-opacity="0.35"/>'
        f'<text x="{box.x:.1f}" y="{box.y + 5:.1f}">{escape(box.text)}</text></g>'
    )


def _title(tree: Tree) -> str:
    count = sum(1 for _ in tree.nodes())
    name = "Layout tree" if tree.kind == "slt" else "Operator tree"
    cut = f", of which {MAX_NODES} are drawn" if count > MAX_NODES else ""
    return f"{name} of {count:,} {'symbol' if count == 1 else 'symbols'}{cut}"
