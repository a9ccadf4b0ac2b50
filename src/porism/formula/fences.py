"""Fences in a row: which brackets and bars belong together, and their content.

In LaTeX and MathML brackets are symbols in a row. Here they become nodes with their content, by one
set of rules for every source, so that the same formula gives the same tree.
"""

import re
from collections.abc import Sequence

from porism.formula.symbols import FENCES
from porism.formula.tree import BLANK, Edge, Node, Row

BARS = frozenset("|∥")
SIDED_BARS = {"l|": "r|", "l∥": "r∥"}
"""Labels for bars whose side is known from the source, such as ``\\lvert``.

They are used only between the parser and this module; in a tree a bar is a bar.
"""

OPENING = frozenset(FENCES) - BARS | frozenset(SIDED_BARS)
CLOSING = {close: open_ for open_, close in (FENCES | SIDED_BARS).items() if close not in BARS}
FENCE_LABELS = frozenset(FENCES) | frozenset(FENCES.values()) | OPENING | frozenset(CLOSING)

_SIDED = frozenset(SIDED_BARS) | frozenset(SIDED_BARS.values())
_MIXED = frozenset((("[", ")"), ("(", "]")))  # half-open intervals
_LOOK_AHEAD = 150  # symbols that are searched for the second of two bars; keeps rows linear
_BETWEEN_NO_BARS = frozenset(",:;=<>≤≥≠∈→⇒∣")
_WITHIN, _ELEMENT = Edge.WITHIN, Edge.ELEMENT  # looked up once: access to enum members is slow
_BARE_MATRIX = re.compile(r"M!\d+x\d+")


def fenced(row: Sequence[Node]) -> list[Node]:
    """The row with each pair of fences and their content as one node.

    Brackets pair by nesting, half-open intervals included; bars pair where an operand begins
    or ends next to them. A fence without a partner stays a symbol of the row.
    """
    out: list[Node] = []
    opened: list[tuple[str, int]] = []
    waiting: dict[str, int] = {}
    for place, node in enumerate(row):
        label = node.label
        if label not in FENCE_LABELS:  # most symbols
            out.append(node)
            continue
        if label in BARS:
            if opened and opened[-1][0][-1] == label and _bar_closes(out, opened[-1][1]):
                _close(out, opened, waiting, node)
                continue
            if not node.parts and _bar_opens(row, place, out):
                opened.append((label, len(out)))
                waiting[label] = waiting.get(label, 0) + 1
        elif label in OPENING and not node.parts:
            opened.append((label, len(out)))
            waiting[label] = waiting.get(label, 0) + 1
        elif label in CLOSING:
            waiting.setdefault(label, 0)
            if _find_partner(out, opened, waiting, label):
                _close(out, opened, waiting, node)
                continue
        out.append(node)
    if waiting.get("[") or "]" in waiting:
        out = _with_reversed_intervals(out)
    if not _SIDED.isdisjoint(waiting):
        out = [Node(n.label[-1], n.parts) if n.label in _SIDED else n for n in out]
    return _with_cases(out) if waiting.get("{") else out


def group(opening: str, closing: str, content: Sequence[Node], scripts: Node) -> Node:
    """One node for a fenced row, with the scripts of its closing fence, ``scripts``."""
    fences = f"M!{opening}{closing}"
    if not content:
        return Node(fences, scripts.parts)
    if len(content) == 1 and is_bare_matrix(content[0]):
        return Node(fences + content[0].label[2:], scripts.parts + content[0].parts)
    cells = _cells(content)
    parts = [*scripts.parts, (_WITHIN, cells[0])]
    for cell in cells[1:]:
        parts.append((_ELEMENT, cell))
    return Node(f"{fences}1x{len(cells)}", tuple(parts))


def is_bare_matrix(node: Node) -> bool:
    """Whether a node is a matrix without fences and scripts, and not just an invisible group."""
    if not node.parts or node.label == "M!1x1" or not _BARE_MATRIX.fullmatch(node.label):
        return False
    return node.parts[0][0] is _WITHIN


