r"""Where the symbols of a formula are printed: a small typesetter for layout trees.

It follows TeX's rules for sizes and places as far as systems need them that compare formulas by the
places of symbols: the order of symbols from left to right, what is above what, and roughly how
large each is. The dimensions of symbols are given by kind, not by font. A symbol is one character,
as in print: ``12`` and ``sin`` are two and three symbols.

Building the pieces of a formula and then placing them each take time linear in its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from porism.formula.caches import LabelCache, cached_by_label
from porism.formula.features.tangent_layout import is_wildcard
from porism.formula.layout import FenceLabel, is_grid, parse_fence_label
from porism.formula.operators.parts_of_speech import IMPLICATIONS, RELATIONS
from porism.formula.symbols import (
    BIG,
    CANONICAL_SYMBOLS,
    NEGATED,
    OPERATORS,
    OVER_ACCENTS,
    UNDER_ACCENTS,
)
from porism.formula.tree import Edge, Node, Row, Tree

WILDCARD_SYMBOL = ""
"""The symbol of a wildcard's box: it has a place, as large as a letter, but no character."""


class Box(NamedTuple):
    """A printed symbol and its rectangle; the unit is one em, and y is 0 on the baseline."""

    symbol: str
    left: float
    right: float
    bottom: float
    top: float


def symbol_boxes(tree: Tree) -> list[Box]:
    """Return the box of every printed symbol of a layout tree; a blank has none.

    >>> from porism.formula.latex import parse_latex
    >>> [box.symbol for box in symbol_boxes(parse_latex(r"\\frac{12}{x}").tree)]
    ['―', '1', '2', 'x']
    """
    boxes: list[Box] = []
    pending = [(0.0, 0.0, _row(tree.row, _DISPLAY))]
    while pending:
        x, y, piece = pending.pop()
        boxes += (
            Box(symbol, x + left, x + right, y + bottom, y + top)
            for symbol, left, right, bottom, top in piece.boxes
        )
        pending += ((x + dx, y + dy, inner) for dx, dy, inner in reversed(piece.inner))
    return boxes


_DISPLAY, _TEXT, _SCRIPT, _SMALLEST = range(4)
"""TeX's styles: a fraction in a style has its parts in the next one."""

_SIZES = (1.0, 1.0, 0.7, 0.5)

_AXIS = 0.25
"""The height of the fraction bar and of the middle of operators."""
_RULE = 0.04
_GAP = 0.15
"""Between a fraction bar, a root or limits and what is next to them."""
_RAISED, _LOWERED = 0.4, 0.2
"""How far at least the baseline of scripts is above or below that of their symbol."""
_COLUMN_GAP, _ROW_GAP = 1.0, 0.4
_SURD = 0.8
FRACTION_BAR = "―"

_TIGHT = 0.0
_PUNCTUATION_SPACE, _OPERATOR_SPACE, _RELATION_SPACE = 0.17, 0.22, 0.28


class _Piece(NamedTuple):
    """Boxes and further pieces, each at its place relative to the left end of the baseline."""

    width: float
    bottom: float
    top: float
    boxes: tuple[Box, ...] = ()
    inner: tuple[tuple[float, float, _Piece], ...] = ()


_EMPTY = _Piece(0.0, 0.0, 0.0)


def _joined(width: float, parts: Iterable[tuple[float, float, _Piece]]) -> _Piece:
    """Return pieces at their places as one piece."""
    inner = tuple(parts)
    bottom = min((y + piece.bottom for _, y, piece in inner), default=0.0)
    top = max((y + piece.top for _, y, piece in inner), default=0.0)
    return _Piece(width, bottom, top, (), inner)


def _row(row: Iterable[Node], style: int) -> _Piece:
    parts: list[tuple[float, float, _Piece]] = []
    x = 0.0
    is_operand = False  # whether the symbol before can be the left operand of an operator
    for node in row:
        piece = _node(node, style)
        space = _SPACES[node.label]
        if style <= _TEXT and space:
            is_punctuation = space == _PUNCTUATION_SPACE
            before = space if is_operand and not is_punctuation else _TIGHT
            after = space if is_operand or is_punctuation else _TIGHT
            parts.append((x + before, 0.0, piece))
            x += before + piece.width + after
        else:
            parts.append((x, 0.0, piece))
            x += piece.width
        is_operand = not space
    return _joined(x, parts)


