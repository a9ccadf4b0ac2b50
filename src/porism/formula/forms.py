"""The forms in which formulas come in and go out, by the names that commands and files use.

Only names: what makes one form of another is in ``porism.formula.conversion``, which loads far more
than a command that prints its help should.
"""

from enum import StrEnum


class FormulaForm(StrEnum):
    """What a formula may be written in when it comes in."""

    LATEX = "latex"
    MATHML = "mathml"
    CONTENT_MATHML = "content-mathml"


class ConversionTarget(StrEnum):
    """What may be made of a formula."""

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
    """What can be made of a formula in ``form``.

    Content MathML says what a formula means and not how it looks, so nothing that describes the
    layout can be made of it.

    >>> [target.value for target in targets(FormulaForm.CONTENT_MATHML)]
    ['content-mathml', 'opt', 'paths']
    """
    return _OF_OPERATORS if form is FormulaForm.CONTENT_MATHML else tuple(ConversionTarget)
