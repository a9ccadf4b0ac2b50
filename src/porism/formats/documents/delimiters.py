r"""Formulas whose opening delimiter has been met, in LaTeX as in Markdown.

Where they end is known to ``markup.delimiters``. Every search is bounded, so that a text full of
delimiters that nothing closes costs little.
"""

from __future__ import annotations

from typing import NamedTuple

from porism.formats.markup.delimiters import ENVIRONMENTS, latex_end, latex_environment_end

MAX_DISPLAY = 50_000
"""How far the end of a displayed formula is looked for, in characters."""

SINGLE = frozenset("equation displaymath math dmath".split())
"""Environments of one formula without rows, whose inside says all."""


class Delimited(NamedTuple):
    """A formula, and where the text goes on after its closing delimiter."""

    latex: str
    end: int


def opened_by(opening: str, text: str, start: int, limit: int = MAX_DISPLAY) -> Delimited | None:
    r"""The formula, be it blank, that begins at ``start``, after ``opening``; None without end.

    >>> opened_by("$", r"a \text{if $x$}$ b", 0)
    Delimited(latex='a \\text{if $x$}', end=16)
    """
    end = latex_end(text, opening, start, start + limit)
    return None if end is None else Delimited(text[start:end], end + len(opening))


def is_math_environment(name: str) -> bool:
    """Whether an environment holds a formula; starred names count as their plain ones."""
    return name.removesuffix("*") in ENVIRONMENTS


def environment(name: str, text: str, start: int) -> Delimited | None:
    r"""The formula of an environment whose inside begins at ``start``.

    The environment is part of it only where it gives structure.

    >>> environment("equation*", r" x = 1 \end{equation*}", 0)
    Delimited(latex=' x = 1 ', end=22)
    >>> environment("align", r"x &= 1\end{align}", 0)
    Delimited(latex='\\begin{align}x &= 1\\end{align}', end=17)
    """
    end = latex_environment_end(text, name, start, start + MAX_DISPLAY)
    if end is None:
        return None
    if name.removesuffix("*") in SINGLE:
        return Delimited(text[start : end - len(f"\\end{{{name}}}")], end)
    return Delimited(f"\\begin{{{name}}}{text[start:end]}", end)
