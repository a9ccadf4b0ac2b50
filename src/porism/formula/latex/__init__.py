"""LaTeX to layout trees, and layout trees to canonical LaTeX.

``reader`` has the functions that read a formula; the grammar, its tables and its constructs are
in the modules beside it, and ``writer`` is the inverse.
"""

from porism.formula.latex.grammar import MAX_LENGTH
from porism.formula.latex.macros import LatexMacro
from porism.formula.latex.reader import layout_of, parse_latex, parse_query, read_macros
from porism.formula.latex.writer import latex

__all__ = [
    "MAX_LENGTH",
    "LatexMacro",
    "latex",
    "layout_of",
    "parse_latex",
    "parse_query",
    "read_macros",
]
