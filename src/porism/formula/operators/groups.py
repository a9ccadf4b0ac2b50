"""Groups in fences and tables: their meaning by their fences and number of members."""

from __future__ import annotations

import re

from porism.formula.caches import cached_by_label
from porism.formula.operators.translated_rows import collection
from porism.formula.tree import BLANK, Edge, Node, Row, operator

_SHAPE = re.compile(r"M!(?P<fences>\D*)(?:(?P<rows>\d{1,6})x(?P<columns>\d{1,6}))?")


@cached_by_label
def shape(label: str) -> tuple[str, int, int]:
    """The fences, rows and columns in the label of a matrix or group."""
    match = _SHAPE.fullmatch(label)
    if match is None:
        return label[2:], 1, 1
    return match["fences"], int(match["rows"] or 1), int(match["columns"] or 0)


def is_list(cells: list[Row]) -> bool:
    """Whether the cells are separated by commas, and are not the columns of a matrix."""
    return any(cell[-1].label == "," for cell in cells[:-1])


def table(cells: list[Node], rows: int, columns: int) -> Node:
    if not columns or rows * columns != len(cells):
        rows, columns = len(cells), 1
    lines = (cells[at : at + columns] for at in range(0, len(cells), columns))
    return operator(f"M!M-{rows}x{columns}", *(operator("M!R!", *line) for line in lines))


def conditions(cells: list[Node], columns: int) -> list[Node]:
    """Values and conditions in turn; a value without condition has a blank one."""
    if columns == 2:
        return cells
    return [tree for cell in cells for tree in (cell, BLANK)]


def has_condition(fences: str, cells: list[Row]) -> bool:
    """Whether a bar (in a set, also a colon) separates more loosely than the commas."""
    marks = ("|", "∣", ":") if fences == "{}" else ("|", "∣")
    return any(node.label in marks and not node.parts for cell in cells for node in cell)


def without_separator(cell: Row) -> Row:
    if len(cell) > 1 and cell[-1].label in (",", ";") and not cell[-1].parts:
        return cell[:-1]
    return cell


_ENCLOSURES = {
    "||": "F!abs",
    "∣∣": "F!abs",
    "∥∥": "O!norm",
    "⌊⌋": "F!floor",
    "⌈⌉": "F!ceiling",
    "{}": "M!S-1",
    "|⟩": "O!ket",
    "⟨|": "O!bra",
}


def enclosed(fences: str, tree: Node) -> Node:
    return operator(_ENCLOSURES.get(fences, "M!D-" + fences), tree)


_INTERVALS = {
    "()": "O!interval(O-O)",
    "[]": "O!interval(C-C)",
    "(]": "O!interval(O-C)",
    "[)": "O!interval(C-O)",
    "][": "O!interval(O-O)",
    "]]": "O!interval(O-C)",
    "[[": "O!interval(C-O)",
}


def grouped(fences: str, members: tuple[Node, ...]) -> Node:
    """Several things in fences: an interval (or pair), a tuple, a set, else a list."""
    if len(members) == 2 and fences in _INTERVALS:
        return operator(_INTERVALS[fences], *members)
    label = {"()": "M!V-", "{}": "M!S-"}.get(fences, "M!L-")
    return collection(label, list(members))


def with_kets(row: Row) -> Row:
    """``row`` with bras and kets, whose fences are of different kinds, as groups; not nested."""
    done: list[Node] = []
    opened: list[int] = []
    last = -1
    for node in row:
        label = node.label
        pair = done[opened[-1]].label + label if opened else ""
        if pair in _KETS and last < opened[-1] < len(done) - 1:
            last = opened.pop()
            content = (Edge.WITHIN, tuple(done[last + 1 :]))
            done[last:] = [Node(f"M!{_KETS[pair]}1x1", (*node.parts, content))]
            continue
        if label in ("|", "∣", "⟨") and not node.parts:
            opened.append(len(done))
        done.append(node)
    return tuple(done)


_KETS = {"|⟩": "|⟩", "∣⟩": "|⟩", "⟨|": "⟨|", "⟨∣": "⟨|"}
