r"""Where a formula ends whose opening delimiter has been met, in LaTeX as in Markdown.

Every search is bounded, so that a text full of delimiters that nothing closes costs little.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formats.documents.html_pieces import environment_formula

MAX_DISPLAY = 50_000
"""How far the end of a displayed formula is looked for, in characters."""


class Delimited(NamedTuple):
    """A formula, and where the text goes on after its closing delimiter."""

    latex: str
    end: int


def closed_by(closing: str, text: str, start: int) -> Delimited | None:
    """The formula that begins at ``start`` and ends before ``closing``; None if it is blank."""
    end = text.find(closing, start, start + MAX_DISPLAY)
    # What looks like the closing delimiter may be the end of a row, "\\]", or a dollar sign, "\$$".
    while end > 0 and _is_escaped(text, start, end):
        end = text.find(closing, end + 1, start + MAX_DISPLAY)
    latex = text[start:end].strip()
    return Delimited(latex, end + len(closing)) if end > 0 and latex else None


def _is_escaped(text: str, start: int, at: int) -> bool:
    before = at
    while before > start and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def environment(name: str, text: str, start: int) -> Delimited | None:
    """The formula of an environment whose inside begins at ``start``."""
    begin, end = f"\\begin{{{name}}}", f"\\end{{{name}}}"
    depth = 1
    at = start
    while depth:
        closes = text.find(end, at, start + MAX_DISPLAY)
        if closes < 0:
            return None
        depth += text.count(begin, at, closes) - 1
        at = closes + len(end)
    return Delimited(environment_formula(name, text[start : at - len(end)]), at)


def closing_dollar(text: str, start: int, limit: int) -> int:
    r"""The place of the dollar that ends a formula, or -1 if none does before ``limit``.

    A dollar in braces belongs to them, as in ``\text{if $x$}``.

    >>> closing_dollar(r"a \text{if $x$}$", 0, 100)
    15
    """
    depth = 0
    for token in _SIGNS.finditer(text, start, limit):
        sign = token[0]
        if sign == "$" and depth <= 0:
            return token.start()
        depth += (sign == "{") - (sign == "}")
    return -1


_SIGNS = re.compile(r"\\.|[{}$]", re.DOTALL)
