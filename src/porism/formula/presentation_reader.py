"""Presentation MathML in: the layout tree that LaTeX for the same formula would give.

Elements that only group or space leave no trace; fences are paired by the rules that LaTeX's
rows follow, scripts and accents hang as ``grammar`` hangs them. What is known to be wrong in the
ARQMath files is put right: entities that were escaped twice and typeset letter by letter, and
question marks that became query variables. A command that became an error message is the node
``E!`` and a problem.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import NamedTuple

from lxml import etree

from porism.errors import FormatError
from porism.formula.constructs import prose
from porism.formula.environments import table
from porism.formula.fences import CLOSING, FENCE_LABELS, OPENING, fenced, group
from porism.formula.fonts import styled, unstyled, upright
from porism.formula.grammar import hung, with_prescripts
from porism.formula.markup import local_name, read_markup
from porism.formula.stacking import covering, stacked
from porism.formula.symbols import (
    FENCES,
    INVISIBLE,
    LIMIT_LABELS,
    NEGATED,
    OVER_ACCENTS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    symbol_label,
)
from porism.formula.tree import BLANK, MAX_DEPTH, Edge, Node, Parsed, Problem, Row, Tree


def read_presentation(mathml: str) -> Parsed:
    """The layout tree of a formula in Presentation MathML, and what had to be recovered from.

    Empty input gives the empty tree. Raises ``FormatError`` for what is no formula: too long, or
    nested too deeply.

    >>> tree, problems = read_presentation("<math><msup><mi>x</mi><mn>2</mn></msup></math>")
    >>> str(tree)
    '[V!x,a[N!2]]'
    """
    root, faults = read_markup(mathml)
    if root is None:
        return Parsed(Tree("slt", ()), tuple(faults))
    reader = _Reader(mathml)
    tree = Tree("slt", reader.read(root))
    if _too_deep(tree.row):
        raise FormatError("MathML", 1, f"a formula nested more than {MAX_DEPTH} levels deep")
    return Parsed(tree, (*faults, *reader.problems))


def _too_deep(row: Row) -> bool:
    level = [node for node in row if node.parts]
    for _ in range(MAX_DEPTH):
        level = [node for up in level for _, part in up.parts for node in part if node.parts]
        if not level:
            return False
    return True


class _Open:
    """An element whose end has not been reached, with what its children have given so far."""

    __slots__ = ("children", "element", "lines", "name", "style")

    def __init__(self, element: etree._Element, name: str, style: str) -> None:
        self.element = element
        self.name = name
        self.style = style
        self.children: list[_Child] = []
        self.lines: list[list[Row]] = []  # of a table

    def row(self) -> list[Node]:
        return [node for child in self.children for node in child.row]


class _Child(NamedTuple):
    name: str
    row: list[Node]


class _Reader:
    """Builds rows from the inside out, so that nesting costs no Python stack."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.seen = 0  # where in the source the last problem was

    def read(self, root: etree._Element) -> Row:
        outside = _Open(root, "", "")
        path = [outside]
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                name = local_name(element)
                if name in _SKIPPED:
                    walk.skip_subtree()
                variant = element.get("mathvariant")
                style = path[-1].style if variant is None else _VARIANTS.get(variant, "")
                path.append(_Open(element, name, style))
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
        self.seen = max(0, self.source.find(f"{name}", self.seen + 1) - 1)
        if name == "merror":
            message = f"the converter could not read {_text(element) or 'a part'}"
        else:
            message = f"unknown element {name}, its content is kept"
        self.problems.append(Problem(self.seen, message))


def _row_of(element: _Open) -> list[Node]:
    """What an element, whose children are done, adds to the row that it stands in."""
    if element.lines:  # here, so that rows of a table that stand outside any table are kept too
        element.children.append(_Child("mtable", table(element.lines, "")))
    return _ELEMENTS.get(element.name, _unknown)(element)


def _finished(row: list[Node]) -> Row:
    """A row as it goes into the tree, with its fences paired."""
    row = _corrected(row)
    labels = {node.label for node in row}
    if "W!" in labels:
        row = with_prescripts(row)
    if not labels.isdisjoint(FENCE_LABELS):
        row = fenced(row)
    return tuple(row)


# Symbols --------------------------------------------------------------------------------------

_VARIANTS = {
    "bold": "bold", "bold-italic": "bold", "script": "script", "bold-script": "script",
    "fraktur": "fraktur", "bold-fraktur": "fraktur", "double-struck": "blackboard",
    "sans-serif": "sans", "bold-sans-serif": "sans", "sans-serif-italic": "sans",
    "sans-serif-bold-italic": "sans", "monospace": "typewriter",
}  # fmt: skip

_SYMBOL = re.compile(r":=|\.\.\.|\d+(?:\.\d+)?|\.\d+|[^\W\d_]+|.\u0338?", re.DOTALL)
_QUERY_VARIABLE = re.compile(r"qvar_(missing|.*)", re.DOTALL)
_UNSEEN = {ord(char): None for char in INVISIBLE}


