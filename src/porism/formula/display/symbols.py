"""The symbols of LaTeX as atoms: the character that each prints, and its role in a row."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from porism.formula.display.atoms import Kind, Limits
from porism.formula.symbols import BIG, LETTERS, LIMIT_NAMES, LIMIT_WORDS, OPERATORS, WORDS


class Glyph(NamedTuple):
    """What a token prints.

    ``element`` is mi, mn or mo; ``attributes`` are those that do not depend on its neighbours.
    """

    element: str
    text: str
    role: Kind = Kind.ORD
    attributes: str = ""
    limits: Limits = Limits.BESIDE
    spaces: tuple[int, int] = (-1, -1)


_BINARY = frozenset("±∓×÷⋅∗⋆∘∙⊺∩∪⊎⊓⊔∨∧∖≀⨿⊕⊖⊗⊘⊙†‡⋄○◁▷⊲⊳⊴⊵⋉⋊⋋⋌⋎⋏⋒⋓⊞⊟⊠⊡⊛⊚⊝∔⋇⊼⊻⩞−+")
_ORDINARY = frozenset('∀∃∄¬∂∇′/\\.&^~|‖#%@"$_∁°')
_OPENING = frozenset("([{⟨⌊⌈⟦⟮⎰⌜⌞")
_CLOSING = frozenset(")]}⟩⌋⌉⟧⟯⎱⌝⌟!?")
_PUNCTUATION = frozenset(",;")

_PRINTED = {"-": "−", "*": "∗", "'": "′", "⌀": "∅"}
"""What differs from the character of the search tree."""

_THICK = frozenset("=<>≤≥≠≡∼≈≅∈⊂⊆→⇒⟹↦⇔")
"""Relations that browsers give thick space on both sides, as TeX does."""

_SIGNS = frozenset("+−±∓")

UPRIGHT = ' mathvariant="normal"'

_INTEGRALS = frozenset("∫∬∭⨌∮∯∰∱∲∳⨍⨎⨏")

STRETCHY = frozenset("()[]{}|‖⟨⟩⌊⌋⌈⌉⟦⟧⟮⟯⎰⎱⌜⌝⌞⌟∣∥/\\↑↓↕⇑⇓⇕")
"""Operators that browsers stretch, as only ``\\left`` and the like should."""

_FIXED = ' stretchy="false"'


def operator(char: str, role: Kind, attributes: str = "") -> Glyph:
    """An operator; its own attributes come before those of its space."""
    if role is Kind.REL and char in _THICK:
        spaces = (5, 5)
    elif role is Kind.BIN and char in _SIGNS:
        spaces = (4, 4)
    elif char in "()[]{}⟨⟩⌊⌋⌈⌉":
        spaces = (0, 0)
    elif char == ",":
        spaces = (0, 3)
    else:
        spaces = (-1, -1)
    fixed = _FIXED if char in STRETCHY else ""
    return Glyph("mo", escape(char), role, attributes + fixed, spaces=spaces)


def _role(char: str) -> Kind:
    if char in _BINARY:
        return Kind.BIN
    if char in _ORDINARY:
        return Kind.ORD
    if char in _OPENING:
        return Kind.OPEN
    if char in _CLOSING:
        return Kind.CLOSE
    return Kind.PUNCT if char in _PUNCTUATION else Kind.REL


def character(char: str) -> Glyph:
    """The glyph of a character that is typed directly."""
    char = _PRINTED.get(char, char)
    if char.isalpha():
        return Glyph("mi", escape(char), attributes=_upright(char))
    if char.isdigit():
        return Glyph("mn", char)
    if char in _LETTER_LIKE:
        return Glyph("mi", char)
    if char in _BIG:
        return _big(char)
    role = _role(char)
    if role is Kind.ORD and char not in STRETCHY and char not in "/¬∀∃∄′":
        return Glyph("mi", escape(char), attributes=UPRIGHT if char == "∇" else "")
    return operator(char, role)


def _upright(char: str) -> str:
    """Capital Greek letters are upright in LaTeX, but browsers slant a single letter."""
    return UPRIGHT if "Α" <= char <= "Ω" or char == "Å" else ""


def _big(char: str) -> Glyph:
    limits = Limits.BESIDE if char in _INTEGRALS else Limits.MOVABLE
    return Glyph("mo", char, Kind.OP, "", limits)


_BIG = frozenset(BIG.values()) | _INTEGRALS | frozenset("⨃⨅⨉")
_LETTER_LIKE = frozenset(LETTERS.values()) - {"…", "⋯", "⋮", "⋱", "⋰", "⊤", "∠", "√"}

_SPACED_WORDS = {
    "limsup": "lim\u2009sup", "liminf": "lim\u2009inf", "injlim": "inj\u2009lim",
    "projlim": "proj\u2009lim", "esssup": "ess\u2009sup", "essinf": "ess\u2009inf",
    "argmax": "arg\u2009max", "argmin": "arg\u2009min",
}  # fmt: skip

_ROLES = {
    "colon": (":", Kind.PUNCT), "lvert": ("|", Kind.OPEN), "rvert": ("|", Kind.CLOSE),
    "lVert": ("‖", Kind.OPEN), "rVert": ("‖", Kind.CLOSE), "vert": ("|", Kind.ORD),
    "Vert": ("‖", Kind.ORD), "|": ("‖", Kind.ORD), "arrowvert": ("|", Kind.ORD),
    "Arrowvert": ("‖", Kind.ORD), "bracevert": ("|", Kind.ORD), "backslash": ("\\", Kind.ORD),
    "slash": ("/", Kind.ORD), "bigtriangleup": ("△", Kind.BIN), "bigtriangledown": ("▽", Kind.BIN),
    "restriction": ("↾", Kind.REL), "upharpoonright": ("↾", Kind.REL), "And": ("&", Kind.REL),
    "bowtie": ("⋈", Kind.REL), "ldotp": (".", Kind.PUNCT), "cdotp": ("⋅", Kind.PUNCT),
    "bmod": ("mod", Kind.BIN), "therefore": ("∴", Kind.REL), "because": ("∵", Kind.REL),
    "perp": ("⊥", Kind.REL), "vartriangleleft": ("⊲", Kind.REL),
    "vartriangleright": ("⊳", Kind.REL), "trianglelefteq": ("⊴", Kind.REL),
    "trianglerighteq": ("⊵", Kind.REL), "{": ("{", Kind.OPEN), "}": ("}", Kind.CLOSE),
    "#": ("#", Kind.ORD), "$": ("$", Kind.ORD), "%": ("%", Kind.ORD), "&": ("&", Kind.ORD),
    "_": ("_", Kind.ORD), "coloneqq": ("≔", Kind.REL), "lbrace": ("{", Kind.OPEN),
    "rbrace": ("}", Kind.CLOSE), "top": ("⊤", Kind.ORD),
    "angle": ("∠", Kind.ORD), "surd": ("√", Kind.ORD), "nexists": ("∄", Kind.ORD),
}  # fmt: skip

_DOTS = {
    "ldots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "iddots": "⋰", "hdots": "…",
    "mathellipsis": "…", "textellipsis": "…", "dotsc": "…", "dotso": "…", "dotsm": "⋯",
    "dotsb": "⋯", "dotsi": "⋯",
}  # fmt: skip

DOTS = {char: Glyph("mo" if char in "…⋯" else "mi", char, Kind.INNER) for char in _DOTS.values()}


def _glyph_table() -> dict[str, Glyph]:
    table = {}
    for char in map(chr, range(33, 127)):
        if char not in "\\{}^_&$'~%":
            table[char] = character(char)
    table |= {str(number): Glyph("mn", str(number)) for number in range(1000)}
    for name, char in LETTERS.items():
        table["\\" + name] = character(char)
        if name.startswith("var") and name[3:4].isupper():
            table["\\" + name] = Glyph("mi", char)
    for name, char in OPERATORS.items():
        table["\\" + name] = operator(_PRINTED.get(char, char), _role(_PRINTED.get(char, char)))
    for name, char in _DOTS.items():
        table["\\" + name] = DOTS[char]
    for name, char in BIG.items():
        table["\\" + name] = _big(char)
    for word in WORDS:
        table["\\" + word] = Glyph("mi", word, Kind.OP)
    for word in (*LIMIT_WORDS, *LIMIT_NAMES):
        printed = _SPACED_WORDS.get(word, word)
        table["\\" + word] = Glyph("mi", printed, Kind.OP, limits=Limits.MOVABLE)
    for name, (char, role) in _ROLES.items():
        table["\\" + name] = operator(char, role)
    table["\\smallint"] = Glyph("mo", "∫", Kind.OP, ' largeop="false"')
    table["\\varnothing"] = Glyph("mi", "⌀")
    table["\\prime"] = operator("′", Kind.ORD, ' class="prime"')
    table["\\partial"] = Glyph("mi", "∂")
    table["\\nabla"] = Glyph("mi", "∇", attributes=UPRIGHT)
    table["..."] = DOTS["…"]
    table[":="] = operator("≔", Kind.REL)
    for name in ("implies", "impliedby", "iff"):  # constructs, which have more space
        del table["\\" + name]
    return table


GLYPHS = _glyph_table()
"""The tokens that are one symbol by themselves."""
