"""Layout trees as Presentation MathML for browsers, in the elements of MathML Core.

What is not in the tree is left to the browser: spacing by its operator dictionary, sizes of fences
and big operators by their content. Marked symbols have the class ``hit``, neighbours together; of
several marked parts each also has the class ``part1`` to ``part6`` by its number.
"""

from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby

from porism.formula.caches import cached_by_label
from porism.formula.layout import FenceLabel, is_grid, parse_fence_label
from porism.formula.marks import MarkedSubtree, MarkedSymbol
from porism.formula.symbols import LIMIT_LABELS, OVER_ACCENTS, UNDER_ACCENTS, WORDS
from porism.formula.tree import Edge, Node, Row, Tree

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ACCENTS = frozenset((*OVER_ACCENTS.values(), *UNDER_ACCENTS.values()))
_STRETCHED = frozenset("⏞⏟⎴⎵⏜⏝⏠⏡")
_PRINTED = {"-": "−", "*": "∗"}  # trees have the characters that people type
_PRINTED_FENCES = {"∥": "‖"}  # browsers treat ∥ as a relation and put space around it
_INTEGRALS = frozenset("∫∬∭⨌∮∯∰∱∲∳⨍⨎⨏")
_TALL = LIMIT_LABELS | {"O!divide", "O!stack", "O!root"}
_FUNCTIONS = frozenset("V!" + word for word in WORDS) | {"det"}
_APPLY = '<mo lspace="0" rspace="0.17em">\u2061</mo>'
_APPLY_FENCED = "<mo>\u2061</mo>"
_COLOURS = 6
_SIGNS = frozenset(f"<mo>{sign}</mo>" for sign in "+−±∓")
"""Operators that browsers treat as signs, without space, at the beginning of a row."""


