"""Constructs that put rows over, under and within each other: fractions, roots, accents, arrows."""

import re

from porism.formula.fences import group
from porism.formula.latex.delimiters import fence
from porism.formula.latex.grammar import LatexParser
from porism.formula.latex.spacing import ignore_length
from porism.formula.layout import accent_base, attached, ordered_parts, stacked
from porism.formula.symbols import OVER_ACCENTS, UNDER_ACCENTS
from porism.formula.tree import BLANK, Edge, Node, Row


def fraction(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.option()  # \cfrac[l]
    row.append(stacked("O!divide", parser.argument(), parser.argument()))


def general_fraction(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\genfrac{(}{)}{0pt}{}{n}{k}``: fences, thickness of the bar, style, and the two rows."""
    opening, closing, bar, _ = (parser.raw_argument() for _ in range(4))
    over, under = parser.argument(), parser.argument()
    label = "O!stack" if re.fullmatch(r"0+(\.0*)?[a-z]*", bar) else "O!divide"
    node = stacked(label, over, under)
    if opening and closing:
        node = group(fence(opening) or "(", fence(closing) or ")", [node], BLANK)
    row.append(node)


def infix_fraction(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``a \\over b``: everything before it in the group over everything after it."""
    if command == r"\above":
        ignore_length(parser, command, row)
    delimiters = ""
    if command.endswith("withdelims"):
        delimiters = (fence(parser.raw_argument()) or "(") + (fence(parser.raw_argument()) or ")")
    fences = parser.fences
    over = parser.finished(list(row), -1)  # -1: fences read before this row count as its own
    under = parser.finished(parser.row(), -1)
    parser.fences = fences  # all paired now
    row.clear()
    node = stacked(
        "O!divide" if "over" in command or "above" in command else "O!stack", over, under
    )
    delimiters = delimiters or {r"\choose": "()", r"\brack": "[]", r"\brace": "{}"}.get(command, "")
    row.append(group(delimiters[0], delimiters[1], [node], BLANK) if delimiters else node)


def binomial(parser: LatexParser, command: str, row: list[Node]) -> None:
    node = stacked("O!stack", parser.argument(), parser.argument())
    row.append(group("(", ")", [node], BLANK))


def root(parser: LatexParser, command: str, row: list[Node]) -> None:
    row.append(_root_of(parser, parser.option()))


def plain_root(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\root n \\of x``."""
    row.append(_root_of(parser, parser.row_before(r"\of")))


def typed_root(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``√x`` with the sign typed as a character."""
    row.append(_root_of(parser, None))


def _root_of(parser: LatexParser, index: Row | None) -> Node:
    """The root of the next argument."""
    parts = ((Edge.PRE_ABOVE, index),) if index else ()
    return Node("O!root", (*parts, (Edge.WITHIN, parser.argument() or (BLANK,))))


def accent(parser: LatexParser, command: str, row: list[Node]) -> None:
    name = command[1:]
    content = parser.argument()
    if not content:
        return
    over = OVER_ACCENTS.get(name)
    mark = Node(over if over is not None else UNDER_ACCENTS[name])
    row.append(
        attached(accent_base(content), Edge.OVER if over is not None else Edge.UNDER, (mark,))
    )
    if _LABELLED.match(name):
        _brace_label(parser, row)


_LABELLED = re.compile(r"(over|under)(brace|bracket|paren|group)")


def _brace_label(parser: LatexParser, row: list[Node]) -> None:
    """Attach the script of a brace to the brace's group, not to what it covers."""
    if parser.tokens[parser.at] in ("^", "_"):
        edge = Edge.OVER if parser.tokens[parser.at] == "^" else Edge.UNDER
        parser.at += 1
        label = parser.argument()
        if label:
            row[-1] = attached(Node("M!1x1", ((Edge.WITHIN, (row[-1],)),)), edge, label)


def repeated_dots(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\dddot`` and ``\\ddddot``."""
    row.append(
        attached(accent_base(parser.argument()), Edge.OVER, (Node("˙"),) * command.count("d"))
    )


def over_set(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\overset{a}{b}``, ``\\stackrel{a}{b}``, ``\\underset``: the first goes on the second."""
    below = parser.option() if command == r"\stackrel" else None
    mark, base = parser.argument(), parser.argument()
    edge = Edge.UNDER if command == r"\underset" else Edge.OVER
    node = accent_base(base)
    if mark:
        node = attached(node, edge, mark)
    if below:
        node = attached(node, Edge.UNDER, below)
    row.append(node)


def over_under_set(parser: LatexParser, command: str, row: list[Node]) -> None:
    under, over, base = parser.argument(), parser.argument(), parser.argument()
    node = accent_base(base)
    for edge, mark in ((Edge.OVER, over), (Edge.UNDER, under)):
        if mark:
            node = attached(node, edge, mark)
    row.append(node)


def built_relation(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\buildrel a \\over b``."""
    mark = parser.row_before(r"\over")
    base = accent_base(parser.argument())
    row.append(attached(base, Edge.OVER, mark) if mark else base)


def labelled_arrow(parser: LatexParser, command: str, row: list[Node]) -> None:
    below = parser.option()
    above = parser.argument()
    node = Node(ARROWS[command[1:]])
    if above:
        node = attached(node, Edge.OVER, above)
    if below:
        node = attached(node, Edge.UNDER, below)
    row.append(node)


ARROWS = {
    "xrightarrow": "→", "xleftarrow": "←", "xleftrightarrow": "↔", "xRightarrow": "⇒",
    "xLeftarrow": "⇐", "xLeftrightarrow": "⇔", "xmapsto": "↦", "xhookrightarrow": "↪",
    "xhookleftarrow": "↩", "xrightharpoonup": "⇀", "xleftharpoonup": "↼", "xlongequal": "=",
    "xrightleftharpoons": "⇌", "xtwoheadrightarrow": "↠", "xtofrom": "⇄",
}  # fmt: skip


def sides(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\sideset{_a^b}{_c^d}\\sum``: scripts before and after the operator."""
    before, after, base = parser.argument(), parser.argument(), parser.argument()
    if not base:
        return
    moved = {Edge.ABOVE: Edge.PRE_ABOVE, Edge.BELOW: Edge.PRE_BELOW}
    parts = [(moved.get(edge, edge), content) for node in before for edge, content in node.parts]
    parts += [part for node in after for part in node.parts]
    row.append(Node(base[0].label, ordered_parts((*base[0].parts, *parts))))
    row += base[1:]


def enclosed(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.option()
    if command in (r"\enclose", r"\colorbox"):
        parser.raw_argument()
        parser.option()
    if command == r"\fcolorbox":
        parser.raw_argument()
        parser.raw_argument()
    row.append(Node("O!enclose", ((Edge.WITHIN, parser.argument() or (BLANK,)),)))


def canceled_to(parser: LatexParser, command: str, row: list[Node]) -> None:
    value, content = parser.argument(), parser.argument()
    node = Node("O!enclose", ((Edge.WITHIN, content or (BLANK,)),))
    row.append(attached(node, Edge.ABOVE, value) if value else node)


def derivative(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\dv{f}{x}`` and ``\\pdv{f}{x}`` of the physics package; ``\\dv{x}`` is the operator."""
    sign = Node("∂") if command[1] == "p" else Node("V!d")
    order = parser.option()
    top = attached(sign, Edge.ABOVE, order) if order else sign
    first = parser.argument()
    over: Row = (top,)
    if parser.tokens[parser.at] == "{":
        over, first = (top, *first), parser.argument()
    under = (sign, *first)
    if order and first:
        under = (*under[:-1], attached(under[-1], Edge.ABOVE, order))
    row.append(stacked("O!divide", over, under))
