r"""What the formulas of a text state: chains of equal sides, and other relations.

A formula is split where LaTeX begins another line or cell, at commas, full stops, texts and
implications, and each part at its equality signs. A part that begins with an equality sign goes on
from the part before it, as in ``align`` environments and after displays that end with a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from porism.answer.verification.canonical_expressions import canonical
from porism.answer.verification.constant_values import ConstantValue, constant_value
from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.formula.latex.writer import latex
from porism.formula.operators import operator_tree
from porism.formula.operators.groups import shape
from porism.formula.operators.parts_of_speech import FUNCTIONS, IMPLICATIONS, RELATIONS
from porism.formula.tree import BLANK, Edge, Node, Row, Tree

MAX_LATEX = 1200
"""Characters of the longest formula that is read, since longer ones are tables or derivations."""

_DEFINITION = re.compile(r"\\(?:[gex]?def|(?:re)?newcommand|let|DeclareMathOperator)(?![A-Za-z])")
"""A formula that defines macros states little, and may expand to a long one."""

_NO_TREE = Node("O!row")


@dataclass(frozen=True, eq=False)
class Side:
    """One side of an equation, as its symbols; what is made of them is made once, when needed."""

    row: Row
    is_approximate: bool = False
    """Whether it follows a sign such as ≈."""

    @cached_property
    def tree(self) -> Node:
        """The operator tree."""
        roots = operator_tree(Tree("slt", self.row)).row
        return roots[0] if roots else _NO_TREE

    @cached_property
    def canonical(self) -> Node:
        """The operator tree, up to notation."""
        return canonical(self.tree)

    @cached_property
    def value(self) -> ConstantValue | None:
        """The number that it stands for; None as well if it can be read in two ways."""
        if _is_ambiguous(self.row):
            return None
        return constant_value(self.tree, is_approximate=self.is_approximate)

    @property
    def latex(self) -> str:
        """The side as LaTeX."""
        return latex(Tree("slt", self.row))


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Sides that are stated to be equal, or a single side: an expression or another relation."""

    sides: tuple[Side, ...]
    has_relation: bool
    """Whether there are several sides, or the only one contains a relation such as ≤."""
    is_alone: bool = True
    """Whether it is all of its clause: ``a = b`` in ``a = b < c`` is not."""

    @property
    def is_equation(self) -> bool:
        """Whether it has several sides."""
        return len(self.sides) > 1

    @property
    def value(self) -> Side:
        """The last side."""
        return self.sides[-1]


_EQUALITIES = frozenset(("=", ":=", "≔", "≜", "≐", "≈", "≃", "≅", "≊"))
_APPROXIMATE = frozenset(("≈", "≃", "≅", "≊", "≐"))
_CONTINUING = frozenset(("+", "-", "×", "⋅", "±"))
_ENDS = frozenset((",", ";", ".", "⋅⋅⋅", *IMPLICATIONS))

_SPACE = re.compile(r"\\q?quad(?![A-Za-z])")
_THOUSANDS = re.compile(r"(?<![\d.,])([1-9]\d{0,2})((?:(?:\{,\}|,\\!|,)\d{3})+)(?![\d.,]*\d)")
_LINES = re.compile(r"\\\\(?:\[[^\]]*\])?|\\newline(?![A-Za-z])")


def statements(source: str, before: Statement | None = None) -> list[Statement]:
    r"""What a formula states, in reading order; nothing if it is too long or defines macros.

    ``before`` is the statement from which a formula goes on that begins with an equality sign.

    >>> [side.latex for side in statements(r"a &= b \\ &= \tfrac12")[0].sides]
    ['a', 'b', '\\frac{1}{2}']
    """
    if len(source) > MAX_LATEX or _DEFINITION.search(source):
        return []
    source = _SPACE.sub(" , ", source)
    source = _THOUSANDS.sub(lambda match: match[1] + re.sub(r"\D", "", match[2]), source)
    parts = [source]
    if "\\\\" in source and "&" not in source and "\\begin" not in source:
        parts = _LINES.split(source)
    stated: list[Statement] = []
    for part in parts:
        try:
            tree = parse_latex(part).tree
        except LatexError:
            continue
        for row, goes_on in _lines(_unboxed(tree.row)):
            for clause in _clauses(row):
                last = stated[-1] if stated else before
                if goes_on and last is not None and clause[0].label in _CONTINUING:
                    *sides, side = last.sides
                    joined = Side(side.row + clause, side.is_approximate)
                    _append(stated, Statement((*sides, joined), last.has_relation), goes_on=True)
                else:
                    _read(clause, last, stated)
                goes_on = False
    return stated


def _append(stated: list[Statement], statement: Statement, *, goes_on: bool) -> None:
    if goes_on and stated:
        stated[-1] = statement
    else:
        stated.append(statement)


def _read(clause: Row, last: Statement | None, stated: list[Statement]) -> None:
    """Append what one clause states; other relations divide it, and stand for themselves."""
    sides: list[list[Node]] = [[]]
    signs: list[Node] = []
    for node in clause:
        if node.label in RELATIONS:
            signs.append(node)
            sides.append([])
        else:
            sides[-1].append(node)
    kinds = [_is_equality(sign) for sign in signs]
    if signs and not any(kinds):
        if sides[0] and sides[-1] and clause[-1].label != "?":
            stated.append(Statement((Side(clause),), has_relation=True))
        return
    if clause[-1].label == "?":  # a question states nothing
        return
    chain = [Side(tuple(sides[0]))] if sides[0] else []
    goes_on = bool(signs) and not sides[0]
    if goes_on and last is not None and kinds[0]:
        chain = [*last.sides]
    for sign, is_equality, side in zip(signs, kinds, sides[1:], strict=True):
        if not is_equality:
            if len(chain) > 1:
                _close(chain, stated, goes_on=goes_on, is_alone=False)
            chain, goes_on = [], False
        if side:
            chain.append(Side(tuple(side), sign.label in _APPROXIMATE))
    if len(chain) > 1 or not signs:
        _close(chain, stated, goes_on=goes_on, is_alone=all(kinds))