def _node(node: Node, style: int) -> _Piece:
    label, parts = node
    is_stack = label in ("O!divide", "O!stack")
    shape = parse_fence_label(label) if label[:2] == "M!" else None
    if shape is not None:
        piece = _fenced(node, shape, style)
    elif is_stack:
        piece = _fraction(node, style)
    elif label == "O!root":
        piece = _root(node, style)
    elif label == "O!enclose":
        piece = _row(node.row(Edge.WITHIN), style)
    else:
        piece = _symbols(label, style)
    if not parts:
        return piece
    above, below = node.row(Edge.ABOVE), node.row(Edge.BELOW)
    over, under = node.row(Edge.OVER), node.row(Edge.UNDER)
    if label in _INTEGRALS:  # whose limits are printed as scripts
        above, below = above + over, below + under
    elif not is_stack and (over or under):
        piece = _with_limits(piece, over, under, style)
    if above or below:
        piece = _with_scripts(piece, above, below, style)
    above, below = node.row(Edge.PRE_ABOVE), node.row(Edge.PRE_BELOW)
    if label != "O!root" and (above or below):
        piece = _with_scripts(piece, above, below, style, is_before=True)
    return piece


def _symbols(label: str, style: int) -> _Piece:
    """Return the characters of a symbol that has no rows of its own, side by side."""
    size = _SIZES[style]
    if is_wildcard(label):
        return _character(WILDCARD_SYMBOL, _LETTER, size)
    metrics = _DISPLAYED if style == _DISPLAY and label in _BIG else _METRICS
    characters = _characters(label)
    if len(characters) == 1:
        return _character(characters, metrics[characters], size)
    parts: list[tuple[float, float, _Piece]] = []
    x = 0.0
    for character in characters:
        if character.isspace():
            x += 0.25 * size
        else:
            piece = _character(character, metrics[character], size)
            parts.append((x, 0.0, piece))
            x += piece.width
    return _joined(x, parts)


def _character(character: str, metrics: _Metrics, size: float) -> _Piece:
    width, bottom, top = metrics.width * size, metrics.bottom * size, metrics.top * size
    return _Piece(width, bottom, top, (Box(character, 0.0, width, bottom, top),))


def _fraction(node: Node, style: int) -> _Piece:
    size, inner_style = _SIZES[style], min(style + 1, _SMALLEST)
    over, under = _row(node.row(Edge.OVER), inner_style), _row(node.row(Edge.UNDER), inner_style)
    gap, rule, axis = _GAP * size, _RULE * size, _AXIS * size
    width = max(over.width, under.width) + 2 * gap
    bar = Box(FRACTION_BAR, gap / 2, width - gap / 2, axis - rule / 2, axis + rule / 2)
    y_over = axis + rule / 2 + gap - over.bottom
    y_under = axis - rule / 2 - gap - under.top
    stack = _joined(
        width,
        (
            ((width - over.width) / 2, y_over, over),
            ((width - under.width) / 2, y_under, under),
        ),
    )
    return stack._replace(boxes=(bar,)) if node.label == "O!divide" else stack


def _root(node: Node, style: int) -> _Piece:
    size = _SIZES[style]
    content = _row(node.row(Edge.WITHIN), style)
    degree = _row(node.row(Edge.PRE_ABOVE), _SMALLEST)
    gap, surd = _GAP * size, _SURD * size
    x = max(0.0, degree.width - surd / 2)
    top = max(content.top, 0.7 * size) + gap
    bottom = min(content.bottom, -0.1 * size)
    sign = Box("√", x, x + surd + content.width, bottom, top)
    parts = [(x + surd, 0.0, content)]
    if degree.inner:
        parts.insert(0, (0.0, (top + bottom) / 2, degree))
    root = _joined(x + surd + content.width, parts)
    return root._replace(bottom=bottom, top=max(top, root.top), boxes=(sign,))


