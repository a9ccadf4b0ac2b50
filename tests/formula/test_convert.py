"""Every way from a form to a target."""

import pytest

from porism.errors import FormatError, LatexError, PorismError
from porism.formula.convert import convert, made_of, read_formula
from porism.formula.forms import Form, Target, targets
from porism.formula.tree import parse_tree

MATHML = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
CONTENT = "<math><apply><plus/><ci>x</ci><cn>1</cn></apply></math>"
SOURCES = {Form.LATEX: "x^2", Form.MATHML: MATHML, Form.CONTENT_MATHML: CONTENT}
FEATURES = (Target.L8, Target.TANGENT_L, Target.PATHS)


@pytest.mark.parametrize(
    ("form", "target"), [(form, target) for form in Form for target in targets(form)]
)
def test_every_conversion_gives_what_its_target_says(form: Form, target: Target) -> None:
    value, problems = convert(SOURCES[form], form, target)
    assert problems == ()
    if target in FEATURES:
        assert isinstance(value, list)
        assert value
        assert all(isinstance(token, str) for token in value)
    else:
        assert isinstance(value, str)
        assert value


@pytest.mark.parametrize("target", targets(Form.LATEX))
def test_latex_and_mathml_of_one_formula_give_the_same(target: Target) -> None:
    from_latex = convert("x^2", Form.LATEX, target)
    assert convert(MATHML, Form.MATHML, target) == from_latex


@pytest.mark.parametrize("target", sorted(set(Target) - set(targets(Form.CONTENT_MATHML))))
def test_content_mathml_has_no_layout(target: Target) -> None:
    with pytest.raises(PorismError, match="layout"):
        convert(CONTENT, Form.CONTENT_MATHML, target)


def test_problems_come_along() -> None:
    value, problems = convert(r"x + \nosuchthing", Form.LATEX, Target.SLT)
    assert len(problems) == 1
    assert problems[0].offset == 4
    assert "nosuchthing" in value


def test_what_is_refused_raises() -> None:
    with pytest.raises(LatexError):
        convert("{" * 100_000, Form.LATEX, Target.SLT)
    with pytest.raises(FormatError):
        convert("<msqrt>" * 1000, Form.MATHML, Target.SLT)


def test_operator_tree_serves_as_source_too() -> None:
    tree = parse_tree("[U!plus,0[V!x],1[N!1]]", "opt")
    assert made_of(tree, Target.OPT) == "[U!plus,0[V!x],1[N!1]]"


def test_content_mathml_is_read_as_operator_tree() -> None:
    assert read_formula(CONTENT, Form.CONTENT_MATHML).tree.kind == "opt"
