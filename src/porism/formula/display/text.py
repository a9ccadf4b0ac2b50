"""Text within formulas: ``\\text``, ``\\mbox`` and fonts of text, with the formulas in it."""

from __future__ import annotations

import re

from porism.formula.display.atoms import Atom, Elements
from porism.formula.display.fonts import text_in_font
from porism.formula.display.grammar import DisplayParser, Size
from porism.formula.latex.tokenizer import WILDCARD_MARK, tokens

_FONTS = {
    r"\textbf": "bold", r"\textit": "italic", r"\emph": "italic", r"\textsl": "italic",
    r"\textsf": "sans", r"\texttt": "typewriter",
}  # fmt: skip
_FORMULA = re.compile(r"(?<!\\)\$\$?|\\\(|\\\)")
_COMMAND = re.compile(
    r"\\(?P<font>textbf|textit|emph|texttt|textsf|textrm|text|mbox)\s*\{(?P<content>[^{}]*)\}"
    r"|\\(?:[a-zA-Z]+\s*|(?P<char>[#$%&_{} ])|(?P<space>[,;:!])|.)",
    re.DOTALL,
)
_ACCENT = re.compile(r"""\\(['"`^~=.])\s*\{?([A-Za-z])\}?""")
_COMBINING = {
    "'": "\u0301", '"': "\u0308", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307",
}  # fmt: skip


def text(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\text{for all $n$}``: prose, and the formulas between dollar signs in it."""
    mark = parser.mark_of(command)
    name, brace, content = command.partition("{")
    # Without a brace it is text whose braces the tokenizer could not match.
    content = content[:-1] if brace else parser.raw_argument()
    font = _FONTS.get(name.strip(), "")
    place, parser.place = parser.place, getattr(command, "place", parser.place)
    pieces = [
        formula_in_text(parser, piece) if number % 2 else _prose(piece, font)
        for number, piece in enumerate(_FORMULA.split(content))
    ]
    parser.place = place
    written = [piece for piece in pieces if isinstance(piece, str) and piece]
    if len(written) == 1 and len(pieces) == 1:
        row.append(parser.leaf(written[0], mark))
    elif any(pieces):
        parts = [piece for piece in pieces if isinstance(piece, Elements)]
        row.append(
            parser.built(
                lambda whole: (
                    "<mrow>"
                    + "".join(
                        piece if isinstance(piece, str) else piece.inside(whole) for piece in pieces
                    )
                    + "</mrow>"
                ),
                parts,
                mark,
            )
        )


def formula_in_text(parser: DisplayParser, latex: str) -> Elements:
    size = Size.SCRIPT if parser.size is Size.SCRIPT else Size.TEXT
    font, parser.font = parser.font, ""
    elements = parser.inner(tokens(latex)[:-1], size)
    parser.font = font
    return elements


def _prose(piece: str, font: str) -> str:
    """A piece of text mode without its commands and braces, as one element; empty if blank."""

    def replaced(match: re.Match[str]) -> str:
        if match["font"]:
            return match["content"]
        return match["char"] or ("\u2009" if match["space"] else "")

    if "\\" in piece:
        piece = _ACCENT.sub(lambda match: match[2] + _COMBINING[match[1]], piece)
        piece = _COMMAND.sub(replaced, piece)
    piece = re.sub(r"[{}]", "", piece).replace("~", "\u00a0").replace(WILDCARD_MARK, "?")
    piece = piece.replace("``", "“").replace("''", "”").replace("'", "’").replace("`", "‘")
    piece = re.sub(r"[ \t\r\n]+", " ", piece)
    piece = "".join(char for char in piece if char.isprintable() or char == "\u00a0")
    if piece[:1] == " ":
        piece = "\u00a0" + piece[1:]
    if piece[-1:] == " ":
        piece = piece[:-1] + "\u00a0"
    return f"<mtext>{text_in_font(piece, font)}</mtext>" if piece else ""


def tag_text(content: str) -> str:
    """What a tag prints, escaped."""
    return _prose(_FORMULA.sub("", content), "").removeprefix("<mtext>").removesuffix("</mtext>")
