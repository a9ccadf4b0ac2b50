"""The HTML that readers of documents write: formulas as spans, prose so that it stays prose.

Whoever reads that HTML later looks for formulas between dollar signs too. A reader that already
knows what is a formula and what is not therefore writes the signs of its prose as entities.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple


class Fragment(NamedTuple):
    """What a text became: its HTML, and what it says of itself where it does."""

    body: str
    title: str = ""
    tags: tuple[str, ...] = ()
    created: str | None = None
    macros: str = ""


SINGLE = frozenset("equation displaymath math dmath".split())
"""Environments of one formula without rows, whose inside says all."""

STRUCTURED = frozenset(
    """
    align alignat aligned alignedat flalign gather gathered multline eqnarray split array
    matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases dcases rcases xalignat
    xxalignat multlined subarray subequations IEEEeqnarray CD dgroup darray
    """.split()
)
"""Environments whose rows and columns the formula parser has to see."""

MATH_ENVIRONMENTS = SINGLE | STRUCTURED


def is_math_environment(name: str) -> bool:
    """Whether an environment holds a formula; starred names count as their plain ones."""
    return name.removesuffix("*") in MATH_ENVIRONMENTS


def environment_formula(name: str, body: str) -> str:
    r"""The LaTeX of a formula in an environment, which is kept only where it gives structure.

    >>> environment_formula("equation*", " x = 1 ")
    'x = 1'
    >>> environment_formula("align", "x &= 1")
    '\\begin{align}x &= 1\\end{align}'
    """
    if name.removesuffix("*") in SINGLE:
        return body.strip()
    return f"\\begin{{{name}}}{body}\\end{{{name}}}"


def escaped(text: str) -> str:
    """Text as HTML in which formulas between delimiters are still to be found."""
    return html.escape(text, quote=False)


def prose(text: str) -> str:
    """Text as HTML in which nothing is a formula, although it may hold dollar signs.

    >>> prose("$5 < $10")
    '&#36;5 &lt; &#36;10'
    """
    return _MATH_SIGNS.sub(lambda found: f"&#{ord(found[0])};", escaped(text))


# A backtick opens code in comments, so it too would be taken for more than it is.
_MATH_SIGNS = re.compile(r"[$\\`]")


def formula_span(latex: str) -> str:
    """A formula as HTML, or nothing if it is empty.

    >>> formula_span(" a < b ")
    '<span class="math-container">a &lt; b</span>'
    """
    latex = latex.strip()
    return f'<span class="math-container">{escaped(latex)}</span>' if latex else ""


def display_paragraph(latex: str) -> str:
    """A displayed formula as a paragraph of its own, or nothing if it is empty."""
    span = formula_span(latex)
    return f"<p>{span}</p>\n" if span else ""


def code_block(code: str) -> str:
    """Lines of a program as HTML."""
    return f"<pre><code>{escaped(code)}</code></pre>\n"
