"""Formulas: LaTeX and MathML to trees, trees to features, MathML and LaTeX.

Importing the package loads nothing; ``porism.formula.conversion`` shows how its modules fit
together.
"""
