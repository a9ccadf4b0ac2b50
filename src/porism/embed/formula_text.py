r"""How formulas appear in the text that a model reads: as LaTeX, as words, or not at all.

As words, a formula is roughly what somebody would read aloud: ``x^2 \leq 1`` is "x to the 2 at most
1". Names of commands are words already; the few that are not are in a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from porism.model import Content, Formula, plain_text


class FormulaMode(StrEnum):
    """How formulas appear in a text."""

    LATEX = "latex"
    WORDS = "words"
    OMITTED = "omitted"


_COMMANDS: Mapping[str, str] = {
    **dict.fromkeys(
        "left right big Big bigl bigr displaystyle text textrm mathrm mathbf".split(), ""
    ),
    **dict.fromkeys("mathbb mathcal mathfrak mathscr operatorname limits quad qquad".split(), ""),
    **dict.fromkeys("cdot times".split(), "times"),
    **dict.fromkeys("le leq leqslant".split(), "at most"),
    **dict.fromkeys("ge geq geqslant".split(), "at least"),
    **dict.fromkeys("ne neq".split(), "not equal to"),
    **dict.fromkeys("to rightarrow longrightarrow".split(), "to"),
    **dict.fromkeys("implies Rightarrow Longrightarrow".split(), "implies"),
    **dict.fromkeys("iff Leftrightarrow".split(), "if and only if"),
    **dict.fromkeys("frac dfrac tfrac cfrac".split(), "fraction"),
    **dict.fromkeys("ldots cdots dots".split(), "and so on"),
    "begin": "",
    "end": "",
    "binom": "binomial",
    "cap": "intersection",
    "cup": "union",
    "equiv": "congruent to",
    "exists": "there exists",
    "forall": "for all",
    "infty": "infinity",
    "int": "integral",
    "lim": "limit",
    "mapsto": "maps to",
    "mid": "such that",
    "nabla": "gradient",
    "notin": "not in",
    "pm": "plus or minus",
    "prod": "product",
    "setminus": "without",
    "sqrt": "square root of",
    "subset": "subset of",
    "subseteq": "subset of",
}
_SYMBOLS: Mapping[str, str] = {
    "^": "to the",
    "_": "sub",
    "=": "equals",
    "+": "plus",
    "-": "minus",
    "/": "over",
    "<": "less than",
    ">": "greater than",
    "!": "factorial",
    "|": "bar",
}
_TOKEN = re.compile(r"\\([A-Za-z]+)|([0-9]+(?:\.[0-9]+)?)|([^\W\d_]+)|([^\s\\\w]|_)|\\.")


def text_with_formulas(content: Content, mode: FormulaMode) -> str:
    r"""Prose with its formulas in one of the modes.

    >>> content = ("Is ", Formula("", r"\alpha^2 \leq 1"), "?")
    >>> [text_with_formulas(content, mode) for mode in FormulaMode]
    ['Is $\\alpha^2 \\leq 1$?', 'Is alpha to the 2 at most 1 ?', 'Is ?']
    """
    if mode is FormulaMode.LATEX:
        return plain_text(content)
    pieces = (
        f" {formula_words(piece.latex) if mode is FormulaMode.WORDS else ''} "
        if isinstance(piece, Formula)
        else piece
        for piece in content
    )
    return " ".join("".join(pieces).split())


def formula_words(latex: str) -> str:
    r"""A formula as words.

    >>> formula_words(r"\sum_{k=1}^n \frac{1}{k} \to \infty")
    'sum sub k equals 1 to the n fraction 1 k to infinity'
    """
    words = []
    for command, number, letters, symbol in _TOKEN.findall(latex):
        words.append(
            _COMMANDS.get(command, command) or number or letters or _SYMBOLS.get(symbol, "")
        )
    return " ".join(word for word in words if word)
