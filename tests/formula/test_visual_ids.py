"""Formulas that look the same have one visual id; the paper's rule for split clusters."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.visual_ids import agreement, official_and_ours, visual_id_of_latex
from porism.formula.conversion import convert
from porism.formula.forms import ConversionTarget, FormulaForm
from porism.formula.latex import parse_latex
from porism.formula.mathml import read_presentation
from porism.formula.tree import Tree
from porism.formula.visual_ids import (
    JudgedInstance,
    part_keeping_id,
    visual_id,
    visual_id_of_mathml,
)


def identity(latex: str) -> str:
    return visual_id(parse_latex(latex).tree, latex)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x ^ 2", "x^{2}"),
        (r"\frac12", r"{1 \over 2}"),
        (r"a \le b", r"a\leq b"),
        (r"\mathrm R", "R"),
        (r"\mathit{R}", "R"),
        (r"\left(x\right)", "(x)"),
        (r"x_1^2", "x^2_1"),
        (r"\alpha", "α"),
        (r"\infty", "∞"),
        (r"x\in X", "x∈X"),
        (r"\displaystyle\sum_i", r"\sum\limits_i"),
        (r"\Bbb R", r"\mathbb{R}"),
    ],
)
def test_formulas_that_look_the_same_have_one_id(one: str, other: str) -> None:
    assert identity(one) == identity(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\mathbb R", "R"),
        (r"\mathcal R", "R"),
        (r"\mathbf R", "R"),
        (r"\mathfrak R", r"\mathcal R"),
        (r"\epsilon", r"\varepsilon"),
        (r"a\leqslant b", r"a\leq b"),
        (r"a\longrightarrow b", r"a\to b"),
        (r"\color{red}x", "x"),
        ("x_2", "x^2"),
    ],
)
def test_formulas_that_look_different_have_different_ids(one: str, other: str) -> None:
    assert identity(one) != identity(other)


def test_white_space_around_a_colour_does_not_matter() -> None:
    assert identity(r"\color {red} x") == identity(r"\color{red}x")


def test_rejected_formula_has_its_latex_as_id() -> None:
    deep = "{" * 100 + " x " + "}" * 100
    converted = convert(deep, FormulaForm.LATEX, ConversionTarget.VISUAL_ID)
    assert converted.value == deep.replace(" ", "")
    assert "levels deep" in converted.problems[0].message


def test_formula_without_tree_has_its_latex_as_id() -> None:
    assert visual_id(Tree("slt", ()), r"\foo { x }" + "\n") == r"\foo{x}"


def test_mathml_and_latex_give_one_id() -> None:
    mathml = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
    assert visual_id(read_presentation(mathml).tree, "x^2") == identity("x^2")


def test_largest_part_keeps_the_id() -> None:
    """A cluster of six, of which conversion now gives three trees: the worked example."""
    parts = {
        "[V!x]": [JudgedInstance(40), JudgedInstance(41), JudgedInstance(42)],
        "[V!y]": [JudgedInstance(7, grade=3), JudgedInstance(8, grade=3)],
        "[V!z]": [JudgedInstance(1, grade=3)],
    }
    assert part_keeping_id(parts) == "[V!x]"
    parts["[V!y]"].append(JudgedInstance(9))  # three each: six points beat none
    assert part_keeping_id(parts) == "[V!y]"
    parts["[V!x]"][0] = JudgedInstance(40, grade=6)  # three each and six points each: 7 is below 40
    assert part_keeping_id(parts) == "[V!y]"
    assert part_keeping_id(dict(reversed(parts.items()))) == "[V!y]"


def test_mathml_symbols_are_typed_by_their_elements() -> None:
    typed = "<math><mi>x</mi><mi>∈</mi><mi>X</mi></math>"
    printed = "<math><mi>x</mi><mo>∈</mo><mi>X</mi></math>"
    assert visual_id_of_mathml(typed) != visual_id_of_mathml(printed)
    assert read_presentation(typed) == read_presentation(printed)
    assert visual_id_of_mathml("<math></math>", "a b") == "ab"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("representation", "key", "official_whole", "ours_whole"),
    [("slt", visual_id_of_mathml, 0.995, 0.96), ("latex", visual_id_of_latex, 0.99, 0.94)],
)
def test_agreement_with_the_official_ids(
    shared: Path,
    representation: str,
    key: Callable[[str, str], str],
    official_whole: float,
    ours_whole: float,
) -> None:
    rates = agreement(official_and_ours(shared, representation, key))
    assert rates.official_whole >= official_whole
    assert rates.ours_whole >= ours_whole
