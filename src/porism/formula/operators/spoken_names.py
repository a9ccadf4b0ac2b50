"""The names under which operators, functions and characters are read aloud."""

from __future__ import annotations

import unicodedata

from porism.formula.symbols import LETTERS, OPERATORS

INFIX = {
    "eq": "equals", "neq": "is not equal to", "lt": "is less than", "gt": "is greater than",
    "leq": "is at most", "geq": "is at least", "in": "is in", "notin": "is not in",
    "subset": "is a subset of", "subseteq": "is a subset of", "superset": "contains",
    "equivalent": "is equivalent to", "approximately-equals": "is approximately",
    "similar-to": "is similar to", "much-less-than": "is much less than",
    "much-greater-than": "is much greater than", "implies": "implies", "iff": "if and only if",
    "maps-to": "maps to", "union": "union", "intersection": "intersection", "and": "and",
    "or": "or", "not": "not", "divides": "divides", "conditional": "given", "compose": "after",
    "tensor-product": "tensor", "direct-sum": "direct sum", "setminus": "without",
    "set-minus": "without", "proportional-to": "is proportional to", "cross-product": "cross",
    "→": "to", ":": "from", "assign": "is defined as", "perpendicular-to": "is perpendicular to",
    "parallel-to": "is parallel to", "congruent": "is congruent to",
    "asymptotically-equals": "is asymptotic to",
}  # fmt: skip
BIG = {
    "int": "the integral", "double-integral": "the double integral",
    "triple-integral": "the triple integral", "contour-integral": "the contour integral",
    "sum": "the sum", "product": "the product", "limit": "the limit", "union": "the union",
    "intersection": "the intersection", "max": "the maximum", "min": "the minimum",
    "sup": "the supremum", "inf": "the infimum", "maximum": "the maximum",
    "minimum": "the minimum", "supremum": "the supremum", "infimum": "the infimum",
    "limit-infimum": "the limit inferior", "limit-supremum": "the limit superior",
    "coproduct": "the coproduct", "direct-sum": "the direct sum",
}  # fmt: skip
INTEGRALS = frozenset(("int", "double-integral", "triple-integral", "contour-integral"))
FUNCTIONS = {
    "abs": "absolute value", "floor": "floor", "ceiling": "ceiling", "norm": "norm",
    "det": "determinant", "determinant": "determinant", "dim": "dimension", "ker": "kernel",
    "gcd": "greatest common divisor", "arg": "argument", "deg": "degree", "tr": "trace",
    "max": "maximum", "min": "minimum",
}  # fmt: skip
READ_AS_WRITTEN = frozenset(
    """
    sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot ln log lg exp sgn Re Im
    """.split()
)
"""Functions whose name is read as it is written, without "of" before a short argument."""

MARKS = {
    "¯": "bar", "^": "hat", "~": "tilde", "→": "vector", "˙": "dot", "¨": "double dot",
    "ˇ": "check", "˘": "breve",
}  # fmt: skip
STYLES = {
    "bold": "bold", "boldsymbol": "bold", "script": "script", "fraktur": "Fraktur",
    "blackboard": "blackboard", "sans": "sans serif", "typewriter": "typewriter",
}  # fmt: skip
_NAMES = {
    "∞": "infinity", "…": "and so on", "⋯": "and so on", "ℝ": "the real numbers",
    "ℂ": "the complex numbers", "ℚ": "the rational numbers", "ℤ": "the integers",
    "ℕ": "the natural numbers", "∅": "the empty set", "⌀": "the empty set", "+": "plus",
    "-": "minus", "′": "prime", "∂": "partial", "∇": "nabla", "!": "factorial", "/": "over",
}  # fmt: skip
CONSTANTS = {"infinity": "infinity"}


def _by_character() -> dict[str, str]:
    """The name of a character by its command in LaTeX, unless that is an abbreviation."""
    names = {char: name for name, char in reversed(LETTERS.items()) if not char.isascii()}
    names |= {char: name for name, char in reversed(OPERATORS.items()) if not char.isascii()}
    greek = {}
    for char in names:
        if "GREEK" in unicodedata.name(char[0], ""):
            name = unicodedata.name(char).rpartition("LETTER ")[2].split()[0].lower()
            name = "lambda" if name == "lamda" else name
            greek[char] = f"capital {name}" if char.isupper() else name
    return names | greek | _NAMES


CHARACTERS = _by_character()
