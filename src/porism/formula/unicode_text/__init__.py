"""Formulas as one line of Unicode text for a terminal, where that is readable."""

from porism.formula.unicode_text.writer import unicode_formula, unicode_tree

__all__ = ["unicode_formula", "unicode_tree"]
