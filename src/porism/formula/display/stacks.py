"""Fractions, roots, accents, braces, and rows over and under others."""

from __future__ import annotations

import re

from porism.formula.display.atoms import SLOT, Atom, Elements, Kind, Limits
from porism.formula.display.delimiters import delimiter, fenced_xml
from porism.formula.display.grammar import DisplayParser, Size
from porism.formula.display.spacing import dimension
from porism.formula.display.symbols import GLYPHS
from porism.formula.display.values import em, length_in_em
from porism.formula.latex.macros import argument_at, tokens_before
from porism.formula.latex.stacks import ARROWS
from porism.formula.symbols import OVER_ACCENTS, UNDER_ACCENTS

_SIZES = {"d": ("true", Size.DISPLAY), "t": ("false", Size.TEXT)}
_SLASHED = frozenset((r"\nicefrac", r"\sfrac"))


def _smaller(size: Size) -> Size:
    """The style of the rows of a fraction in a style."""
    return Size(min(Size.SCRIPT, size + 1))


def fraction(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\frac``, and ``\\dfrac`` and ``\\tfrac`` in the size that they are named after."""
    parser.option()  # \\cfrac[l]
    mark = parser.mark_of(command)
    if command in _SLASHED:
        over, under = (parser.argument_elements(Size.SCRIPT) for _ in range(2))
        row.append(
            parser.built(
                lambda whole: (
                    f'<mrow><msup><mrow></mrow>{over.one(whole)}</msup><mo lspace="0" rspace="0">'
                    f"/</mo><msub><mrow></mrow>{under.one(whole)}</msub></mrow>"
                ),
                (over, under),
                mark,
            )
        )
        return
    size = Size.DISPLAY if command == r"\cfrac" else _named_size(command, parser.size)
    inner = Size.DISPLAY if command == r"\cfrac" else _smaller(size)
    over, under = (parser.argument_elements(inner) for _ in range(2))
    if command == r"\cfrac":
        over, under = (_displayed(each) for each in (over, under))
    row.append(_stacked(parser, over, under, mark, "", _size_name(command)))


def binomial(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    size = _smaller(_named_size(command, parser.size))
    mark = parser.mark_of(command)
    over, under = (parser.argument_elements(size) for _ in range(2))
    row.append(_stacked(parser, over, under, mark, "0", _size_name(command), "()"))


def general_fraction(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\genfrac{(}{)}{0pt}{}{n}{k}``: fences, thickness of the bar, style, and the two rows."""
    mark = parser.mark_of(command)
    opening, closing, bar, style = (parser.raw_argument() for _ in range(4))
    name = {"0": "d", "1": "t", "2": "t", "3": "t"}.get(style.strip(), "")
    size = _smaller(_SIZES[name][1] if name else parser.size)
    over, under = (parser.argument_elements(size) for _ in range(2))
    thickness = length_in_em(bar)
    fences = delimiter(opening) + delimiter(closing) if opening and closing else ""
    line = "" if thickness is None else "0" if thickness == 0 else em(thickness)
    row.append(_stacked(parser, over, under, mark, line, name, fences))


def infix_fraction(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``a \\over b``: everything before it in the group over everything after it."""
    mark = parser.mark_of(command)
    line = "" if "over" in command else "0"
    if command == r"\above":
        line = em(length_in_em(dimension(parser)) or 0.0)
    fences = {r"\choose": "()", r"\brack": "[]", r"\brace": "{}"}.get(command, "")
    if command.endswith("withdelims"):
        fences = delimiter(parser.raw_argument()) + delimiter(parser.raw_argument())
    over = parser.elements(row)
    style, parser.style = parser.style, ""
    under = parser.elements(parser.atoms())
    parser.style = style
    row[:] = [_stacked(parser, over, under, mark, line, "", fences)]


def _named_size(command: str, size: Size) -> Size:
    name = _size_name(command)
    return _SIZES[name][1] if name else size


def _size_name(command: str) -> str:
    return command[1] if command[1:] in ("dfrac", "tfrac", "dbinom", "tbinom") else ""


def _displayed(elements: Elements) -> Elements:
    """A row of a continued fraction, as large as its surroundings."""
    wrapped = [
        [f'<mstyle displaystyle="true" scriptlevel="0">{elements.inside(whole)}</mstyle>']
        for whole in (True, False)
    ]
    return Elements(wrapped[0], wrapped[1], elements.mark)


def _stacked(
    parser: DisplayParser,
    over: Elements,
    under: Elements,
    mark: int | None,
    line: str,
    size: str,
    fences: str = "",
) -> Atom:
    thickness = f' linethickness="{line}"' if line else ""
    style = f' displaystyle="{_SIZES[size][0]}" scriptlevel="0"' if size else ""

    def write(whole: bool) -> str:
        xml = f"<mfrac{thickness}>{over.one(whole)}{under.one(whole)}</mfrac>"
        if fences:
            xml = fenced_xml(fences[0], xml, fences[-1])
        return f"<mstyle{style}>{xml}</mstyle>" if style else xml

    return parser.built(write, (over, under), mark)


def root(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    mark = parser.mark_of(command)
    option = parser.option()
    index = None if option is None else parser.inner(option, Size.SCRIPT)
    _append_root(parser, index, mark, row)


def plain_root(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\root n \\of x``."""
    mark = parser.mark_of(command)
    content, parser.at = tokens_before(r"\of", parser.tokens, parser.at)
    index = None if content is None else parser.inner(content, Size.SCRIPT)
    _append_root(parser, index, mark, row)


def _append_root(
    parser: DisplayParser, index: Elements | None, mark: int | None, row: list[Atom]
) -> None:
    content = parser.argument_elements()
    if index is None:
        row.append(
            parser.built(lambda whole: f"<msqrt>{content.inside(whole)}</msqrt>", (content,), mark)
        )
    else:
        row.append(
            parser.built(
                lambda whole: f"<mroot>{content.one(whole)}{index.one(whole)}</mroot>",
                (content, index),
                mark,
            )
        )


_SINGLE = {"^": "ˆ", "~": "˜", "¯": "¯", "→": "→"}
# The characters that fonts can stretch.
_WIDE = {"^": "\u0302", "¯": "‾", "⌢": "⏜"}
_STRETCHED = re.compile(r"wide|over|under|utilde|arc|paren|Vec")
_LABELLED = re.compile(r"\\(over|under)(brace|bracket|paren|group)$")


def accent(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\hat`` and other marks; those that are named wide stretch over all of their argument."""
    name = command[1:]
    mark = parser.mark_of(command)
    content = parser.argument_elements()
    is_over = name in OVER_ACCENTS
    char = OVER_ACCENTS[name] if is_over else UNDER_ACCENTS[name]
    stretches = _STRETCHED.match(name) is not None
    char = (_WIDE if stretches else _SINGLE).get(char, char)
    kind = ' class="vector"' if char == "→" and not stretches else ""
    sign = f'<mo{kind} stretchy="{"true" if stretches else "false"}">{char}</mo>'
    tag, attribute = ("mover", "accent") if is_over else ("munder", "accentunder")
    atom = parser.built(
        lambda whole: f'<{tag} {attribute}="true">{content.one(whole)}{sign}</{tag}>',
        (content,),
        mark,
    )
    if _LABELLED.match(command):
        atom.limits, atom.role = Limits.ALWAYS, Kind.OP
    row.append(atom)


def repeated_dots(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\dddot`` and ``\\ddddot``."""
    mark = parser.mark_of(command)
    content = parser.argument_elements()
    dots = "˙" * command.count("d")
    row.append(
        parser.built(
            lambda whole: (
                f'<mover accent="true">{content.one(whole)}<mo stretchy="false">{dots}</mo></mover>'
            ),
            (content,),
            mark,
        )
    )


def over_set(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\overset{a}{b}``, ``\\stackrel{a}{b}``, ``\\underset``: the first goes on the second."""
    option = parser.option() if command == r"\stackrel" else None
    below = None if option is None else parser.inner(option, Size.SCRIPT)
    script = parser.argument_elements(Size.SCRIPT)
    over, under = (below, script) if command == r"\underset" else (script, below)
    row.append(_over_under(parser, _base(parser, command == r"\stackrel"), under, over))


def over_under_set(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    under = parser.argument_elements(Size.SCRIPT)
    over = parser.argument_elements(Size.SCRIPT)
    row.append(_over_under(parser, _base(parser, False), under, over))


def built_relation(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\buildrel a \\over b``."""
    content, parser.at = tokens_before(r"\over", parser.tokens, parser.at)
    over = parser.inner(content or [], Size.SCRIPT)
    row.append(_over_under(parser, _base(parser, True), None, over))


def _base(parser: DisplayParser, is_relation: bool) -> Atom:
    """The next argument as the base of rows over and under it; an operator keeps its role."""
    style, parser.style = parser.style, ""
    content = parser.argument()
    parser.style = style
    if len(content) == 1 and not content[0].style and content[0].role is not Kind.SPACE:
        base = content[0]
        base.style = style
    else:
        base = parser.ordinary(content)
    if is_relation:
        base.role = Kind.REL
    return base


def _over_under(
    parser: DisplayParser, base: Atom, under: Elements | None, over: Elements | None
) -> Atom:
    limits, base.limits = base.limits, Limits.ALWAYS
    atom = parser.scripted(base, under, over)
    atom.limits = limits
    return atom


def labelled_arrow(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\xrightarrow[b]{a}``: an arrow as long as its labels."""
    mark = parser.mark_of(command)
    option = parser.option()
    below = None if option is None else parser.inner(option, Size.SCRIPT)
    above = parser.argument_elements(Size.SCRIPT)
    arrow = f'<mo stretchy="true"{SLOT}>{ARROWS[command[1:]]}</mo>'
    base = Atom(arrow, Kind.REL, mark, (-1, -1), Limits.ALWAYS, parser.style)
    row.append(parser.scripted(base, None if below is None else _padded(below), _padded(above)))


def _padded(label: Elements) -> Elements:
    """A label with some arrow on both sides."""
    side = '<mspace width="0.6em"/>'
    return Elements([side, *label.plain, side], [side, *label.marked, side], label.mark)


def sides(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\sideset{_a^b}{_c^d}\\sum``: scripts before and after the operator."""
    before: list[Atom] = []
    after: list[Atom] = []
    for scripts in (before, after):
        content, parser.at = argument_at(parser.tokens, parser.at)
        scripts += [Atom(parser.inner(content, Size.SCRIPT).one(False))]
    base = parser.argument_elements()
    row.append(
        parser.built(
            lambda whole: f"<mrow>{before[0].xml}{base.inside(whole)}{after[0].xml}</mrow>",
            (base,),
            role=Kind.OP,
        )
    )
    row[-1].limits = Limits.MOVABLE


def canceled_to(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    mark = parser.mark_of(command)
    value = parser.argument_elements(Size.SCRIPT)
    content = parser.argument_elements()
    base = parser.built(
        lambda whole: f'<menclose notation="updiagonalstrike">{content.inside(whole)}</menclose>',
        (content,),
        mark,
    )
    row.append(parser.scripted(base, None, value))


def derivative(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\dv{f}{x}`` and ``\\pdv{f}{x}`` of the physics package; ``\\dv{x}`` is the operator."""
    mark = parser.mark_of(command)
    sign = GLYPHS[r"\partial" if command[1] == "p" else "d"]
    option = parser.option()
    order = None if option is None else parser.inner(option, Size.SCRIPT)
    size, parser.size = parser.size, _smaller(parser.size)
    tops = [parser.atom(sign, mark)]
    if order is not None:
        tops = [parser.scripted(tops[0], None, order)]
    first = parser.argument()
    if parser.tokens[parser.at] == "{":
        tops += first
        first = parser.argument()
    bottoms = [parser.atom(sign, mark), *first]
    if order is not None and first:
        bottoms[-1] = parser.scripted(bottoms[-1], None, order)
    over, under = parser.elements(tops), parser.elements(bottoms)
    parser.size = size
    row.append(_stacked(parser, over, under, mark, "", ""))