def _close(chain: list[Side], stated: list[Statement], *, goes_on: bool, is_alone: bool) -> None:
    if chain:
        statement = Statement(tuple(chain), len(chain) > 1, is_alone)
        _append(stated, statement, goes_on=goes_on)


def _is_equality(sign: Node) -> bool:
    """Whether a relation says that its sides are equal, and does not ask whether they are."""
    if sign.label not in _EQUALITIES:
        return False
    return not any("?" in node.label for _, row in sign.parts for node in row)


# Lines and clauses


def _unboxed(row: Row) -> Row:
    """The row without the boxes in it."""
    if not any(node.label == "O!enclose" for node in row):
        return row
    unboxed: list[Node] = []
    for node in row:
        content = node.row(Edge.WITHIN)
        if node.label == "O!enclose" and content and len(node.parts) == 1:
            unboxed += _unboxed(content)
        else:
            unboxed.append(node)
    return tuple(unboxed)


def _lines(row: Row) -> Iterator[tuple[Row, bool]]:
    """The lines of an aligned formula, and whether each has an empty first cell."""
    at = next((at for at, node in enumerate(row) if _is_aligned(node)), None)
    if at is None:
        yield row, False
        return
    _, _, columns = shape(row[at].label)
    cells = [cell for edge, cell in row[at].parts if edge in (Edge.WITHIN, Edge.ELEMENT)]
    columns = max(columns, 1)
    if row[:at]:
        yield row[:at], False
    for start in range(0, len(cells), columns):
        line = cells[start : start + columns]
        yield (
            _unboxed(tuple(node for cell in line for node in cell if node != BLANK)),
            line[0] == (BLANK,),
        )
    if row[at + 1 :]:
        yield row[at + 1 :], False


def _is_aligned(node: Node) -> bool:
    """Whether a symbol is a table without fences, which is what alignment is read as."""
    if node.label[:2] != "M!" or not node.label[2:3].isdigit():
        return False
    return shape(node.label)[1] > 1 or shape(node.label)[2] > 1


def _clauses(row: Row) -> Iterator[Row]:
    """The parts of a row between commas, full stops, implications and texts; none is empty."""
    start = 0
    for at, node in enumerate(row):
        if _ends_clause(row, at, node):
            if start < at:
                yield row[start:at]
            start = at + 1
    if start < len(row):
        yield row[start:]


def _ends_clause(row: Row, at: int, node: Node) -> bool:
    following = row[at + 1].label if at + 1 < len(row) else ""
    if node.label == ".":  # 0.\overline{3} is a number
        return not (at and row[at - 1].label[:2] == "N!" and following[:2] == "N!")
    if node.label in _ENDS:
        return True
    if node.label[:2] != "T!" or node.parts:
        return False
    return following[:3] != "M!(" and following not in RELATIONS


# Notation that people read in two ways


def _is_ambiguous(row: Row) -> bool:
    r"""Whether a row, or one within it, has a notation that is read in two ways.

    That is a number before a fraction of numbers, which is a sum or a product, a number before
    another one, which may be a permutation, ``1/2\pi``, and ``\ln 3/2``.
    """
    pending = [row]
    while pending:
        row = pending.pop()
        for at, node in enumerate(row):
            pending += (below for _, below in node.parts)
            if node.label == "/" and _is_long_divisor(row, at):
                return True
            following = row[at + 1] if at + 1 < len(row) else None
            if following is None:
                continue
            if node.label[:2] == following.label[:2] == "N!" and not node.parts:
                return True
            if _is_literal(node) and _is_numeric(following):
                return True
            if node.label[2:] in FUNCTIONS and not _is_group(following):
                end = at + 1
                while end < len(row) and _is_operand(row[end]):
                    end += 1
                if end < len(row) and row[end].label == "/":
                    return True
    return False


def _is_long_divisor(row: Row, at: int) -> bool:
    """Whether several factors follow a slash."""
    at += 1
    if at < len(row) and row[at].label[2:] in FUNCTIONS:
        at += 1
    return at + 1 < len(row) and _is_operand(row[at]) and _is_operand(row[at + 1])


def _is_operand(node: Node) -> bool:
    return node.label[1:2] == "!"


def _is_group(node: Node) -> bool:
    return node.label[:2] == "M!"


def _is_literal(node: Node) -> bool:
    """Whether a symbol is a number, perhaps in parentheses."""
    node = _innermost(node)
    return node.label[:2] == "N!" and not node.parts


def _is_numeric(node: Node) -> bool:
    """Whether a symbol is a fraction of numbers, perhaps in parentheses and with a slash."""
    node = _innermost(node)
    if node.label[:2] == "M!":
        content = node.row(Edge.WITHIN)
        return all(each.label == "/" or _is_literal(each) for each in content)
    if node.label != "O!divide":
        return False
    return all(len(row) == 1 and _is_literal(row[0]) for _, row in node.parts)


def _innermost(node: Node) -> Node:
    """What parentheses contain, if it is a single symbol."""
    while _is_group(node) and len(node.parts) == 1 and len(node.parts[0][1]) == 1:
        node = node.parts[0][1][0]
    return node
