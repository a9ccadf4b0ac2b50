"""A formula's LaTeX as the ``math`` element that readers see."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from porism.errors import LatexError
from porism.formula.display.constructs import CONSTRUCTS
from porism.formula.display.grammar import DisplayParser, Size
from porism.formula.display.tables import whole_formula
from porism.formula.display.tokens import expanded_tokens, placed
from porism.formula.latex.grammar import MAX_LENGTH
from porism.formula.latex.macros import LatexMacro

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"

NO_MACROS: Mapping[str, LatexMacro] = {}
NO_MARKS: Mapping[float, int] = {}


def display_mathml(
    source: str,
    macros: Mapping[str, LatexMacro] = NO_MACROS,
    *,
    is_display: bool = False,
    alttext: str = "",
    marks: Mapping[float, int] = NO_MARKS,
) -> str:
    """The formula as a ``math`` element, on a line of its own if ``is_display``.

    ``marks`` are the numbers of marked parts by places, as of ``marked_places``. Raises
    ``LatexError`` for a formula that is too long or nested too deeply, and for no other.

    >>> display_mathml("x^2")
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    if len(source) > MAX_LENGTH:
        raise LatexError(source[:200], 0, f"a formula of {len(source):,} characters")
    size = Size.DISPLAY if is_display else Size.TEXT
    tokens = expanded_tokens(source, macros)
    parser = DisplayParser(placed(tokens) if marks else tokens, CONSTRUCTS, marks, size)
    content = whole_formula(parser).inside(False)
    attributes = f' alttext="{escape(alttext)}"' if alttext else ""
    attributes += ' display="block"' if is_display else ""
    return f'<math xmlns="{_NAMESPACE}"{attributes}>{content}</math>'