def _cells(content: Sequence[Node]) -> list[Row]:
    """The content split after each comma; an empty cell holds a blank."""
    cells: list[Row] = []
    start = 0
    for place, node in enumerate(content):
        if node.label == "," and not node.parts:
            cells.append(tuple(content[start : place + 1]))
            start = place + 1
    cells.append(tuple(content[start:]) or (BLANK,))
    return cells


def _find_partner(
    out: list[Node], opened: list[tuple[str, int]], waiting: dict[str, int], closing: str
) -> bool:
    """Whether the fence on top of ``opened`` is now the partner of ``closing``.

    Fences above the partner, which nothing can close any more, are dropped from ``opened``.
    """
    if not opened:
        return False
    top, start = opened[-1]
    if (top, closing) in _MIXED and len(out) - start < _LOOK_AHEAD:
        commas = sum(node.label == "," for node in out[start:])
        if commas == 1:
            return True
    wanted = CLOSING[closing]
    if not waiting.get(wanted):
        return False
    while opened[-1][0] != wanted:
        waiting[opened.pop()[0]] -= 1
    return True


def _close(
    out: list[Node], opened: list[tuple[str, int]], waiting: dict[str, int], closing: Node
) -> None:
    opening, start = opened.pop()
    waiting[opening] -= 1
    content = out[start + 1 :]
    if waiting.get("[") or "]" in waiting:
        content = _with_reversed_intervals(content)
    del out[start:]
    out.append(group(opening[-1], closing.label[-1], content, closing))


def _with_reversed_intervals(row: list[Node]) -> list[Node]:
    """The row with ]a,b[ and half-open variants, made of unpaired square brackets, as one node."""
    out: list[Node] = []
    opened = -1
    commas = 0
    for node in row:
        if node.label in ("[", "]"):
            if opened >= 0 and commas == 1 and _ends_operand(out):
                content = out[opened + 1 :]
                out[opened:] = [group(out[opened].label, node.label, content, node)]
                opened = -1
                continue
            opened, commas = (-1 if node.parts else len(out)), 0
        commas += node.label == ","
        out.append(node)
    return out


def _bar_closes(out: list[Node], start: int) -> bool:
    """Whether a bar can end what began at ``start``: an operand, or a lone symbol as in |⋅|."""
    content = len(out) - start - 1
    return (content == 1 and out[-1].label not in BARS) or (content > 1 and _ends_operand(out))


def _ends_operand(out: list[Node]) -> bool:
    """Whether ``out`` ends with something that can be an operand."""
    if not out:
        return False
    label = out[-1].label
    return label[1:2] == "!" or label == "!" or label in CLOSING or label[0] == "?"


def _bar_opens(row: Sequence[Node], place: int, out: list[Node]) -> bool:
    """Whether the bar at ``place`` begins an absolute value or norm.

    It must have a second bar at its own level. After an operand it could also mean "divides",
    "given" or "such that"; then it opens only if the content up to the second bar is a term.
    """
    bar = row[place].label
    after_operand = _ends_operand(out)
    level = 0
    for ahead in range(place + 1, min(len(row), place + _LOOK_AHEAD)):
        label = row[ahead].label
        if label in OPENING:
            level += 1
        elif label in CLOSING:
            level -= 1
            if level < 0:
                return False
        elif level == 0:
            if label == bar:
                if ahead > place + 1 or not after_operand:
                    return True
                return _double_bar_closes(row, ahead + 1, bar)
            if after_operand and label in _BETWEEN_NO_BARS:
                return False
    return False


def _double_bar_closes(row: Sequence[Node], start: int, bar: str) -> bool:
    """Whether the next bar after ``start`` is two bars, as at the end of 2||x||."""
    end = min(len(row) - 1, start + _LOOK_AHEAD)
    for place in range(start + 1, end):
        if row[place].label == bar:
            return row[place + 1].label == bar
    return False


def _with_cases(row: list[Node]) -> list[Node]:
    """The row with an open brace and the bare matrix after it as one node, as for ``cases``."""
    out: list[Node] = []
    for node in row:
        if out and out[-1] == ("{", ()) and is_bare_matrix(node):
            out[-1] = Node("M!{" + node.label[2:], node.parts)
        else:
            out.append(node)
    return out
