"""Tokens of LaTeX source, for systems that do not parse formulas.

They are commands, letters and signs, without their meaning. A formula that the parser refuses still
has these tokens.
"""

from __future__ import annotations

import re

from porism.text import TERRIER, stem

SYMBOL_WORDS = {
    "+": "plus",
    "-": "minus",
    "*": "star",
    "/": "slash",
    "=": "equals",
    "<": "lessthan",
    ">": "greaterthan",
    "^": "power",
    "_": "underscore",
    "\\": "backslash",
    "{": "openbrace",
    "}": "closebrace",
    "(": "openparenthesis",
    ")": "closeparenthesis",
    "[": "openbracket",
    "]": "closebracket",
    "|": "verticalbar",
    "!": "exclamation",
    "?": "questionmark",
    ".": "period",
    ",": "comma",
    ":": "colon",
    ";": "semicolon",
    "'": "prime",
    '"': "quotationmark",
    "`": "backquote",
    "~": "tilde",
    "&": "ampersand",
    "%": "percent",
    "#": "hash",
    "@": "atsign",
    "$": "dollar",
}
"""One word for every ASCII sign, none longer than Terrier's limit."""

_SPELLED = str.maketrans({sign: f" {name} " for sign, name in SYMBOL_WORDS.items()})
_STRING = re.compile(r"\\(?:[A-Za-z]+|.|\Z)|[0-9]+(?:\.[0-9]+)?|\S", re.DOTALL)
_WORD = re.compile(r"[^\W_]{3,}")


def alphanumerics(latex: str) -> list[str]:
    r"""Return the letters and digits of LaTeX by Terrier's analyzer, which ignores the rest.

    >>> alphanumerics(r"\frac{x^{10}}{y_1} \in A")
    ['frac', 'x', '10', 'y', '1']
    """
    return TERRIER(latex)


def spelled_symbols(latex: str) -> list[str]:
    """Return the same with every sign spelled as a word, as in ARQMath-3's PyTerrier baseline.

    >>> spelled_symbols("x^2+1")
    ['x', 'power', '2', 'plu', '1']
    """
    return TERRIER(latex.translate(_SPELLED))


def latex_strings(latex: str) -> list[str]:
    r"""Return the commands, numbers and single characters of LaTeX unchanged.

    >>> latex_strings(r"\frac{x^{10}}2")
    ['\\frac', '{', 'x', '^', '{', '10', '}', '}', '2']
    """
    tokens: list[str] = _STRING.findall(latex)
    return tokens


def long_words(latex: str) -> list[str]:
    r"""Return stems of words of at least three characters (MathDowsers 2022, ``latex_`` runs).

    >>> long_words(r"\operatorname{Spec}_{AB} 100")
    ['operatornam', 'spec', '100']
    """
    return [stem(word) for word in _WORD.findall(latex.lower())]
