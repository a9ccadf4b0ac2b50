"""Formulas for readers: MathML of the author's LaTeX, with its spacing, alignment and colours.

The layout tree, which is for searching, leaves these out. ``writer`` has the function that writes a
formula; ``marking`` carries marks from the tree to the places in the LaTeX that they are from.
"""

from porism.formula.display.marking import marked_places
from porism.formula.display.writer import display_mathml

__all__ = ["display_mathml", "marked_places"]
