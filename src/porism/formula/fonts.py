"""Letters in the styles that mathematics distinguishes, as Unicode's mathematical letters.

Roman and italic are not distinguished, nor are upright and slanted bold: that is a matter of taste
in print, and the visual ids of ARQMath ignore it too. Bold, script, Fraktur, blackboard, sans serif
and typewriter letters are different letters.
"""

import string
import unicodedata

_GREEK = "αβγδεζηθικλμνξοπρςστυφχψω"
_CAPITAL_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ"

# First code points of the styled A, a and 0, from the Unicode block of mathematical letters.
_STARTS = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE),
    "script": (0x1D49C, 0x1D4B6, None),
    "fraktur": (0x1D504, 0x1D51E, None),
    "blackboard": (0x1D538, 0x1D552, 0x1D7D8),
    "sans": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "typewriter": (0x1D670, 0x1D68A, 0x1D7F6),
}
# Letters that Unicode had encoded before that block existed.
_EARLIER = {
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
    "blackboard": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
}


def _alphabet(style: str) -> dict[str, str]:
    capital, small, digit = _STARTS[style]
    letters = {char: chr(capital + i) for i, char in enumerate(string.ascii_uppercase)}
    letters |= {char: chr(small + i) for i, char in enumerate(string.ascii_lowercase)}
    if digit is not None:
        letters |= {char: chr(digit + i) for i, char in enumerate(string.digits)}
    if style == "bold":
        letters |= {char: chr(0x1D6A8 + i) for i, char in enumerate(_CAPITAL_GREEK)}
    return letters | _EARLIER.get(style, {})


STYLES = {style: _alphabet(style) for style in _STARTS}
# LaTeX's \mathbf leaves small Greek letters alone; \boldsymbol makes everything bold.
STYLES["boldsymbol"] = STYLES["bold"] | {char: chr(0x1D6C2 + i) for i, char in enumerate(_GREEK)}
STYLES["boldsymbol"] |= {"ϵ": "𝛜", "ϕ": "𝛟"}
"""Style names, each with its letters by plain letter."""

LATEX_STYLES = {
    "mathrm": "roman", "mathnormal": "", "mathit": "roman", "mathup": "roman", "mathbf": "bold",
    "boldsymbol": "boldsymbol", "bm": "boldsymbol", "pmb": "boldsymbol", "bold": "bold",
    "mathbfit": "boldsymbol",
    "mathsf": "sans", "mathtt": "typewriter", "mathcal": "script", "mathscr": "script",
    "mathfrak": "fraktur", "mathbb": "blackboard", "Bbb": "blackboard", "mathds": "blackboard",
    "mathbbm": "blackboard", "symbf": "bold", "symbb": "blackboard", "symcal": "script",
    "frak": "fraktur", "scr": "script", "goth": "fraktur",
}  # fmt: skip
"""Font commands that take an argument."""

LATEX_SWITCHES = {
    "rm": "roman", "it": "roman", "sl": "roman", "bf": "bold", "sf": "sans", "tt": "typewriter",
    "cal": "script", "mit": "", "rmfamily": "roman", "bfseries": "bold", "boldmath": "bold",
    "sffamily": "sans", "ttfamily": "typewriter", "itshape": "roman", "normalfont": "roman",
}  # fmt: skip
"""Font commands that apply up to the end of their group."""

WORD_STYLES = frozenset(("roman", "bold", "sans", "typewriter"))
"""Styles in which adjacent letters are one word, as LaTeX sets and LaTeXML reads them."""

_PLAIN = {styled: plain for letters in STYLES.values() for plain, styled in letters.items()}
_STYLE_OF = {styled: style for style, letters in STYLES.items() for styled in letters.values()}


def _slanted() -> dict[int, str]:
    """The slanted mathematical letters, each with the letter that replaces it here."""
    folded = {}
    for code in range(0x1D400, 0x1D800):
        name = unicodedata.name(chr(code), "")
        if "ITALIC" not in name or chr(code) in _PLAIN:
            continue
        plain = unicodedata.normalize("NFKC", chr(code))
        style = "boldsymbol" if "BOLD" in name else "sans" if "SANS-SERIF" in name else ""
        folded[code] = STYLES[style].get(plain, plain) if style else plain
    for code in range(0x1D4D0, 0x1D504):  # bold script
        folded[code] = STYLES["script"][unicodedata.normalize("NFKC", chr(code))]
    for code in range(0x1D56C, 0x1D5A0):  # bold Fraktur
        folded[code] = STYLES["fraktur"][unicodedata.normalize("NFKC", chr(code))]
    return folded


_UPRIGHT = _slanted()


def upright(text: str) -> str:
    """``text`` with slanted mathematical letters replaced by upright or plain ones.

    >>> upright("𝑥𝒙ℝ")
    'x𝐱ℝ'
    """
    return text if text.isascii() else text.translate(_UPRIGHT)


def styled(text: str, style: str) -> str:
    """``text`` in one of the ``STYLES``; characters without a styled form stay unchanged."""
    letters = STYLES.get(style)
    return text if letters is None else "".join(letters.get(char, char) for char in text)


def unstyled(char: str) -> tuple[str, str]:
    """The plain letter of a styled one and the name of its style, which is "" for plain letters.

    >>> unstyled("ℝ"), unstyled("x")
    (('R', 'blackboard'), ('x', ''))
    """
    return _PLAIN.get(char, char), _STYLE_OF.get(char, "")
