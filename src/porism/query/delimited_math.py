r"""Formulas between delimiters in plain text, as people paste them, and half of such formulas."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from porism.formats.markup import find_formulas


class EnclosedFormula(NamedTuple):
    """A formula with its delimiters; an environment has none but its own commands."""

    start: int
    end: int
    latex: str
    is_closed: bool = True
    is_environment: bool = False


def delimited_formulas(text: str) -> list[EnclosedFormula]:
    r"""The formulas between ``$``, ``$$``, ``\(``, ``\[`` and ``\begin``, in order.

    After a dollar that is not closed, or that has half a formula after it, the text up to the next
    dollar is a formula if it has commands or scripts: money has dollars too.

    >>> [each.latex for each in delimited_formulas(r"$5 and $x^2$, \(y\), $\frac1n")]
    ['x^2', 'y', '\\frac1n']
    """
    formulas: list[EnclosedFormula] = []
    at = 0
    for formula in _located(text):
        formulas += _broken(text, at, formula.start)
        formulas.append(formula)
        at = formula.end
    formulas += _broken(text, at, len(text))
    return formulas


def _located(text: str) -> list[EnclosedFormula]:
    """The formulas that are well delimited, with their places in the text that is not escaped."""
    if "$" not in text and "\\" not in text:
        return []
    markup = html.escape(text, quote=False)
    located = find_formulas(markup)
    if len(markup) == len(text):
        places: range | list[int] = range(len(text) + 1)
    else:
        places = []
        for at, char in enumerate(text):
            places += [at] * _ESCAPED_LENGTH.get(char, 1)
        places.append(len(text))
    return [
        EnclosedFormula(
            places[each.start],
            places[each.end],
            each.latex,
            is_environment=markup.startswith("\\begin", each.start),
        )
        for each in located
    ]


_ESCAPED_LENGTH = {"&": 5, "<": 4, ">": 4}


def _broken(text: str, start: int, end: int) -> list[EnclosedFormula]:
    return [
        EnclosedFormula(match.start(), match.end(), match[1].strip(), bool(match[2]))
        for match in _BROKEN.finditer(text, start, end)
    ]


# With an open brace, a dollar is read as one inside the formula, so the formula is not found. Money
# has dollars too, but neither commands nor scripts.
_BROKEN = re.compile(r"(?<!\\)\$\$?([^$]*[\\^_{=][^$]*)(\$\$?|\Z)")
