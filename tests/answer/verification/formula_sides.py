"""Sides of formulas made from LaTeX, for tests."""

from porism.answer.verification.statements import Side
from porism.formula.latex import parse_latex


def side_of(latex: str, *, is_approximate: bool = False) -> Side:
    """The whole formula as one side."""
    return Side(parse_latex(latex).tree.row, is_approximate)
