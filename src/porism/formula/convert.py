"""One formula from one form to another: the one place that knows which step follows which."""

from __future__ import annotations

from typing import NamedTuple

from porism.errors import LatexError, PorismError
from porism.formula.features import l8, paths, tangent_l
from porism.formula.forms import Form, Target, targets
from porism.formula.latex import parse_latex
from porism.formula.latex.spelling import latex
from porism.formula.mathml.content import content_mathml, read_content
from porism.formula.mathml.presentation import presentation_mathml
from porism.formula.mathml.presentation_reader import read_presentation
from porism.formula.operators import operator_tree
from porism.formula.tree import Parsed, Problem, Tree
from porism.formula.visual import visual_id, visual_id_of_mathml

Value = str | list[str]


class Converted(NamedTuple):
    """A formula in its new form, and what its reader had to recover from."""

    value: Value
    problems: tuple[Problem, ...]


def convert(source: str, form: Form, target: Target) -> Converted:
    """The formula ``source``, which is written in ``form``, as ``target``.

    Features are lists of strings in the order of the tree, everything else is one string. Raises
    ``LatexError`` or ``FormatError`` for a formula that is refused; but its visual id can always be
    told from its LaTeX.

    >>> convert("x^2", Form.LATEX, Target.SLT).value
    '[V!x,a[N!2]]'
    """
    try:
        tree, problems = read_formula(source, form)
    except LatexError as error:
        if target is not Target.VISUAL_ID:
            raise
        # What is refused still is the same formula as another of the same spelling.
        tree, problems = Tree("slt", ()), (Problem(error.offset, error.why),)
    if form is Form.MATHML and target is Target.VISUAL_ID:
        return Converted(visual_id_of_mathml(source), problems)
    return Converted(made_of(tree, target, source if form is Form.LATEX else ""), problems)


def read_formula(source: str, form: Form) -> Parsed:
    """The tree of a formula: of its operators for Content MathML, else of its layout."""
    match form:
        case Form.LATEX:
            return parse_latex(source)
        case Form.MATHML:
            return read_presentation(source)
        case Form.CONTENT_MATHML:
            return read_content(source)


def made_of(tree: Tree, target: Target, source: str = "") -> Value:
    """What ``target`` names, made of a layout tree or of an operator tree.

    ``source`` is the LaTeX that the tree was read from, if it was: a formula of which nothing
    is left in the tree is still told from others by it.
    """
    if tree.kind == "opt":
        return _made_of_operators(tree, target)
    match target:
        case Target.SLT:
            return str(tree)
        case Target.MATHML:
            return presentation_mathml(tree)
        case Target.LATEX:
            return latex(tree)
        case Target.L8:
            return l8(tree)
        case Target.TANGENT_L:
            return tangent_l(tree)
        case Target.VISUAL_ID:
            return visual_id(tree, source)
        case Target.OPT | Target.CONTENT_MATHML | Target.PATHS:
            return _made_of_operators(operator_tree(tree), target)


def _made_of_operators(tree: Tree, target: Target) -> Value:
    match target:
        case Target.OPT:
            return str(tree)
        case Target.CONTENT_MATHML:
            return content_mathml(tree)
        case Target.PATHS:
            return paths(tree)
        case _:
            possible = ", ".join(targets(Form.CONTENT_MATHML))
            raise PorismError(
                f"{target} describes the layout of a formula, which Content MathML and operator "
                f"trees do not tell; of these there can be made {possible}"
            )
