"""Conversions from every form to every target."""

import pytest

from porism.errors import FormatError, LatexError, PorismError
from porism.formula.conversion import convert, convert_tree, read_formula
from porism.formula.forms import ConversionTarget, FormulaForm, targets
from porism.formula.tree import parse_tree

MATHML = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
CONTENT = "<math><apply><plus/><ci>x</ci><cn>1</cn></apply></math>"
SOURCES = {
    FormulaForm.LATEX: "x^2",
    FormulaForm.MATHML: MATHML,
    FormulaForm.CONTENT_MATHML: CONTENT,
}
FEATURES = (ConversionTarget.L8, ConversionTarget.TANGENT_L, ConversionTarget.PATHS)


@pytest.mark.parametrize(
    ("form", "target"), [(form, target) for form in FormulaForm for target in targets(form)]
)
def test_every_conversion_gives_its_target(form: FormulaForm, target: ConversionTarget) -> None:
    value, problems = convert(SOURCES[form], form, target)
    assert problems == ()
    if target in FEATURES:
        assert isinstance(value, list)
        assert value
        assert all(isinstance(token, str) for token in value)
    else:
        assert isinstance(value, str)
        assert value


@pytest.mark.parametrize("target", targets(FormulaForm.LATEX))
def test_latex_and_mathml_of_one_formula_give_the_same_result(target: ConversionTarget) -> None:
    from_latex = convert("x^2", FormulaForm.LATEX, target)
    assert convert(MATHML, FormulaForm.MATHML, target) == from_latex


@pytest.mark.parametrize(
    "target", sorted(set(ConversionTarget) - set(targets(FormulaForm.CONTENT_MATHML)))
)
def test_content_mathml_has_no_layout(target: ConversionTarget) -> None:
    with pytest.raises(PorismError, match="layout"):
        convert(CONTENT, FormulaForm.CONTENT_MATHML, target)


def test_problems_are_returned() -> None:
    value, problems = convert(r"x + \nosuchthing", FormulaForm.LATEX, ConversionTarget.SLT)
    assert len(problems) == 1
    assert problems[0].offset == 4
    assert "nosuchthing" in value


def test_rejected_formula_raises() -> None:
    with pytest.raises(LatexError):
        convert("{" * 100_000, FormulaForm.LATEX, ConversionTarget.SLT)
    with pytest.raises(FormatError):
        convert("<msqrt>" * 1000, FormulaForm.MATHML, ConversionTarget.SLT)


def test_operator_tree_can_be_converted_too() -> None:
    tree = parse_tree("[U!plus,0[V!x],1[N!1]]", "opt")
    assert convert_tree(tree, ConversionTarget.OPT) == "[U!plus,0[V!x],1[N!1]]"


def test_content_mathml_is_read_as_operator_tree() -> None:
    assert read_formula(CONTENT, FormulaForm.CONTENT_MATHML).tree.kind == "opt"
