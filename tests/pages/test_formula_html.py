"""Formulas as HTML."""

import pytest

from porism.collection.store import StoredFormula
from porism.formula.marks import with_marks
from porism.formula.tree import Tree
from porism.pages.formula_html import FormulaRenderer


def stored(latex: str) -> dict[str, StoredFormula]:
    return {"7": StoredFormula(1, latex, "", 1, "", None)}


@pytest.mark.parametrize(
    ("latex", "is_long"),
    [
        ("x^2", False),
        ("+".join("abcdefghijklmnop"), True),
        (r"\frac{a+b+c+d+e+f+g}{h+i+j+k+l+m+n}", False),  # one above the other
        (r"\mathrm{this}\;\text{is a very long sentence}", True),
        (r"\left( x + \begin{pmatrix}1&0\\0&1\end{pmatrix} \right)", False),
        ("x_{1+2+3+4+5+6+7+8+9+10+11+12+13+14+15+16+17+18+19}", True),
    ],
)
def test_long_formulas_have_a_class(latex: str, is_long: bool) -> None:
    html = FormulaRenderer(stored(latex)).html("7", latex)
    assert html.startswith(
        f'<span class="{"formula long" if is_long else "formula"}" id="formula-7"'
    )
    assert '<span class="display"' in FormulaRenderer(stored(latex)).html("7", latex, is_alone=True)


def test_a_matching_part_is_marked() -> None:
    rendered = FormulaRenderer(stored("x+1"), lambda tree: with_marks(tree, {0})).rendered(
        "7", "x+1"
    )
    assert rendered.is_match
    assert '><mi class="hit">x</mi><mo' in rendered.html


def test_formulas_without_match_or_not_stored_have_no_marks() -> None:
    plain = FormulaRenderer(stored("x+1")).rendered("7", "x+1")
    assert not plain.is_match
    assert FormulaRenderer(stored("x+1"), lambda tree: None).rendered("7", "x+1") == plain

    def never(tree: Tree) -> Tree:
        raise AssertionError("called for a formula that is not stored or has no symbol")

    assert not FormulaRenderer(stored("x+1"), never).rendered("", "x+1").is_match
    assert FormulaRenderer(stored(r"\def\a{b}"), never).rendered("7", r"\def\a{b}").html == ""
