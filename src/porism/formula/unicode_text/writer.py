"""Layout trees as one line of text, as people type formulas: ``∫₀^∞ e^(−x²) dx = √π/2``.

What no line can show (matrices, cases, stacked annotations) has no such text; its reader gets the
LaTeX.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple

from porism.errors import LatexError
from porism.formula.latex import parse_latex, read_macros
from porism.formula.layout import FenceLabel, is_grid, parse_fence_label
from porism.formula.symbols import BIG, LIMIT_LABELS, OPERATORS, OVER_ACCENTS, UNDER_ACCENTS
from porism.formula.tree import Edge, Node, Row, Tree
from porism.formula.unicode_text.errors import NotReadable
from porism.formula.unicode_text.scripts import accented, lowered, raised

_SIGNS = frozenset("+-±∓")
_BINARY = _SIGNS | frozenset("×÷∩∪⊎⊓⊔∨∧∖⊕⊖⊗⊘⊙⋊⋉∘⋆*")
_TIGHT = frozenset("⋅/!′()[]{}|∥⌊⌋⌈⌉⟨⟩.∂∇∀∃∄¬%&#") | frozenset(BIG.values())
_RELATIONS = frozenset(OPERATORS.values()) - _BINARY - _TIGHT | frozenset("=:∣≠")
_PRINTED = {"-": "−", "*": "∗", "∥": "‖"}
_CLOSED_BY_SPACE = frozenset(",;")
_INTEGRALS = frozenset("∫∬∭⨌∮∯∰")
_ROOTS = {"": "√", "3": "∛", "4": "∜"}
_ACCENTS = frozenset((*OVER_ACCENTS.values(), *UNDER_ACCENTS.values()))
_OPENING = frozenset("([{")
_QUANTIFIERS = frozenset("∀∃∄")
_CELLS = frozenset((Edge.WITHIN, Edge.ELEMENT))
_WIDE_SPACE = re.compile(r"(?<![,;.])\s*\\q?quad(?![A-Za-z])\s*\S")
_LINE_END = re.compile(r"(?<!\\)\\\\")
"""Space between formulas that a tree does not have, and without which they would be one."""


def unicode_formula(latex: str, macros: str = "") -> str | None:
    r"""The formula on one line, if it is read without problems and a line can show it.

    >>> unicode_formula(r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}")
    '∫₀^∞ e^(−x²) dx = √π/2'
    >>> unicode_formula(r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}") is None
    True
    """
    if _WIDE_SPACE.search(latex) or (_LINE_END.search(latex) and "\\begin" not in latex):
        return None
    try:
        parsed = parse_latex(latex, read_macros(macros))
    except LatexError:
        return None
    return None if parsed.problems else unicode_tree(parsed.tree)


def unicode_tree(tree: Tree) -> str | None:
    """A layout tree on one line; None if it is empty or a line cannot show it."""
    try:
        return _row(tree.row) or None
    except NotReadable:
        return None


class _Piece(NamedTuple):
    """The text of a symbol, and which kind of space it has around it."""

    text: str
    kind: str


_OPERAND, _WORD, _OPERATOR, _RELATION, _PUNCTUATION = "operand", "word", "sign", "relation", ","
_FRACTION, _BIG, _NUMBER, _GLUED = "fraction", "big", "number", "glued"


def _row(row: Row, is_script: bool = False) -> str:
    """The text of a row; a script has no spaces around its operators."""
    pieces = [_piece(node) for node in row]
    differentials = {
        place
        for place, node in enumerate(row)
        if node.label == "V!d" and 0 < place < len(row) - 1 and _is_operand(pieces[place - 1])
    }
    if not any(node.label in _INTEGRALS for node in row):
        differentials = set()
    out: list[str] = []
    for place, piece in enumerate(pieces):
        before = pieces[place - 1] if place else None
        after = pieces[place + 1] if place + 1 < len(pieces) else None
        text = piece.text
        if piece.kind == _FRACTION and (
            _is_factor(before) or (_is_factor(after) and place + 1 not in differentials)
        ):
            text = f"({text})"
        if piece.kind in (_OPERATOR, _RELATION) and not is_script and _is_infix(before, after):
            text = f" {text} "
        elif piece.kind in (_RELATION, _PUNCTUATION) and not is_script and after is not None:
            text += " "
        elif place in differentials or (before is not None and _needs_space(before, piece)):
            text = f" {text}"
        out.append(text)
    return "".join(out).replace("  ", " ").strip()


def _is_infix(before: _Piece | None, after: _Piece | None) -> bool:
    return (
        before is not None
        and after is not None
        and before.kind not in (_OPERATOR, _RELATION, _PUNCTUATION, _BIG)
    )


def _is_operand(piece: _Piece | None) -> bool:
    return piece is not None and piece.kind in (_OPERAND, _WORD, _NUMBER, _FRACTION)


def _is_factor(piece: _Piece | None) -> bool:
    return _is_operand(piece) and piece is not None and piece.kind != _WORD


def _needs_space(before: _Piece, piece: _Piece) -> bool:
    """Whether two neighbours would be read as one symbol without a space."""
    if piece.text[:1] in _QUANTIFIERS or piece.text.startswith("(mod "):
        return _is_operand(before)
    if before.kind == _WORD or (before.kind == _BIG and before.text.isalpha()):
        return piece.kind == _WORD or (_is_operand(piece) and piece.text[:1] not in _OPENING)
    if before.kind == _BIG:
        return piece.kind != _GLUED
    if piece.kind in (_WORD, _BIG):
        return _is_operand(before)
    return before.kind == piece.kind == _NUMBER


def _piece(node: Node) -> _Piece:
    label = node.label
    if label == "O!divide":
        if len(node.parts) > 2:
            raise NotReadable
        return _Piece(_fraction(node.row(Edge.OVER), node.row(Edge.UNDER)), _FRACTION)
    text = _with_scripts(node)
    if label in LIMIT_LABELS:
        return _Piece(text, _BIG)
    return _Piece(text, _kind(label))


def _kind(label: str) -> str:
    name = label[2:] if label[1:2] == "!" else label
    if label[:2] == "N!":
        return _NUMBER
    if label[:2] == "T!" or label == "mod" or (label[:2] == "V!" and len(name) > 1):
        return _WORD
    if label[:2] in ("V!", "M!", "O!") or (label[0] == "?" and len(label) > 1):
        return _OPERAND
    if label in _CLOSED_BY_SPACE:
        return _PUNCTUATION
    if label in _BINARY:
        return _OPERATOR
    return _RELATION if label in _RELATIONS else _GLUED


def _with_scripts(node: Node) -> str:
    """A symbol with its accents, limits and scripts; left scripts have no line of text."""
    rows = {edge: row for edge, row in node.parts if edge not in _CELLS}
    base = _base(node, rows)
    over, under = rows.pop(Edge.OVER, ()), rows.pop(Edge.UNDER, ())
    above, below = rows.pop(Edge.ABOVE, ()), rows.pop(Edge.BELOW, ())
    if rows:
        raise NotReadable
    if node.label in LIMIT_LABELS:
        above, below = (*over, *above), (*under, *below)
    elif over or under:
        base = _with_accents(base, over, under)
    primes = "".join("′" for _ in takewhile(lambda each: each == Node("′"), above))
    above = above[len(primes) :]
    if (above or below) and not node.label.startswith("M!") and len(base) > 1 and " " in base:
        raise NotReadable
    if node.label[:2] == "N!" and above == (Node("∘"),):
        return f"{base}°"
    lower = lowered(_row(below, is_script=True)) if below else ""
    upper = raised(_row(above, is_script=True)) if above else ""
    return f"{base}{primes}{lower}{upper}"


def _base(node: Node, rows: dict[Edge, Row]) -> str:
    """The symbol itself; rows that belong to its shape are removed from ``rows``."""
    label = node.label
    if label == "O!root":
        index = rows.pop(Edge.PRE_ABOVE, ())
        return _root(node.row(Edge.WITHIN), _row(index, is_script=True))
    if label == "O!enclose":
        return _group(node.row(Edge.WITHIN), is_needed=bool(rows))
    cells = [row for edge, row in node.parts if edge in _CELLS]
    if label[:2] == "M!":
        shape = parse_fence_label(label)
        if shape is None:
            raise NotReadable
        return _fenced(shape, cells, is_alone=not rows)
    if cells or label[:2] in ("O!", "E!"):
        raise NotReadable
    if label[:2] in ("V!", "N!", "T!"):
        return label[2:]
    return "" if label == "W!" else _PRINTED.get(label, label)


def _with_accents(base: str, over: Row, under: Row) -> str:
    for row, is_over in ((under, False), (over, True)):
        if row:
            if len(row) > 1 or row[0].parts or row[0].label not in _ACCENTS:
                raise NotReadable
            base = accented(base, row[0].label, is_over)
    return base


def _root(radicand: Row, index: str) -> str:
    text = _row(radicand)
    is_atom = len(radicand) == 1 and (not radicand[0].parts or text[:1] in "([")
    sign = _ROOTS.get(index) or f"{raised(index)}√"
    if sign.startswith("^"):
        raise NotReadable
    return sign + (text if is_atom else f"({text})")


def _fraction(over: Row, under: Row) -> str:
    is_plain = not any(
        node.label in _BINARY
        or node.label in _RELATIONS
        or node.label == "O!divide"
        or (len(over) > 1 and _kind(node.label) == _WORD)
        for node in over
    )
    is_atom = len(under) == 1 and under[0].label != "O!divide"
    is_differential = len(under) == 2 and under[0].label in ("V!d", "∂")
    return f"{_group(over, not is_plain)}/{_group(under, not (is_atom or is_differential))}"


def _group(row: Row, is_needed: bool) -> str:
    text = _row(row)
    return f"({text})" if is_needed else text


def _fenced(shape: FenceLabel, cells: list[Row], is_alone: bool) -> str:
    """A row in fences, a binomial coefficient, or the lines of aligned equations."""
    if cells and is_grid(shape, cells):
        return _aligned(shape, cells)
    if len(cells) == 1 and len(cells[0]) == 1 and cells[0][0].label == "O!stack":
        stack = cells[0][0]
        return f"({_row(stack.row(Edge.OVER))} choose {_row(stack.row(Edge.UNDER))})"
    opening, closing = (_PRINTED.get(each, each) for each in (shape.opening, shape.closing))
    text = " ".join(_row(cell) for cell in cells)
    # An accent covers the group, which prints no fences of its own.
    needs_fences = not (opening or closing) and not is_alone and len(text) > 3
    return f"({text})" if needs_fences else f"{opening}{text}{closing}"


def _aligned(shape: FenceLabel, cells: list[Row]) -> str:
    """Equations under each other, as in the environment align, one after the other."""
    if shape.opening or shape.closing or shape.columns != 2:
        raise NotReadable
    lines = [(*cells[at], *cells[at + 1]) for at in range(0, len(cells) - 1, 2)]
    if not all(any(node.label in _RELATIONS for node in line) for line in lines):
        raise NotReadable
    texts = [_row(line) for line in lines]
    goes_on = [
        texts[at + 1 : at + 2] and texts[at + 1][:1] in _RELATIONS for at in range(len(texts))
    ]
    return "".join(
        text + (" " if is_chain else "; ") for text, is_chain in zip(texts, goes_on, strict=True)
    ).rstrip("; ")