def presentation_mathml(tree: Tree, alttext: str = "", display: str = "inline") -> str:
    """The formula as a ``math`` element; ``alttext`` is for readers without MathML.

    >>> from porism.formula.latex import parse_latex
    >>> presentation_mathml(parse_latex("x^2").tree)
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    attributes = f' alttext="{escape(alttext)}"' if alttext else ""
    attributes += f' display="{display}"' if display != "inline" else ""
    return f'<math xmlns="{_NAMESPACE}"{attributes}>{_row(tree.row)}</math>'


def _elements(row: Row) -> list[str]:
    """The elements of a row: one per symbol, except for runs of primes and applied functions."""
    elements: list[str] = []
    hits: dict[int, int] = {}  # the numbers of marked parts, by the places of their elements
    primes = 0
    for place, node in enumerate(row):
        begin = len(elements)
        if node == ("′", ()):
            primes += 1
            if row[place + 1 : place + 2] != (node,):
                elements.append(f"<mo>{'′' * primes}</mo>")
                primes = 0
        elif node.label in _FUNCTIONS:
            elements += _function(
                node, row[place - 1] if place else None, row[place + 1 : place + 2]
            )
        else:
            elements.append(_element(node))
        if isinstance(node, MarkedSubtree):
            hits.update(dict.fromkeys(range(begin, len(elements)), node.number))
    return _with_hits(elements, hits) if hits else elements


def _hit(number: int) -> str:
    """The attribute of a marked part; parts beyond the last colour begin again."""
    return f' class="hit part{(number - 1) % _COLOURS + 1}"' if number else ' class="hit"'


def _with_hits(elements: list[str], hits: Mapping[int, int]) -> list[str]:
    """The elements of a row with adjacent marked ones of a part grouped in an ``mrow``."""
    out: list[str] = []
    for number, run in groupby(range(len(elements)), hits.get):
        places = list(run)
        together = [elements[place] for place in places]
        if number is not None:
            if places[0] > 0 and together[0] in _SIGNS:
                together[0] = together[0].replace("<mo", '<mo form="infix"')
            together = [f"<mrow{_hit(number)}>{''.join(together)}</mrow>"]
        out += together
    return out


def _function(node: Node, before: Node | None, after: Row) -> Iterator[str]:
    """A function such as sin, with the usual space around it."""
    if before is not None and before.label[1:2] == "!":
        yield '<mspace width="0.17em"/>'
    yield _element(node)
    if after and after[0].label[1:2] == "!":
        yield _APPLY_FENCED if after[0].label[:3] == "M!(" else _APPLY


def _row(row: Row) -> str:
    """The elements of a row."""
    return "".join(_elements(row))


def _one(row: Row) -> str:
    """A row as a single element, where MathML counts its arguments."""
    elements = _elements(row)
    return elements[0] if len(elements) == 1 else f"<mrow>{''.join(elements)}</mrow>"


def _element(node: Node) -> str:
    label, parts = node
    if not parts:
        return _leaf(label)
    rows = dict(parts)
    base = _base(node, rows)
    over, under = rows.pop(Edge.OVER, None), rows.pop(Edge.UNDER, None)
    if label in _INTEGRALS:
        base = _scripted("msub", "msup", "msubsup", base, under, over)
    elif over or under:
        base = _covered(label, base, under, over)
    base = _scripted("msub", "msup", "msubsup", base, rows.get(Edge.BELOW), rows.get(Edge.ABOVE))
    before = rows.get(Edge.PRE_BELOW), rows.get(Edge.PRE_ABOVE)
    if any(before):
        below, above = (_one(row) if row else "<none/>" for row in before)
        base = f"<mmultiscripts>{base}<mprescripts/>{below}{above}</mmultiscripts>"
    return base


def _base(node: Node, rows: dict[Edge, Row]) -> str:
    """The symbol with the rows that are part of its shape, which are removed from ``rows``."""
    label = node.label
    if label == "O!divide" or label == "O!stack":
        bar = "" if label == "O!divide" else ' linethickness="0"'
        over, under = rows.pop(Edge.OVER, ()), rows.pop(Edge.UNDER, ())
        return f"<mfrac{bar}>{_one(over)}{_one(under)}</mfrac>"
    if label == "O!root":
        within, index = rows.pop(Edge.WITHIN, ()), rows.pop(Edge.PRE_ABOVE, None)
        if index is None:
            return f"<msqrt>{_row(within)}</msqrt>"
        return f"<mroot>{_one(within)}{_one(index)}</mroot>"
    if label == "O!enclose":
        return f'<menclose notation="box">{_row(rows.pop(Edge.WITHIN, ()))}</menclose>'
    cells = [row for edge, row in node.parts if edge is Edge.WITHIN or edge is Edge.ELEMENT]
    shape = parse_fence_label(label) if cells or label[:2] == "M!" else None
    hit = _hit(node.number) if isinstance(node, MarkedSymbol) else ""
    if shape is None:
        return _leaf(label).replace(">", f"{hit}>", 1)
    rows.pop(Edge.WITHIN, None)
    rows.pop(Edge.ELEMENT, None)
    return _fenced(shape, cells, hit)


def _fenced(shape: FenceLabel, cells: list[Row], hit: str = "") -> str:
    if cells and is_grid(shape, cells):
        columns = max(1, shape.columns)
        lines = (cells[start : start + columns] for start in range(0, len(cells), columns))
        content = "".join(
            f"<mtr>{''.join(f'<mtd>{_row(cell)}</mtd>' for cell in line)}</mtr>" for line in lines
        )
        content = f"<mtable>{content}</mtable>"
    else:
        content = "".join(_row(cell) for cell in cells)
    size = "" if shape.rows > 1 or any(_is_tall(cell) for cell in cells) else ' stretchy="false"'
    opening = _fence(shape.opening, "prefix", size + hit)
    closing = _fence(shape.closing, "postfix", size + hit)
    return f"<mrow>{opening}{content}{closing}</mrow>"


def _fence(char: str, form: str, attributes: str) -> str:
    if not char:
        return ""
    return (
        f'<mo fence="true" form="{form}"{attributes}>{escape(_PRINTED_FENCES.get(char, char))}</mo>'
    )


def _is_tall(row: Row) -> bool:
    """Whether fences around a row must stretch."""
    return any(
        label in _TALL or (label[:2] == "M!" and any(_is_tall(within) for _, within in parts))
        for label, parts in row
    )


def _covered(label: str, base: str, under: Row | None, over: Row | None) -> str:
    """The base with the rows over and under it: limits, accents, braces, or a second symbol."""
    marks = [row for row in (under, over) if row]
    if label not in LIMIT_LABELS and all(len(r) == 1 and r[0].label in _ACCENTS for r in marks):
        stretchy = label[:2] == "M!" or any(row[0].label in _STRETCHED for row in marks)
        under_mark, over_mark = (
            _accent(row[0].label, stretchy) if row else "" for row in (under, over)
        )
        if under_mark and over_mark:
            return f'<munderover accent="true">{base}{under_mark}{over_mark}</munderover>'
        name, kind = ("munder", "accentunder") if under_mark else ("mover", "accent")
        return f'<{name} {kind}="true">{base}{under_mark}{over_mark}</{name}>'
    return _scripted("munder", "mover", "munderover", base, under, over)


def _accent(mark: str, stretchy: bool) -> str:
    if not stretchy:
        return f'<mo stretchy="false">{escape(mark)}</mo>'
    return f'<mo stretchy="true">{_WIDE.get(mark, mark)}</mo>'


_WIDE = {"¯": "‾", "^": "ˆ", "~": "˜"}  # the characters that fonts can stretch


def _scripted(
    lower_name: str,
    upper_name: str,
    both_name: str,
    base: str,
    lower: Row | None,
    upper: Row | None,
) -> str:
    if lower and upper:
        return f"<{both_name}>{base}{_one(lower)}{_one(upper)}</{both_name}>"
    if lower:
        return f"<{lower_name}>{base}{_one(lower)}</{lower_name}>"
    if upper:
        return f"<{upper_name}>{base}{_one(upper)}</{upper_name}>"
    return base


@cached_by_label
def _leaf(label: str) -> str:
    kind, text = label[:2], escape(label[2:], quote=False)
    if kind == "V!":
        return f"<mi>{text}</mi>"
    if kind == "N!":
        return f"<mn>{text}</mn>"
    if kind == "T!":
        return f"<mtext>\u00a0{text}\u00a0</mtext>"
    if label == "W!":
        return "<mrow></mrow>"
    if kind == "M!":
        shape = parse_fence_label(label)
        return _fenced(shape, []) if shape else f"<mo>{text}</mo>"
    if label[0] == "?" and len(label) > 1:
        return f"<mi>{escape(label)}</mi>"
    label = _PRINTED.get(label, label)
    return f"<mo>{escape(label, quote=False)}</mo>"
