"""Fences: ``\\left ... \\right``, sized delimiters, ``\\abs`` and the like."""

from __future__ import annotations

from html import escape

from porism.formula.display.atoms import SLOT, Atom, Elements, Kind, Mark
from porism.formula.display.grammar import DisplayParser
from porism.formula.display.symbols import GLYPHS
from porism.formula.latex.delimiters import DELIMITED

_ANGLES = {"<": "⟨", ">": "⟩", "∥": "‖", "∣": "|", ".": ""}
_FENCES = frozenset("⟨⟩⌊⌋⌈⌉⟦⟧‖∥")
_SIZES = {"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}
_SIDES = {"l": Kind.OPEN, "r": Kind.CLOSE, "m": Kind.REL, "": Kind.ORD}


def delimiter(token: str) -> str:
    """The fence of a token, "" for the full stop, which prints none, and for what is no fence."""
    glyph = GLYPHS.get(token.strip())
    char = _printed(glyph.text) if glyph is not None else token.strip()[:1]
    return _ANGLES.get(char, char)


def _printed(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">")


def fence_xml(char: str, form: str, kind: str = "") -> str:
    """A fence that stretches; none at all if the character is empty."""
    if not char:
        return ""
    return f'<mo fence="true" form="{form}" stretchy="true"{kind}>{escape(char)}</mo>'


def fenced_xml(opening: str, content: str, closing: str) -> str:
    return f"<mrow>{fence_xml(opening, 'prefix')}{content}{fence_xml(closing, 'postfix')}</mrow>"


def _read_delimiter(parser: DisplayParser) -> str:
    """The fence at the current token, which is consumed unless it is none."""
    tokens, at = parser.tokens, parser.at
    token = tokens[at]
    if token == "{" and tokens[at + 2 : at + 3] == ["}"]:  # as LaTeXML writes \bigl(
        parser.at += 3
        return delimiter(tokens[at + 1])
    if token in ("{", "}"):
        parser.at += 1
        return token
    if token[:1] == "." and len(token) > 1:  # \left.5: the full stop is the delimiter
        tokens[at] = token[1:]
        return ""
    glyph = GLYPHS.get(token)
    if token != "." and (glyph is None or glyph.element != "mo"):
        is_fence = len(token) == 1 and token in _FENCES
        parser.at += is_fence
        return _ANGLES.get(token, token) if is_fence else ""
    parser.at += 1
    return delimiter(token)


def left(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\left ( ... \\middle | ... \\right )``."""
    mark = parser.mark_of(command)
    opening = _read_delimiter(parser)
    settings = parser.font, parser.style, parser.size
    parser.style = ""
    parts: list[Elements] = []
    middles: list[str] = []
    parser.awaited[r"\middle"] += 1
    while True:
        parts.append(parser.elements(parser.row_until(r"\right")))
        if parser.tokens[parser.at] != r"\middle":
            break
        parser.at += 1
        middles.append(_read_delimiter(parser))
    parser.awaited[r"\middle"] -= 1
    closing = ""
    if parser.tokens[parser.at] == r"\right":
        parser.at += 1
        closing = _read_delimiter(parser)
    parser.font, parser.style, parser.size = settings
    row.append(_fenced(parser, (opening, *middles, closing), parts, mark))


def _fenced(
    parser: DisplayParser, fences: tuple[str, ...], parts: list[Elements], mark: Mark
) -> Atom:
    def write(whole: bool) -> str:
        is_hit = not whole and mark is not None and mark >= 0
        kind = (
            ' class="hit"' if is_hit and not mark else f' class="hit part{mark}"' if is_hit else ""
        )
        pieces = [fence_xml(fences[0], "prefix", kind)]
        for place, part in enumerate(parts, start=1):
            pieces.append(part.inside(whole))
            form = "postfix" if place == len(parts) else "infix"
            pieces.append(fence_xml(fences[place], form, kind))
        return f"<mrow>{''.join(pieces)}</mrow>"

    return parser.built(write, parts, mark, Kind.INNER)


def big(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\big``, ``\\Bigl`` and the like set the size of the delimiter after them."""
    name = command[1:]
    size = next(size for size in ("bigg", "Bigg", "big", "Big") if name.startswith(size))
    role = _SIDES[name[len(size) :]]
    token = parser.tokens[parser.at]
    char = _read_delimiter(parser)
    if not char:
        return
    height = _SIZES[size]
    form = {Kind.OPEN: "prefix", Kind.CLOSE: "postfix"}.get(role, "infix")
    xml = (
        f'<mo form="{form}" stretchy="true" symmetric="true" minsize="{height}" maxsize="{height}"'
        f"{SLOT}>{escape(char)}</mo>"
    )
    mark = parser.mark_of(command if token in ("{", "<", ">", ".") else token)
    row.append(Atom(xml, role, mark, (-1, -1), style=parser.style))


def delimited(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\abs{x}`` and other commands of common packages that print fences."""
    mark = parser.mark_of(command)
    fences = tuple(_ANGLES.get(char, char) for char in DELIMITED[command[1:]])
    row.append(_fenced(parser, fences, [parser.argument_elements()], mark))


def modulus(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\pmod n`` prints "(mod n)", and ``\\pod n`` the same without the word."""
    mark = parser.mark_of(command)
    content = parser.argument_elements()
    word = '<mi>mod</mi><mspace width="0.333em"/>' if command == r"\pmod" else ""
    row.append(parser.space("1em" if not parser.size else "0.444em"))
    row.append(
        parser.built(
            lambda whole: (
                f'<mrow><mo stretchy="false">(</mo>{word}{content.inside(whole)}'
                '<mo stretchy="false">)</mo></mrow>'
            ),
            (content,),
            mark,
            Kind.INNER,
        )
    )
