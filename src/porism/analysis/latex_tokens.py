"""LaTeX as words: what systems make of a formula that do not read it.

The commands, letters and signs of the source, nothing of what they mean. A formula that the parser
refuses still has these.
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
"""Every sign of ASCII by a name in one word, none of which is longer than Terrier's longest."""

_SPELLED = str.maketrans({sign: f" {name} " for sign, name in SYMBOL_WORDS.items()})
_STRING = re.compile(r"\\(?:[A-Za-z]+|.|\Z)|[0-9]+(?:\.[0-9]+)?|\S", re.DOTALL)
_WORD = re.compile(r"[^\W_]{3,}")


def alphanumerics(latex: str) -> list[str]:
    r"""The letters and digits of LaTeX by Terrier's chain, to which all else is white space.

    >>> alphanumerics(r"\frac{x^{10}}{y_1} \in A")
    ['frac', 'x', '10', 'y', '1']
    """
    return TERRIER(latex)


def spelled_symbols(latex: str) -> list[str]:
    """The same with every sign spelled as a word, as PyTerrier's baseline of ARQMath-3 has it.

    >>> spelled_symbols("x^2+1")
    ['x', 'power', '2', 'plu', '1']
    """
    return TERRIER(latex.translate(_SPELLED))


def latex_strings(latex: str) -> list[str]:
    r"""The commands, numbers and single characters of LaTeX as they are written.

    >>> latex_strings(r"\frac{x^{10}}2")
    ['\\frac', '{', 'x', '^', '{', '10', '}', '}', '2']
    """
    found: list[str] = _STRING.findall(latex)
    return found


def long_words(latex: str) -> list[str]:
    r"""The stems of words of more than two letters or digits (MathDowsers 2022, ``latex_`` runs).

    >>> long_words(r"\operatorname{Spec}_{AB} 100")
    ['operatornam', 'spec', '100']
    """
    return [stem(word) for word in _WORD.findall(latex.lower())]
