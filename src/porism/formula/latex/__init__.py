"""LaTeX in and out: what people write to the layout tree, and the tree to one canonical spelling.

``reading`` has the functions that read a formula; the grammar, its tables and its constructs are
in the modules beside it, and ``spelling`` goes the other way.
"""

from porism.formula.latex.grammar import MAX_LENGTH
from porism.formula.latex.macros import LatexMacro
from porism.formula.latex.reader import parse_latex, parse_query, read_macros
from porism.formula.latex.writer import latex

__all__ = ["MAX_LENGTH", "LatexMacro", "latex", "parse_latex", "parse_query", "read_macros"]
