"""The input and output forms of formulas, by the names that commands and files use.

Only names: the conversions are in ``porism.formula.conversion``, which loads far more than a
command that prints its help should.
"""

from enum import StrEnum


class FormulaForm(StrEnum):
    """An input form of formulas."""

    LATEX = "latex"
    MATHML = "mathml"
    CONTENT_MATHML = "content-mathml"


class ConversionTarget(StrEnum):
    """An output form of formulas."""

    MATHML = "mathml"
    CONTENT_MATHML = "content-mathml"
    LATEX = "latex"
    SLT = "slt"
    OPT = "opt"
    L8 = "l8"
    TANGENT_L = "tangent-l"
    PATHS = "paths"
    VISUAL_ID = "visual-id"


_OF_OPERATORS = (ConversionTarget.CONTENT_MATHML, ConversionTarget.OPT, ConversionTarget.PATHS)


def targets(form: FormulaForm) -> tuple[ConversionTarget, ...]:
    """The targets to which a formula in ``form`` can be converted.

    Content MathML describes the meaning of a formula and not its layout, so it has fewer.

    >>> [target.value for target in targets(FormulaForm.CONTENT_MATHML)]
    ['content-mathml', 'opt', 'paths']
    """
    return _OF_OPERATORS if form is FormulaForm.CONTENT_MATHML else tuple(ConversionTarget)
