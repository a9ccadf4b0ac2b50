"""Presentation MathML as layout trees, the same as those of LaTeX for the same formula.

Elements that only group or space are not in the tree; fences are paired and scripts and accents
attached by the rules of LaTeX's ``grammar``. Known faults of the ARQMath files are repaired:
entities that were escaped twice and typeset letter by letter, and question marks that became query
variables. A command that became an error message is the node ``E!`` and a problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from lxml import etree

from porism.errors import FormatError
from porism.formula.fences import BARS, CLOSING, FENCE_LABELS, fenced, group
from porism.formula.latex import MAX_LENGTH, parse_latex
from porism.formula.layout import accent_base, stacked, table, with_prescripts
from porism.formula.mathml.markup import local_name, read_markup
from porism.formula.mathml.presentation_rows import attach, corrected
from porism.formula.mathml.presentation_symbols import (
    VARIANTS,
    Labelling,
    query_variable,
    symbols,
    text_of,
    words,
    written_symbols,
)
from porism.formula.symbols import FENCES, LIMIT_LABELS, symbol_label
from porism.formula.tree import BLANK, MAX_DEPTH, Edge, Node, ParsedTree, ParseProblem, Row, Tree


def read_presentation(mathml: str) -> ParsedTree:
    """The layout tree of a formula in Presentation MathML, and the problems recovered from.

    Empty input gives the empty tree. Raises ``FormatError`` if the formula is too long or nested
    too deeply.

    >>> tree, problems = read_presentation("<math><msup><mi>x</mi><mn>2</mn></msup></math>")
    >>> str(tree)
    '[V!x,a[N!2]]'
    """
    return _read(mathml, symbols)


def read_presentation_verbatim(mathml: str) -> ParsedTree:
    """As ``read_presentation``, but each symbol has the type of its element, without repairs.

    This is how Tangent-S read the MathML of ARQMath, faults included, for the official visual ids:
    an operator that LaTeXML took for a letter stays a letter.

    >>> str(read_presentation_verbatim("<math><mi>x</mi><mi>∈</mi><mi>X</mi></math>").tree)
    '[V!x[V!∈[V!X]]]'
    """
    return _read(mathml, written_symbols)


def _read(mathml: str, labelling: Labelling) -> ParsedTree:
    root, faults = read_markup(mathml)
    if root is None:
        return ParsedTree(Tree("slt", ()), tuple(faults))
    reader = _Reader(mathml, labelling)
    tree = Tree("slt", reader.read(root))
    if tree.is_too_deep():
        raise FormatError("MathML", 1, f"a formula nested more than {MAX_DEPTH} levels deep")
    return ParsedTree(tree, (*faults, *reader.problems))


class _Open:
    """An element whose end has not been reached, with the rows of its children so far."""

    __slots__ = ("children", "element", "labelling", "lines", "name", "style")

    def __init__(
        self, element: etree._Element, name: str, style: str, labelling: Labelling
    ) -> None:
        self.element = element
        self.name = name
        self.style = style
        self.labelling = labelling
        self.children: list[_Child] = []
        self.lines: list[list[Row]] = []  # of a table

    def row(self) -> list[Node]:
        return [node for child in self.children for node in child.row]


class _Child(NamedTuple):
    name: str
    row: list[Node]


class _Reader:
    """Builds rows bottom-up, so that nesting costs no Python stack."""

    def __init__(self, source: str, labelling: Labelling) -> None:
        self.source = source
        self.labelling = labelling
        self.problems: list[ParseProblem] = []
        self.offset = 0  # of the last problem in the source

    def read(self, root: etree._Element) -> Row:
        outside = _Open(root, "", "", self.labelling)
        path = [outside]
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                name = local_name(element)
                if name in _SKIPPED:
                    walk.skip_subtree()
                variant = element.get("mathvariant")
                style = path[-1].style if variant is None else VARIANTS.get(variant, "")
                path.append(_Open(element, name, style, self.labelling))
                if name == "merror" or name not in _KNOWN:
                    self.problem(element, name)
            else:
                done = path.pop()
                above = path[-1]
                if done.name in ("mtr", "mlabeledtr"):
                    above.lines.append(_cells(done))
                elif above.name in _SCRIPTS and len(above.element) == 1 and done.name in _WRAPPERS:
                    # LaTeXML's padding may wrap the base and the script together.
                    above.children = done.children
                else:
                    above.children.append(_Child(done.name, _row_of(done)))
        return _finished(_row_of(outside))

    def problem(self, element: etree._Element, name: str) -> None:
        self.offset = max(0, self.source.find(f"{name}", self.offset + 1) - 1)
        if name == "merror":
            message = f"the converter could not read {text_of(element) or 'a part'}"
        else:
            message = f"unknown element {name}, its content is kept"
        self.problems.append(ParseProblem(self.offset, message))


def _row_of(element: _Open) -> list[Node]:
    """What an element, whose children are complete, adds to the enclosing row."""
    if element.lines:  # here, so that table rows outside of any table are kept too
        element.children.append(_Child("mtable", table(element.lines, "")))
    return _ELEMENTS.get(element.name, _unknown)(element)


def _finished(row: list[Node]) -> Row:
    """A row for the tree, with its fences paired."""
    row = corrected(row)
    labels = {node.label for node in row}
    if "W!" in labels:
        row = with_prescripts(row)
    if not labels.isdisjoint(FENCE_LABELS):
        row = fenced(row)
    return tuple(row)


def _error(element: _Open) -> list[Node]:
    """``merror``: LaTeX that LaTeXML could not read, but we may.

    Read verbatim, it is Tangent's node for errors, whatever the message.
    """
    if element.labelling is written_symbols:
        return [Node("E!")]
    return list(parse_latex(text_of(element.element)[:MAX_LENGTH]).tree.row)


# Rows and fences ------------------------------------------------------------------------------


def _row(element: _Open) -> list[Node]:
    """``mrow`` and the like are not symbols, but fences at both ends of one are a pair."""
    row = corrected(element.row())
    if len(row) < 2 or row[0].parts or element.name not in _WRAPPERS:
        return row
    opening, closing = row[0].label, row[-1].label
    if not _is_pair(element, opening, closing):
        return row
    content = _finished(row[1:-1])
    rivals = FENCE_LABELS if opening in BARS else FENCE_LABELS - BARS
    if any(node.label in rivals for node in content):
        return row
    return [group(opening, closing, content, row[-1])]


def _is_pair(element: _Open, opening: str, closing: str) -> bool:
    """Whether two fences at the ends of a row are a pair.

    Fences of different kinds are if marked so, or if they stretch like ``\\left`` and ``\\right``.
    """
    if opening not in FENCES or closing not in FENCE_LABELS:
        return False
    first, last = element.element[0], element.element[-1]
    if first.get("form") == "prefix" and last.get("form") == "postfix":
        return True
    if opening in BARS:
        return closing == opening and len(element.children) > 2
    if closing not in CLOSING:
        return False
    return FENCES[opening] == closing or first.get("stretchy") != "false"


def _first(element: _Open) -> list[Node]:
    """``semantics``: its content, without the annotations."""
    return element.children[0].row if element.children else []


def _selected(element: _Open) -> list[Node]:
    """``maction``: the selected child."""
    selection = element.element.get("selection", "1")
    place = int(selection) - 1 if selection.isdecimal() else 0
    return element.children[place].row if place < len(element.children) else _first(element)


def _fenced(element: _Open) -> list[Node]:
    """``mfenced``: fences and separators in attributes."""
    get = element.element.get
    opening, closing = (
        symbol_label(text) if text else ""
        for text in ("".join(get("open", "(").split()), "".join(get("close", ")").split()))
    )
    separators = "".join(get("separators", ",").split())
    content: list[Node] = []
    for place, child in enumerate(element.children):
        if place and separators:
            content.append(Node(symbol_label(separators[min(place, len(separators)) - 1])))
        content += child.row
    if opening in FENCES and closing in FENCE_LABELS:
        return [group(opening, closing, _finished(content), BLANK)]
    ends = [[Node(label)] if label else [] for label in (opening, closing)]
    return ends[0] + content + ends[1]


def _cells(line: _Open) -> list[Row]:
    """The cells of a row of a table, without the label of an ``mlabeledtr`` and padding.

    The ampersand of an entity that was escaped twice was taken for an alignment mark.
    """
    cells: list[Row] = []
    children = line.children[line.name == "mlabeledtr" :]
    elements = list(line.element)
    while len(children) > 1 and len(elements[-1]) == 0:  # LaTeXML pads shorter rows
        children.pop()
        elements.pop()
    for child in children:
        cell = _finished(child.row)
        if cells and cell[:1] and cell[0].label in ("V!a", "V!l", "V!g"):
            name = "".join(node.label[-1:] for node in cell[:4])
            if name == "amp;":
                cell = cell[4:]
            elif name[:3] in ("lt;", "gt;"):
                relation = Node("<" if name[0] == "l" else ">")
                cells[-1] = (*cells[-1], relation, *cell[3:])
                continue
        cells.append(cell)
    return cells


# Scripts, fractions, roots --------------------------------------------------------------------

_ABOVE, _BELOW = Edge.ABOVE, Edge.BELOW
_SCRIPTS = {
    "msub": (_BELOW,), "msup": (_ABOVE,), "msubsup": (_BELOW, _ABOVE),
    "munder": (Edge.UNDER,), "mover": (Edge.OVER,), "munderover": (Edge.UNDER, Edge.OVER),
}  # fmt: skip


def _scripted(element: _Open) -> list[Node]:
    """Scripts are attached to the last symbol of their base, marks and limits to the whole base."""
    row = list(element.children[0].row) if element.children else []
    edges = _SCRIPTS[element.name]
    if edges[0] is Edge.UNDER or edges[0] is Edge.OVER:
        base = _finished(row)
        big = len(base) == 1 and base[0].label in LIMIT_LABELS
        row = [base[0] if big else accent_base(base)]
    for edge, child in zip(edges, element.children[1:], strict=False):
        attach(row, edge, _finished(child.row))
    for child in element.children[len(edges) + 1 :]:
        row += child.row
    return row


def _multiscripts(element: _Open) -> list[Node]:
    row = list(element.children[0].row) if element.children else []
    edges = (_BELOW, _ABOVE)
    count = 0
    for child in element.children[1:]:
        if child.name == "mprescripts":
            edges = (Edge.PRE_BELOW, Edge.PRE_ABOVE)
            count = 0
        else:
            attach(row, edges[count % 2], _finished(child.row))
            count += 1
    return row


def _fraction(element: _Open) -> list[Node]:
    rows = [_finished(child.row) for child in element.children[:2]] + [(), ()]
    thickness = element.element.get("linethickness", "")
    label = "O!stack" if re.fullmatch(r"0+(\.0*)?[a-z%]*", thickness) else "O!divide"
    return [stacked(label, rows[0], rows[1])]


def _root(element: _Open) -> list[Node]:
    return [Node("O!root", ((Edge.WITHIN, _finished(element.row()) or (BLANK,)),))]


def _root_with_index(element: _Open) -> list[Node]:
    within, index = ([_finished(child.row) for child in element.children[:2]] + [(), ()])[:2]
    parts = ((Edge.PRE_ABOVE, index),) if index else ()
    return [Node("O!root", (*parts, (Edge.WITHIN, within or (BLANK,))))]


def _enclosed(element: _Open) -> list[Node]:
    content = _finished(element.row()) or (BLANK,)
    notation = element.element.get("notation", "longdiv").split()
    if notation == ["radical"]:
        return [Node("O!root", ((Edge.WITHIN, content),))]
    return [Node("O!enclose", ((Edge.WITHIN, content),))]


def _symbols(element: _Open) -> list[Node]:
    return element.labelling(element.element, element.name, element.style)


def _words(element: _Open) -> list[Node]:
    return words(element.element)


def _query_variable(element: _Open) -> list[Node]:
    return [query_variable(element.element)]


def _nothing(element: _Open) -> list[Node]:
    return []


def _unknown(element: _Open) -> list[Node]:
    """The content of an element that is not Presentation MathML."""
    return element.row() if element.children else words(element.element)


_WRAPPERS = frozenset(("mrow", "mstyle", "mpadded"))
_SKIPPED = frozenset(
    "mspace mphantom none mprescripts annotation annotation-xml maligngroup malignmark".split()
)
_ELEMENTS: dict[str, Callable[[_Open], list[Node]]] = {
    **dict.fromkeys(("", "math", "mrow", "mstyle", "mpadded", "mtd", "mtable"), _row),
    **dict.fromkeys(("mi", "mo", "mn"), _symbols),
    **dict.fromkeys(("mtext", "ms"), _words),
    **dict.fromkeys(_SCRIPTS, _scripted),
    **dict.fromkeys(_SKIPPED, _nothing),
    "semantics": _first,
    "maction": _selected,
    "mfenced": _fenced,
    "mmultiscripts": _multiscripts,
    "mfrac": _fraction,
    "msqrt": _root,
    "mroot": _root_with_index,
    "menclose": _enclosed,
    "merror": _error,
    "qvar": _query_variable,
}
_KNOWN = frozenset((*_ELEMENTS, "mtr", "mlabeledtr"))
