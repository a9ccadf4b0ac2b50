"""Words and signs that people type in formulas, each with its LaTeX.

The names are those of LaTeX without the backslash, of AsciiMath, and of calculators and programming
languages. Signs of Unicode have their LaTeX from the tables of ``porism.formula``.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from porism.formula.fonts import unstyled, upright
from porism.formula.latex.symbol_writer import symbol_latex
from porism.formula.symbols import symbol_label

FUNCTIONS: dict[str, str] = {
    name: "\\" + name
    for name in """
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp max min sup inf
    lim limsup liminf gcd det dim ker deg arg hom sum prod int oint iint iiint
    """.split()
}
"""Names that are applied to what follows, those of LaTeX first."""

FUNCTIONS |= {
    name: rf"\operatorname{{{name}}}"
    for name in """
    lcm sgn sign tr trace rank arcsinh arccosh arctanh arcsec arccsc arccot sech csch erf Li
    diag span id Re Im Hom End Aut Gal Spec Tor Ext Res Var Cov ord supp vol card argmax argmin
    """.split()
}
FUNCTIONS |= {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "tg": r"\tan"}
FUNCTIONS |= {"ctg": r"\cot", "Log": r"\log"}

APPLIED = frozenset(
    """
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp sqrt asin acos
    atan
    """.split()
)
"""Names that make a formula of themselves and a letter or number: ``sin x``, ``sqrt 2``."""

BIG_OPERATORS = frozenset("sum prod int oint iint iiint lim limsup liminf".split())
"""Names that need limits, as in ``sum_(n=1)^oo``: without, they are words."""

STRUCTURES = frozenset(
    """
    sqrt cbrt root abs floor ceil norm binom binomial nCr frac hat bar vec tilde dot ddot overline
    underline conj
    """.split()
)
"""Names that are written around their arguments."""

NAMES: dict[str, str] = {
    name: "\\" + name
    for name in """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega varepsilon varphi
    vartheta infty emptyset hbar aleph nabla partial ell
    """.split()
}
"""Names of letters and constants."""

NAMES |= dict.fromkeys(("oo", "infinity", "Infinity", "inf"), r"\infty")
NAMES |= {f"{letter}{letter}": rf"\mathbb{{{letter}}}" for letter in "NZQRCFPH"}

WORD_OPERATORS: dict[str, str] = {
    "mod": r"\bmod", "xx": r"\times", "cdot": r"\cdot", "cup": r"\cup", "cap": r"\cap",
    "uu": r"\cup", "nn": r"\cap", "subset": r"\subset", "subseteq": r"\subseteq",
    "sube": r"\subseteq", "supset": r"\supset", "supseteq": r"\supseteq", "setminus": r"\setminus",
    "in": r"\in", "notin": r"\notin", "le": r"\leq", "leq": r"\leq", "ge": r"\geq", "geq": r"\geq",
    "ne": r"\neq", "neq": r"\neq", "equiv": r"\equiv", "approx": r"\approx", "iff": r"\iff",
    "implies": r"\implies", "to": r"\to", "otimes": r"\otimes", "oplus": r"\oplus",
    "choose": r"\choose",
}  # fmt: skip
"""Names of operators between two operands; many are English words."""

SPOKEN_OPERATORS: dict[str, str] = {
    "plus": "+", "minus": "-", "times": r"\times", "over": "/", "equals": "=",
}  # fmt: skip
SPOKEN_POWERS: dict[str, str] = {"squared": "2", "cubed": "3"}

DIFFERENTIALS = frozenset("dx dy dz dt du dv dw dr ds dp dq dk dθ dtheta dφ dphi dω domega".split())

SIGNS: dict[str, str] = {
    "<=>": r"\iff", "<==>": r"\iff", "<->": r"\leftrightarrow", "==>": r"\implies",
    "=>": r"\implies", "|->": r"\mapsto", "-->": r"\to", "->": r"\to", "<=": r"\leq",
    ">=": r"\geq", "!=": r"\neq", "=/=": r"\neq", "~=": r"\cong", "~~": r"\approx",
    "===": r"\equiv", "==": "=", "+/-": r"\pm", "+-": r"\pm", "...": r"\ldots", "*": r"\cdot",
    "~": r"\sim", "ε": r"\epsilon",
}  # fmt: skip
"""Signs of several characters, and those that LaTeX writes otherwise."""

RELATIONS = frozenset("= < > <= >= != =/= ~= ~~ ~ === == := => ==> <=> <==> <-> -> --> |->".split())
"""Signs that make a formula of two operands, whatever these are."""

FRACTIONS = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5",
    "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
    "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip

ROOTS = {"√": "", "∛": "3", "∜": "4"}
ACCENTS = {
    "\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0305": r"\bar",
    "\u0307": r"\dot", "\u0308": r"\ddot", "\u20d7": r"\vec",
}  # fmt: skip
"""Combining characters that are accents of variables."""

PREFIXES = frozenset("∑∏∐∫∬∭∮∯∰⋂⋃⨁⨂⨆⋁⋀∀∃∄¬∂∇") | frozenset(ROOTS)
OPERAND_SIGNS = frozenset("∞∅⌀∆△□ℵ⊤⊥∎⋯…⋮⋱°ℓℏ℘ℑℜ") | frozenset(FRACTIONS)

SMALL_WORDS = frozenset(
    """
    ah ai al am an as at be by da de do ed eg eh el em en er ex fe go ha he hi ho ie if ii in
    is it iv jr la le lo ma me mi mr ms mu my na ne no nu of oh ok on op or os ox pi pm re sh
    si so st tb tm to tv uk um un up us ut vi vs we xi ye yo you and not the via add bad dad cab ink
    km kg cm mm hz hr
    """.split()
)
"""Words that are no product of variables, however they are joined to signs."""


@lru_cache(1 << 12)
def is_math_sign(char: str) -> bool:
    """Whether a character that is not ASCII is a sign or letter of mathematics only.

    >>> [is_math_sign(char) for char in "≤ℝ²𝑥½→é–π"]
    [True, True, True, True, True, True, False, False, False]
    """
    if char in FRACTIONS or char in OPERAND_SIGNS or char in "′″‴·²³¹‖⟨⟩⌊⌋⌈⌉⟦⟧":
        return True
    if char.isascii() or char in "™℠℃℉№℗℡":
        return False
    code = ord(char)
    return (
        unicodedata.category(char) == "Sm"
        or 0x2070 <= code <= 0x209C  # superscripts and subscripts
        or 0x2100 <= code <= 0x214F  # letters such as ℝ
        or 0x2190 <= code <= 0x21FF
        or 0x2200 <= code <= 0x22FF
        or 0x27C0 <= code <= 0x27FF
        or 0x2900 <= code <= 0x2BFF
        or 0x1D400 <= code <= 0x1D7FF
    )


@lru_cache(1 << 12)
def sign_latex(char: str) -> str:
    """The LaTeX of a letter or sign.

    >>> [sign_latex(char) for char in ("≤", "ℝ", "𝑥", "+", "<=", "·", "°")]
    ['\\\\leq', '\\\\mathbb{R}', 'x', '+', '\\\\leq', '\\\\cdot', '^\\\\circ']
    """
    if char in SIGNS:
        return SIGNS[char]
    if char == "°":
        return r"^\circ"
    if char.isascii():
        return char
    plain = upright(char)
    return plain if plain.isascii() else symbol_latex(symbol_label(plain))


def is_styled_letter(char: str) -> bool:
    """Whether a character is a letter in a mathematical style, such as ℝ or 𝑥."""
    return bool(unstyled(char)[1]) or upright(char) != char