def _text(element: etree._Element) -> str:
    """The text of an element, of which the files escaped some once too often."""
    text = "".join(str(piece) for piece in element.itertext())
    return html.unescape(text) if "&" in text else text


def _symbols(element: _Open) -> list[Node]:
    """``mi``, ``mo`` and ``mn``: one symbol as a rule, but LaTeXML joins what stands together."""
    pieces = _text(element.element).translate(_UNSEEN).split()
    text = upright("".join(pieces))
    if not text:
        return []
    if element.style:
        text = styled(text, element.style)
    if text[0].isalpha() and element.name != "mn":
        variable = _QUERY_VARIABLE.fullmatch(text)
        return _typed_question(variable[1]) if variable else [Node(symbol_label(text))]
    if element.name == "mi" and len(text) > 1 and (text[0] == "?" or not text.isdecimal()):
        return [Node(text if text[0] == "?" else "V!" + text)]
    if element.name == "mn" and len(pieces) > 1:  # LaTeXML reads 1\\,2\\,3 as one number
        return [_symbol(digits) for piece in pieces for digits in _SYMBOL.findall(piece)]
    if text in _LARGE and _printed_large(element.element):
        return [Node(_LARGE[text])]
    return [_symbol(piece) for piece in _SYMBOL.findall(text)]


_LARGE = dict(zip("⊕⊗⊙⊎⊔∪∩∨∧", "⨁⨂⨀⨄⨆⋃⋂⋁⋀", strict=True))


def _printed_large(element: etree._Element) -> bool:
    """Whether an operator is a big one for which the small one's character is used."""
    if element.get("largeop") == "true":
        return True
    return element.get("movablelimits") is not None and element.get("mathsize") is not None


def _symbol(text: str) -> Node:
    if text == "...":
        return Node("V!…")
    if text[-1] == "\u0338" and len(text) == 2:
        label = symbol_label(text[0])
        return Node(NEGATED.get(label, label + "\u0338"))
    return Node(symbol_label(text))


def _typed_question(swallowed: str) -> list[Node]:
    """A question mark that the ARQMath files turned into a query variable, with what it ate."""
    behind = () if swallowed == "missing" else swallowed.replace("$", "")
    return [Node("?"), *(Node(symbol_label(char)) for char in behind)]


def _query_variable(element: _Open) -> list[Node]:
    """``mws:qvar``, the wildcard of NTCIR's topics."""
    name = re.sub(r"\W", "", element.element.get("name") or _text(element.element))
    return [Node("?" + (name or "x"))]


def _words(element: _Open) -> list[Node]:
    words = "".join(unstyled(char)[0] for char in " ".join(_text(element.element).split()))
    return [Node("T!" + words)] if words else []


def _error(element: _Open) -> list[Node]:
    """``merror``: Tangent's node for it, whatever the message, as the official ids have it.

    What the command would have printed can be read from the formula's LaTeX, not from here.
    """
    return [Node("E!")]


def _corrected(row: list[Node]) -> list[Node]:
    """The row with entities that were typeset letter by letter, and raised digits, put right."""
    if not any(node.label in _FAULTY for node in row):
        return row
    out: list[Node] = []
    place = 0
    while place < len(row):
        node = row[place]
        char, length = _typeset_entity(row, place)
        place += length
        if char == "'":
            _hang(out, _ABOVE, (Node("′"),))
        elif char:
            out.append(Node(symbol_label(char), row[place - 1].parts))
        elif node.label in _RAISED:
            edge, raised = _RAISED[node.label]
            _hang(out, edge, (raised,))
        else:
            out.append(node)
    return out


_RAISED = {
    symbol_label(char): (edge, Node(symbol_label(plain)))
    for table_of, edge in ((SUPERSCRIPTS, Edge.ABOVE), (SUBSCRIPTS, Edge.BELOW))
    for char, plain in table_of.items()
}
_FAULTY = frozenset(("&", *_RAISED))


def _typeset_entity(row: list[Node], place: int) -> tuple[str, int]:
    """The character of an entity that begins at ``place``, or "", and how many symbols it takes."""
    if row[place].label == "&":
        labels = [node.label for node in row[place + 1 : place + 9]]
        end = labels.index(";") if ";" in labels else 0
        name = "".join(label[2:] if label[1:2] == "!" else label for label in labels[:end])
        char = html.unescape(f"&{name};")
        if len(char) == 1:
            return char, end + 2
    return "", 1


# Rows and fences ------------------------------------------------------------------------------


