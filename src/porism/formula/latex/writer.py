"""Layout trees as canonical LaTeX that reads back to the same tree.

``\\frac{1}{2}`` however the fraction was typed, ``\\leq`` for every ``≤``, braces around every
script. Fences are plain where the rules of ``fences`` pair them again as in the tree, and written
with ``\\left`` and ``\\right`` otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from porism.formula.fences import FENCE_LABELS, fenced
from porism.formula.latex.environments import ENVIRONMENTS
from porism.formula.latex.symbol_writer import symbol_latex
from porism.formula.layout import FenceLabel, is_grid, parse_fence_label, with_prescripts
from porism.formula.symbols import LIMIT_LABELS, OVER_ACCENTS, UNDER_ACCENTS
from porism.formula.tree import BLANK, Edge, Node, Row, Tree

_COMMA = Node(",")
_BLANK = "W!"


def latex(tree: Tree) -> str:
    """The formula in LaTeX; a label that LaTeX cannot print becomes an operator name.

    >>> from porism.formula.tree import parse_tree
    >>> latex(parse_tree("[O!divide[+[V!α,a[N!2]]],o[N!1],u[N!2]]"))
    '\\\\frac{1}{2}+\\\\alpha^{2}'
    """
    row = tree.row
    if _stays(row):
        return _row(row)
    # On a line of its own a fence has no partner, and a script without a base no symbol after it.
    lines = []
    start = 0
    for place, node in enumerate(row):
        if node.label in FENCE_LABELS or node.label == _BLANK:
            lines += [_row(row[start:place]), _row(row[place : place + 1])]
            start = place + 1
    return r"\\ ".join((*lines, _row(row[start:])))


def _stays(row: Row) -> bool:
    """Whether a row that is read as a whole reads back unchanged."""
    if tuple(with_prescripts(list(row))) != row:
        return False
    return _is_plain(row) or tuple(fenced(row)) == row


# Rows -----------------------------------------------------------------------------------------


def _row(row: Row) -> str:
    """A row that LaTeX reads as a whole, so that fences in it are paired."""
    plain = _is_plain(row)
    if not plain and tuple(fenced(row)) != row:  # bars without a partner that would get one
        return _joined([_CLOSING_BARS.get(piece, piece) for piece in _pieces(row, plain)])
    return _joined(_pieces(row, plain))


_CLOSING_BARS = {"|": r"\rvert", r"\|": r"\rVert"}


def _is_plain(row: Row) -> bool:
    """Whether fences can be typed as characters: they must pair again just as they do here."""
    if not any(node.label[:2] == "M!" or node.label in FENCE_LABELS for node in row):
        return True
    typed = _typed(row)
    return typed is not None and tuple(fenced(typed)) == row


def _typed(row: Row) -> list[Node] | None:
    """The row with fences as symbols again, or None if one of them cannot be typed."""
    out: list[Node] = []
    for node in row:
        shape = parse_fence_label(node.label) if node.label[:2] == "M!" else None
        if shape is None or not shape.opening or not shape.closing or _is_table(node, shape):
            out.append(node)
            continue
        content: list[Node] = []
        for cell in _cells(node):
            inner = [] if _is_blank(cell) else _typed(cell)
            if inner is None:
                return None
            content += inner
        out += [Node(shape.opening), *content, Node(shape.closing, _scripts(node))]
    return out


def _pieces(row: Row, plain: bool) -> list[str]:
    return [piece for node in row for piece in _node(node, plain)]


def _joined(pieces: Sequence[str]) -> str:
    """The pieces in a row, with a space wherever LaTeX would read two of them as one."""
    out: list[str] = []
    before = ""
    for piece in pieces:
        if piece:
            if before and _run_together(before, piece):
                out.append(" ")
            out.append(piece)
            before = piece
    return "".join(out)


def _run_together(before: str, piece: str) -> bool:
    last, first = before[-1], piece[0]
    if first.isalpha() or first == "@":
        # After an ampersand a name and a semicolon would be an entity.
        return before[0] == "\\" and (last.isalpha() or before == r"\&")
    if first.isdigit():
        return last.isdigit() or last == "." or before == r"\&"
    if first == "." and piece[1:2].isdigit():
        return last.isdigit()
    return (last, first) in _JOINING or before == r"\&"


_JOINING = frozenset(((".", "."), (":", "="), ("&", "#")))


# Symbols and their rows -----------------------------------------------------------------------


def _node(node: Node, plain: bool) -> list[str]:
    """The pieces of a node; ``plain`` if its fences are typed as characters."""
    if not node.parts and node.label[:2] != "M!":
        return [symbol_latex(node.label)] if node.label != _BLANK else []
    before, above, below = (node.row(edge) for edge in (Edge.PRE_ABOVE, Edge.ABOVE, Edge.BELOW))
    is_root = node.label == "O!root"
    if (before and not is_root) or node.row(Edge.PRE_BELOW):
        return _with_prescripts(node, plain)
    if node.label in LIMIT_LABELS and (above or below):
        return [
            rf"\sideset{{}}{{{_script(Edge.BELOW, below)}{_script(Edge.ABOVE, above)}}}",
            *_group(_without(node, Edge.ABOVE, Edge.BELOW)),
        ]
    # On a blank, primes would go to the symbol before it. Each row is written once: a second time
    # would double the work at every level of nesting.
    raised = f"^{{{_row(above)}}}" if node.label == _BLANK and above else _script(Edge.ABOVE, above)
    scripts = [_script(Edge.BELOW, below), raised]
    if _conflicts(node, Edge.ABOVE):  # the script that groups its base comes first
        scripts.reverse()
    return [*_base(node, plain), *scripts]


def _script(edge: Edge, row: Row) -> str:
    if not row:
        return ""
    if edge is Edge.ABOVE and all(node == ("′", ()) for node in row):
        return "'" * len(row)
    return f"{'^' if edge is Edge.ABOVE or edge is Edge.OVER else '_'}{{{_row(row)}}}"


def _group(node: Node) -> list[str]:
    """A node as an argument."""
    return [f"{{{_row((node,))}}}"]


def _without(node: Node, *edges: Edge) -> Node:
    return Node(node.label, tuple(part for part in node.parts if part[0] not in edges))


def _with_prescripts(node: Node, plain: bool) -> list[str]:
    before = _script(Edge.BELOW, node.row(Edge.PRE_BELOW))
    before += "^{" + _row(node.row(Edge.PRE_ABOVE)) + "}" if node.row(Edge.PRE_ABOVE) else ""
    rest = _without(node, Edge.PRE_ABOVE, Edge.PRE_BELOW)
    if node.label[:2] == "V!" and not rest.row(Edge.OVER) and not rest.row(Edge.UNDER):
        return ["{}" + before, *_node(rest, plain)]
    after = ""
    if node.label in LIMIT_LABELS:
        after = "".join(_script(edge, rest.row(edge)) for edge in (Edge.BELOW, Edge.ABOVE))
        rest = _without(rest, Edge.BELOW, Edge.ABOVE)
    return [rf"\sideset{{{before}}}{{{after}}}", *_group(rest)]


def _base(node: Node, plain: bool) -> list[str]:
    """The symbol with all its rows except scripts.

    Each row is written once: writing it twice at each level would double the time with the depth.
    """
    special = _SPECIAL.get(node.label)
    if special is not None:
        may_have_limits = node.label in ("O!root", "O!enclose")
        return [*special(node), _limits(node, r"\limits") if may_have_limits else ""]
    shape = parse_fence_label(node.label) if node.label[:2] == "M!" else None
    if shape is not None:
        return [*_fenced(node, shape, plain), _limits(node, r"\limits")]
    if node.label in LIMIT_LABELS:
        return [symbol_latex(node.label), _limits(node, "")]
    symbol = "{}" if node.label == _BLANK else symbol_latex(node.label)
    return [_covered(symbol, node, "")] if _is_covered(node) else [symbol]


def _is_covered(node: Node) -> bool:
    return bool(node.row(Edge.OVER) or node.row(Edge.UNDER))


def _limits(node: Node, command: str) -> str:
    """The rows under and over a node, as limits after ``command``; empty if it has none."""
    if not _is_covered(node):
        return ""
    under, over = (_script(edge, node.row(edge)) for edge in (Edge.UNDER, Edge.OVER))
    return command + under + over


def _scripts(node: Node) -> tuple[tuple[Edge, Row], ...]:
    return tuple(
        part for part in node.parts if part[0] is not Edge.WITHIN and part[0] is not Edge.ELEMENT
    )


# Fractions, roots, groups ---------------------------------------------------------------------


def _fraction(node: Node) -> list[str]:
    return [rf"\frac{{{_row(node.row(Edge.OVER))}}}{{{_row(node.row(Edge.UNDER))}}}"]


def _stack(node: Node) -> list[str]:
    over, under = _row(node.row(Edge.OVER)), _row(node.row(Edge.UNDER))
    return [rf"\genfrac{{}}{{}}{{0pt}}{{}}{{{over}}}{{{under}}}"]


def _root(node: Node) -> list[str]:
    index = node.row(Edge.PRE_ABOVE)
    written = _row(index)
    if "[" in written or "]" in written:
        written = f"{{{written}}}"
    option = f"[{written}]" if index else ""
    return [rf"\sqrt{option}{{{_row(node.row(Edge.WITHIN))}}}"]


def _enclosed(node: Node) -> list[str]:
    return [rf"\boxed{{{_row(node.row(Edge.WITHIN))}}}"]


def _invisible(node: Node) -> list[str]:
    """``M!1x1``: the base of an accent, or of a second script."""
    if _is_covered(node):
        return [_covered(_row(node.row(Edge.WITHIN)), node, "wide")]
    if _conflicts(node, Edge.ABOVE) or _conflicts(node, Edge.BELOW):
        # Braces do not make a row of their own in which plain fences would be paired.
        return [f"{{{_joined(_pieces(node.row(Edge.WITHIN), plain=False))}}}"]
    return [rf"\overset{{}}{{{_row(node.row(Edge.WITHIN))}}}"]


def _conflicts(node: Node, edge: Edge) -> bool:
    """Whether the script of an invisible group is a second one: its base already has one there."""
    content = node.row(Edge.WITHIN)
    if node.label != "M!1x1" or len(content) != 1 or not node.row(edge):
        return False
    base = content[0]
    if base.label in LIMIT_LABELS:
        edge = Edge.OVER if edge is Edge.ABOVE else Edge.UNDER
    return any(inner.label != "′" for inner in base.row(edge))


_SPECIAL: dict[str, Callable[[Node], list[str]]] = {
    "O!divide": _fraction,
    "O!stack": _stack,
    "O!root": _root,
    "O!enclose": _enclosed,
    "M!1x1": _invisible,
}


def _accents(table: dict[str, str], preferred: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for name, mark in table.items():
        names.setdefault(mark, name)
    return names | {table[name]: name for name in preferred.split()}


_NARROW = _accents(OVER_ACCENTS, "hat tilde bar vec")
_WIDE = _accents(OVER_ACCENTS, "widehat widetilde overline overrightarrow")
_UNDER = _accents(UNDER_ACCENTS, "underline")
_TAKES_LABEL = frozenset("⏞⏟⎴⎵⏜⏝⏠⏡")


def _covered(content: str, node: Node, width: str) -> str:
    """The content with the rows over and under it, by an accent's command if there is one."""
    over, under = node.row(Edge.OVER), node.row(Edge.UNDER)
    if over and under:
        return rf"\underoverset{{{_row(under)}}}{{{_row(over)}}}{{{content}}}"
    marks = over or under
    mark = marks[0].label if len(marks) == 1 and not marks[0].parts else ""
    names = _UNDER if under else _WIDE if width else _NARROW
    has_script = node.row(Edge.ABOVE) or node.row(Edge.BELOW)
    # A script after a brace would be the brace's label.
    if mark in names and content not in ("", "{}") and not (mark in _TAKES_LABEL and has_script):
        return rf"\{names[mark]}{{{content}}}"
    return rf"\{'underset' if under else 'overset'}{{{_row(marks)}}}{{{content}}}"