def _fenced(node: Node, shape: FenceLabel, style: int) -> _Piece:
    """Return a list or a matrix between its fences, which are as tall as it is."""
    size = _SIZES[style]
    cells = [row for edge, row in node.parts if edge in (Edge.WITHIN, Edge.ELEMENT)]
    if cells and shape.columns and is_grid(shape, cells):
        content = _matrix(cells, shape.columns, style)
    else:
        content = _row(chain.from_iterable(cells), style)
    if not shape.opening and not shape.closing:
        return content
    bottom, top = min(content.bottom, -0.25 * size), max(content.top, 0.75 * size)
    parts = [(0.0, 0.0, content)]
    boxes: list[Box] = []
    x = 0.0
    if shape.opening:
        x = _METRICS[shape.opening].width * size
        boxes.append(Box(shape.opening, 0.0, x, bottom, top))
        parts = [(x, 0.0, content)]
    x += content.width
    if shape.closing:
        width = _METRICS[shape.closing].width * size
        boxes.append(Box(shape.closing, x, x + width, bottom, top))
        x += width
    return _Piece(x, bottom, top, tuple(boxes), tuple(parts))


def _matrix(cells: list[Row], columns: int, style: int) -> _Piece:
    """Return cells in a grid, centred in their columns and around the axis."""
    size, style = _SIZES[style], max(style, _TEXT)
    pieces = [_row(cell, style) for cell in cells]
    columns = min(columns, len(pieces))  # the formula of a query may be cut
    lines = [pieces[at : at + columns] for at in range(0, len(pieces), columns)]
    widths = [max(each.width for each in pieces[place::columns]) for place in range(columns)]
    tops = [max(0.7 * size, *(each.top for each in line)) for line in lines]
    bottoms = [min(-0.3 * size, *(each.bottom for each in line)) for line in lines]
    gap, row_gap = _COLUMN_GAP * size, _ROW_GAP * size
    height = sum(tops) - sum(bottoms) + row_gap * (len(lines) - 1)
    parts: list[tuple[float, float, _Piece]] = []
    y = _AXIS * size + height / 2
    for line, top, bottom in zip(lines, tops, bottoms, strict=True):
        y -= top
        x = 0.0
        for piece, width in zip(line, widths, strict=False):
            parts.append((x + (width - piece.width) / 2, y, piece))
            x += width + gap
        y += bottom - row_gap
    return _joined(sum(widths) + gap * (columns - 1), parts)


def _with_limits(base: _Piece, over: Row, under: Row, style: int) -> _Piece:
    """Return a piece with what is over and under it; accents are close and not reduced."""
    parts = [(0.0, 0.0, base)]
    if over:
        piece, gap = _limit(over, base.width, style)
        parts.append((0.0, base.top + gap - piece.bottom, piece))
    if under:
        piece, gap = _limit(under, base.width, style)
        parts.append((0.0, base.bottom - gap - piece.top, piece))
    width = max(piece.width for _, _, piece in parts)
    return _joined(width, (((width - piece.width) / 2, y, piece) for _, y, piece in parts))


def _limit(row: Row, width: float, style: int) -> tuple[_Piece, float]:
    """Return a limit or an accent, and its distance from its base."""
    size = _SIZES[style]
    if len(row) == 1 and row[0].label in _ACCENTS and not row[0].parts:
        return _accent(row[0].label, width, size), _GAP * size / 3
    return _row(row, _script_style(style)), _GAP * size


def _accent(label: str, width: float, size: float) -> _Piece:
    """Return an accent, as wide as what it belongs to."""
    width, height = max(width, 0.3 * size), 0.15 * size
    return _Piece(width, 0.0, height, (Box(label, 0.0, width, 0.0, height),))


def _with_scripts(
    base: _Piece, above: Row, below: Row, style: int, *, is_before: bool = False
) -> _Piece:
    """Return a piece with a superscript and a subscript, after it or before it."""
    size, inner_style = _SIZES[style], _script_style(style)
    upper, lower = _row(above, inner_style), _row(below, inner_style)
    raised = max(_RAISED * size, base.top - 0.4 * size)
    lowered = max(_LOWERED * size, -base.bottom + 0.1 * size)
    if above and below:  # TeX keeps them apart
        lowered = max(lowered, _GAP * size + lower.top - (raised + upper.bottom))
    scripts_width = max(upper.width, lower.width)
    x_base, x_scripts = (scripts_width, 0.0) if is_before else (0.0, base.width)
    parts = [(x_base, 0.0, base)]
    if above:
        parts.append((x_scripts, raised, upper))
    if below:
        parts.append((x_scripts, -lowered, lower))
    return _joined(base.width + scripts_width, parts)