def _row(element: _Open) -> list[Node]:
    """``mrow`` and its kin are no symbols; but one that begins and ends with fences pairs them."""
    row = _corrected(element.row())
    if len(row) < 2 or row[0].parts or not _pair(element, row[0].label, row[-1].label):
        return row
    content = list(_finished(row[1:-1]))
    opening = row[0].label
    among = FENCE_LABELS if opening in FENCES.values() else FENCE_LABELS - {"|", "∥"}
    if any(node.label in among for node in content):
        return row
    return [group(opening, row[-1].label, content, row[-1])]


def _pair(element: _Open, opening: str, closing: str) -> bool:
    """Whether two fences at the ends of a row are meant for each other.

    Those of different kinds are where they stretch, as those of ``\\left`` and ``\\right`` do.
    """
    if opening in ("|", "∥"):
        return closing == opening and len(element.children) > 2
    if opening not in OPENING or closing not in CLOSING:
        return False
    first = element.element[0] if len(element.element) else element.element
    return FENCES[opening] == closing or first.get("stretchy") != "false"


def _first(element: _Open) -> list[Node]:
    """``semantics``: what is annotated, without the annotations."""
    return element.children[0].row if element.children else []


def _selected(element: _Open) -> list[Node]:
    """``maction``: the child that is shown."""
    chosen = element.element.get("selection", "1")
    place = int(chosen) - 1 if chosen.isdecimal() else 0
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
    """The cells of a row of a table; neither the label of an ``mlabeledtr`` nor padding is one.

    An entity that was escaped twice has its ampersand taken for the mark between cells.
    """
    cells: list[Row] = []
    children = line.children[line.name == "mlabeledtr" :]
    elements = list(line.element)
    while len(children) > 1 and len(elements[-1]) == 0:  # LaTeXML fills up the shorter rows
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
_LIMITS = {_ABOVE: Edge.OVER, _BELOW: Edge.UNDER}
_PRIMES = {"″": 2, "‴": 3, "⁗": 4}
_MARKS = {
    "\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0305": "¯", "\u20d7": "→", "\u0307": "˙",
    "\u0308": "¨", "\u030c": "ˇ", "\u0306": "˘", "\u0301": "´", "\u0300": "`", "\u030a": "˚",
    "\u20db": "˙˙˙", "\u20dc": "˙˙˙˙", "\u0332": "¯", "_": "¯", "―": "¯", "⎯": "¯", "-": "¯",
    ".": "˙", "∼": "~", "︷": "⏞", "︸": "⏟", "⎺": "¯", "⎽": "¯",
}  # fmt: skip
_MARKS |= {"V!" + char: char for char in OVER_ACCENTS.values() if char.isalpha()}
"""Accents as some converters write them, each as it stands in the tree."""


def _scripted(element: _Open) -> list[Node]:
    """Scripts hang on the last symbol of their base, marks and limits on the whole of it."""
    row = list(element.children[0].row) if element.children else []
    edges = _SCRIPTS[element.name]
    if edges[0] is Edge.UNDER or edges[0] is Edge.OVER:
        base = _finished(row)
        big = len(base) == 1 and base[0].label in LIMIT_LABELS
        row = [base[0] if big else covering(base)]
    for edge, child in zip(edges, element.children[1:], strict=False):
        _hang(row, edge, _finished(child.row))
    for child in element.children[len(edges) + 1 :]:
        row += child.row
    return row


def _hang(row: list[Node], edge: Edge, content: Row) -> None:
    """Hang ``content`` on the last symbol, or on a group around it if its place there is taken."""
    if not content:
        return
    if not row:
        row.append(BLANK)
    if len(content) == 1 and not content[0].parts:
        content = _marks(content[0].label, edge) or content
    base = row[-1]
    place = _LIMITS.get(edge, edge) if base.label in LIMIT_LABELS else edge
    taken = base.row(place)
    if taken and any(node.label != "′" for node in taken):
        base = Node("M!1x1", ((Edge.WITHIN, (base,)),))
    row[-1] = hung(base, edge, content)


def _marks(label: str, edge: Edge) -> Row:
    """What a mark that is one character stands for, if that is not itself."""
    if edge is Edge.ABOVE:
        return (Node("′"),) * _PRIMES.get(label, 0)
    if edge is Edge.OVER or edge is Edge.UNDER:
        return tuple(Node(char) for char in _MARKS.get(label, ""))
    return ()


def _multiscripts(element: _Open) -> list[Node]:
    row = list(element.children[0].row) if element.children else []
    edges = (_BELOW, _ABOVE)
    count = 0
    for child in element.children[1:]:
        if child.name == "mprescripts":
            edges = (Edge.PRE_BELOW, Edge.PRE_ABOVE)
            count = 0
        else:
            _hang(row, edges[count % 2], _finished(child.row))
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


def _nothing(element: _Open) -> list[Node]:
    return []


def _unknown(element: _Open) -> list[Node]:
    """The content of an element that is none of Presentation MathML's."""
    return element.row() if element.children else list(prose(_text(element.element)))


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
