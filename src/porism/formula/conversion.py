"""One formula from any form to any other: the order of the conversion steps."""

from __future__ import annotations

from typing import NamedTuple

from porism.errors import LatexError, PorismError
from porism.formula.features import l8, leaf_paths, tangent_l
from porism.formula.forms import ConversionTarget, FormulaForm, targets
from porism.formula.latex import parse_latex
from porism.formula.latex.writer import latex
from porism.formula.mathml.content_reader import read_content
from porism.formula.mathml.content_writer import content_mathml
from porism.formula.mathml.presentation_reader import read_presentation
from porism.formula.mathml.presentation_writer import presentation_mathml
from porism.formula.operators import operator_tree
from porism.formula.tree import ParsedTree, ParseProblem, Tree
from porism.formula.visual_ids import visual_id, visual_id_of_mathml

Value = str | list[str]


class ConvertedFormula(NamedTuple):
    """A formula in its new form, and the problems its reader recovered from."""

    value: Value
    problems: tuple[ParseProblem, ...]


def convert(source: str, form: FormulaForm, target: ConversionTarget) -> ConvertedFormula:
    """The formula ``source``, which is in ``form``, as ``target``.

    Features are lists of strings in the order of the tree, everything else is one string. Raises
    ``LatexError`` or ``FormatError`` for a formula that is rejected; but any LaTeX has a visual id.

    >>> convert("x^2", FormulaForm.LATEX, ConversionTarget.SLT).value
    '[V!x,a[N!2]]'
    """
    try:
        tree, problems = read_formula(source, form)
    except LatexError as error:
        if target is not ConversionTarget.VISUAL_ID:
            raise
        # A rejected formula is still the same as another with the same LaTeX.
        tree, problems = Tree("slt", ()), (ParseProblem(error.offset, error.why),)
    if form is FormulaForm.MATHML and target is ConversionTarget.VISUAL_ID:
        return ConvertedFormula(visual_id_of_mathml(source), problems)
    return ConvertedFormula(
        convert_tree(tree, target, source if form is FormulaForm.LATEX else ""), problems
    )


def read_formula(source: str, form: FormulaForm) -> ParsedTree:
    """The tree of a formula: an operator tree for Content MathML, else a layout tree."""
    match form:
        case FormulaForm.LATEX:
            return parse_latex(source)
        case FormulaForm.MATHML:
            return read_presentation(source)
        case FormulaForm.CONTENT_MATHML:
            return read_content(source)


def convert_tree(tree: Tree, target: ConversionTarget, source: str = "") -> Value:
    """A layout tree or operator tree as ``target``.

    ``source`` is the LaTeX that the tree was read from, if any: it distinguishes formulas whose
    trees are empty.
    """
    if tree.kind == "opt":
        return _convert_operators(tree, target)
    match target:
        case ConversionTarget.SLT:
            return str(tree)
        case ConversionTarget.MATHML:
            return presentation_mathml(tree)
        case ConversionTarget.LATEX:
            return latex(tree)
        case ConversionTarget.L8:
            return l8(tree)
        case ConversionTarget.TANGENT_L:
            return tangent_l(tree)
        case ConversionTarget.VISUAL_ID:
            return visual_id(tree, source)
        case ConversionTarget.OPT | ConversionTarget.CONTENT_MATHML | ConversionTarget.PATHS:
            return _convert_operators(operator_tree(tree), target)


def _convert_operators(tree: Tree, target: ConversionTarget) -> Value:
    match target:
        case ConversionTarget.OPT:
            return str(tree)
        case ConversionTarget.CONTENT_MATHML:
            return content_mathml(tree)
        case ConversionTarget.PATHS:
            return leaf_paths(tree)
        case _:
            possible = ", ".join(targets(FormulaForm.CONTENT_MATHML))
            raise PorismError(
                f"{target} describes the layout of a formula, which Content MathML and operator "
                f"trees do not have; they can be converted to {possible}"
            )