def _script_style(style: int) -> int:
    return _SCRIPT if style <= _TEXT else _SMALLEST


class _Metrics(NamedTuple):
    """The dimensions of a character in em."""

    width: float
    bottom: float
    top: float


_LETTER = _Metrics(0.52, 0.0, 0.44)

_BIG = frozenset(BIG.values()) | frozenset("⨍⨎⨏∱∲∳⨃⨅⨉")
_INTEGRALS = frozenset("∫∬∭⨌∮∯∰∱∲∳⨍⨎⨏")
_ACCENTS = frozenset((*OVER_ACCENTS.values(), *UNDER_ACCENTS.values()))
_RELATIONS = frozenset(
    (*RELATIONS, *IMPLICATIONS, *NEGATED, *NEGATED.values(), *"→←↔↦⇒⇐⇔↪↠:∣⊢")
) - frozenset("|")
_SIGNS = frozenset((*"+-±∓×÷⋅*⋆∘∙∩∪⊎⊓⊔∨∧∖≀⨿⊕⊖⊗⊘⊙†‡⋄△▽◁▷⋉⋊", "mod"))
_NARROW = frozenset("ijlIt1fr()[]{}|.,;:!′'`⌊⌋⌈⌉⟨⟩∣")
_WIDE = frozenset("mwMW")
_ASCENDING = frozenset("bdfhiklt0123456789βδθλζξ?!ħℓ")
_DESCENDING = frozenset("gjpqyβγηρμφϕχψςξζ")
_FENCES = frozenset("()[]{}|∥⌊⌋⌈⌉⟨⟩⟦⟧/\\∣")


def _space(label: str) -> float:
    """Return the space around a symbol in a row; only after it, if it is punctuation."""
    if label in _RELATIONS:
        return _RELATION_SPACE
    if label in _SIGNS:
        return _OPERATOR_SPACE
    return _PUNCTUATION_SPACE if label in (",", ";") or label in _BIG else _TIGHT


_SPACES = LabelCache(_space)


@cached_by_label
def _characters(label: str) -> str:
    """Return what is printed for a label; nothing for a blank and for structure."""
    label = CANONICAL_SYMBOLS.get(label, label)
    if label[1:2] == "!" and len(label) > 1:
        return label[2:] if label[0] in "VNTCF" else ""
    return label


def _metrics_of(character: str) -> _Metrics:
    """Return the dimensions of a character by its kind."""
    width = 0.3 if character in _NARROW else 0.88 if character in _WIDE else None
    if character in _BIG:
        width = 0.55 if character in _INTEGRALS else 0.95
        return _Metrics(width, -0.25, 0.75)
    if character in _FENCES:
        return _Metrics(0.39, -0.25, 0.75)
    if character in ".,;":
        return _Metrics(0.28, -0.19 if character != "." else 0.0, 0.1)
    if character in "-¬":
        return _Metrics(0.78, _AXIS - 0.03, _AXIS + 0.03)
    if character == "=":
        return _Metrics(0.78, 0.13, 0.37)
    if character in _RELATIONS or character in OPERATORS.values():
        return _Metrics(0.78, -0.04, 0.54)
    if character in "′'":
        return _Metrics(0.28, 0.0, 0.5)
    if character.isupper():
        return _Metrics(width or 0.72, 0.0, 0.68)
    if character.isdigit():
        return _Metrics(0.5, 0.0, 0.65)
    if character.isalpha():
        return _Metrics(
            width or _LETTER.width,
            -0.2 if character in _DESCENDING else 0.0,
            0.68 if character in _ASCENDING else _LETTER.top,
        )
    return _Metrics(width or 0.72, -0.08, 0.62)


_METRICS = LabelCache(_metrics_of)


def _displayed(character: str) -> _Metrics:
    """Return the dimensions of a big operator on a line of its own."""
    if character in _INTEGRALS:
        return _Metrics(0.8, -0.86, 1.36)
    return _Metrics(1.3, -0.95, 1.45) if character in _BIG else _METRICS[character]


_DISPLAYED = LabelCache(_displayed)
