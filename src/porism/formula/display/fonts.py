"""LaTeX's fonts as Unicode's mathematical letters, with slant, which search ignores."""

from __future__ import annotations

import string
from html import escape

from porism.formula.display.symbols import UPRIGHT, Glyph
from porism.formula.fonts import LATEX_STYLES, LATEX_SWITCHES, STYLES

_GREEK = "αβγδεζηθικλμνξοπρςστυφχψω"
_CAPITAL_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ"


def _alphabet(start: int, greek: int) -> dict[str, str]:
    letters = {char: chr(start + i) for i, char in enumerate(string.ascii_uppercase)}
    letters |= {char: chr(start + 26 + i) for i, char in enumerate(string.ascii_lowercase)}
    letters |= {char: chr(greek + i) for i, char in enumerate(_CAPITAL_GREEK)}
    return letters | {char: chr(greek + 26 + i) for i, char in enumerate(_GREEK)}


_ITALIC = _alphabet(0x1D434, 0x1D6E2) | {"h": "ℎ"}
_BOLD_ITALIC = _alphabet(0x1D468, 0x1D71C)
_BOLD_ITALIC |= {char: STYLES["bold"][char] for char in string.digits}
_BOLD_ITALIC |= {char: STYLES["bold"][char] for char in _CAPITAL_GREEK}
_BOLD_ITALIC |= {"ϵ": "𝝐", "ϕ": "𝝓", "∂": "𝝏", "∇": "𝛁"}

_LETTERS = STYLES | {"italic": _ITALIC, "bold-italic": _BOLD_ITALIC, "roman": {}}

_SLANTED = {
    "mathit": "italic", "mathnormal": "", "boldsymbol": "bold-italic", "bm": "bold-italic",
    "pmb": "bold-italic", "mathbfit": "bold-italic",
}  # fmt: skip

FONTS = LATEX_STYLES | _SLANTED
"""Commands that set their argument in a font, each with its name here."""

SWITCHES = LATEX_SWITCHES | {"it": "italic", "sl": "italic", "itshape": "italic", "mit": ""}
"""Commands that set what follows in a font."""

WORD_FONTS = frozenset(("roman", "italic", "bold", "sans", "typewriter"))
"""Fonts in which letters next to each other are one word."""


def in_font(text: str, font: str) -> str:
    """The text in a font; characters that the font lacks stay unchanged."""
    letters = _LETTERS.get(font)
    return "".join(letters.get(char, char) for char in text) if letters else text


def font_glyph(glyph: Glyph, font: str) -> Glyph:
    """The glyph in a font; operators and names of functions have none.

    >>> font_glyph(Glyph("mi", "R"), "blackboard").text
    'ℝ'
    """
    if not font or glyph.element == "mo" or (len(glyph.text) > 1 and glyph.role):
        return glyph
    text = in_font(glyph.text, font)
    if glyph.element == "mi":
        is_plain = text == glyph.text and len(text) == 1
        attributes = UPRIGHT if font == "roman" and is_plain else glyph.attributes
        return glyph._replace(text=text, attributes=attributes)
    return glyph._replace(text=text)


def text_in_font(text: str, font: str) -> str:
    """Prose in a font, escaped."""
    return escape(in_font(text, font), quote=False)
