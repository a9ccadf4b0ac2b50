"""Formulas in HTML: where they stand, what had to be mended, and the text around them.

``finding`` looks for them, ``delimiters`` knows where one ends, ``macros`` which definitions a text
gives; ``texts`` puts ids at them and makes plain content of it all.
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
