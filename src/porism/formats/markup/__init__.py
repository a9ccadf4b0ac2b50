"""Formulas in HTML: their positions, the repairs they needed, and the text around them.

``formulas`` locates them, ``delimiters`` knows where one ends, and ``macros`` reads definitions;
``content`` writes their ids into the markup and turns it into plain content.
"""

from porism.formats.markup.content import (
    bare_text,
    content,
    marked_content,
    plain_text,
    with_formula_spans,
)
from porism.formats.markup.formulas import LocatedFormula, MarkupRepair, find_formulas

__all__ = [
    "LocatedFormula",
    "MarkupRepair",
    "bare_text",
    "content",
    "find_formulas",
    "marked_content",
    "plain_text",
    "with_formula_spans",
]
