r"""Formulas after their opening delimiter, in LaTeX and in Markdown.

``markup.delimiters`` finds their ends. Every search is bounded, so that a text full of unclosed
delimiters costs little.
"""

from __future__ import annotations

from typing import NamedTuple

from porism.formats.markup.delimiters import ENVIRONMENTS, latex_end, latex_environment_end

MAX_DISPLAY = 50_000
"""The longest displayed formula, in characters."""

SINGLE = frozenset("equation displaymath math dmath".split())
"""Environments of one formula without rows, which is just their content."""


class DelimitedFormula(NamedTuple):
    """A formula, and the position after its closing delimiter."""

    latex: str
    end: int


def delimited_formula(
    opening: str, text: str, start: int, limit: int = MAX_DISPLAY
) -> DelimitedFormula | None:
    r"""The formula, possibly blank, that begins at ``start``, after ``opening``; None if unclosed.

    >>> delimited_formula("$", r"a \text{if $x$}$ b", 0)
    DelimitedFormula(latex='a \\text{if $x$}', end=16)
    """
    end = latex_end(text, opening, start, start + limit)
    return None if end is None else DelimitedFormula(text[start:end], end + len(opening))


def is_math_environment(name: str) -> bool:
    """Whether an environment, starred or not, holds a formula."""
    return name.removesuffix("*") in ENVIRONMENTS


def environment_formula(name: str, text: str, start: int) -> DelimitedFormula | None:
    r"""The formula of an environment whose content begins at ``start``.

    The environment itself is part of it only if it has rows.

    >>> environment_formula("equation*", r" x = 1 \end{equation*}", 0)
    DelimitedFormula(latex=' x = 1 ', end=22)
    >>> environment_formula("align", r"x &= 1\end{align}", 0)
    DelimitedFormula(latex='\\begin{align}x &= 1\\end{align}', end=17)
    """
    end = latex_environment_end(text, name, start, start + MAX_DISPLAY)
    if end is None:
        return None
    if name.removesuffix("*") in SINGLE:
        return DelimitedFormula(text[start : end - len(f"\\end{{{name}}}")], end)
    return DelimitedFormula(f"\\begin{{{name}}}{text[start:end]}", end)