# Fences and tables ----------------------------------------------------------------------------

_TABLES = {"": "matrix", "()": "pmatrix", "[]": "bmatrix", "{}": "Bmatrix", "||": "vmatrix",
           "∥∥": "Vmatrix", "{": "cases", ".}": "rcases"}  # fmt: skip
assert all(ENVIRONMENTS[name] == fences for fences, name in _TABLES.items())


def _cells(node: Node) -> list[Row]:
    return [row for edge, row in node.parts if edge is Edge.WITHIN or edge is Edge.ELEMENT]


def _is_table(node: Node, shape: FenceLabel) -> bool:
    """Whether the cells need an environment: a grid, or a row without one of its fences."""
    cells = _cells(node)
    return bool(cells) and (not (shape.opening and shape.closing) or is_grid(shape, cells))


def _is_blank(cell: Row) -> bool:
    return not cell or cell == (BLANK,)


def _fenced(node: Node, shape: FenceLabel, plain: bool) -> list[str]:
    cells = _cells(node)
    if _is_table(node, shape):
        return [_table(cells, shape)]
    if len(cells) == 1 and len(cells[0]) == 1 and (shape.opening, shape.closing) == ("(", ")"):
        inner = cells[0][0]
        if inner.label == "O!stack" and not _scripts(inner)[2:]:
            over, under = _row(inner.row(Edge.OVER)), _row(inner.row(Edge.UNDER))
            return [rf"\binom{{{over}}}{{{under}}}"]
    opening, closing = symbol_latex(shape.opening), symbol_latex(shape.closing)
    if plain:
        content = [piece for cell in cells for piece in _pieces(cell, plain=True)]
        return [opening, *content, closing]
    row = tuple(node for cell in cells for node in cell if node != BLANK)
    return [rf"\left{opening}", _row(row), rf"\right{closing}"]


def _table(cells: list[Row], shape: FenceLabel) -> str:
    fences = (shape.opening or "." * bool(shape.closing)) + shape.closing
    columns = max(1, shape.columns)
    lines = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    body = r"\\ ".join(" & ".join(_cell(cell) for cell in line) for line in lines)
    if all(_is_blank(cell) for line in lines[-1:] for cell in line):
        body += r"\\"  # else the last line would be dropped
    name = _TABLES.get(fences, "matrix")
    written = rf"\begin{{{name}}}{body}\end{{{name}}}"
    if fences in _TABLES:
        return written
    opening, closing = (symbol_latex(char) or "." for char in (shape.opening, shape.closing))
    return rf"\left{opening}{written}\right{closing}"


def _cell(row: Row) -> str:
    written = _row(row)
    # A bracket or star there would belong to the command before the cell.
    return "{}" + written if written[:1] in ("[", "*") else written
