"""Quotients with a slash are the fractions that they would be on a calculator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.model import Formula
from porism.rank.typed.readings import near_formulas
from porism.rank.typed.slashes import with_fractions


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("1/n", r"\frac{1}{n}"),
        ("1 / n", r"\frac{1}{n}"),
        ("2n/3m", r"\frac{2n}{3m}"),
        ("(a+b)/(c+d)", r"\frac{a+b}{c+d}"),
        ("((a)+(b))/2", r"\frac{(a)+(b)}{2}"),
        ("(a)(b)/2", r"\frac{(a)(b)}{2}"),
        (r"\left(a+1\right)/b", r"\frac{a+1}{b}"),
        ("x^{2}/y_{i}^2", r"\frac{x^{2}}{y_{i}^2}"),
        (r"\sin x/x", r"\frac{\sin x}{x}"),
        (r"\sqrt{2}/\sqrt{3}", r"\frac{\sqrt{2}}{\sqrt{3}}"),
        (r"\frac{a}{b}/\binom{n}{k}", r"\frac{\frac{a}{b}}{\binom{n}{k}}"),
        (r"\sum_{n=1}^\infty 1/n!", r"\sum_{n=1}^\infty \frac{1}{n}!"),
        (r"\lim_{x\to0}\sin x/x", r"\lim_{x\to0}\frac{\sin x}{x}"),
        ("a/b/c", r"\frac{a}{b}/c"),
        ("f/g(x)", "f/g(x)"),
        ("|x|/2", "|x|/2"),
        ("/2 a/", "/2 a/"),
        ("{a}/b _2/3 )/2 (/", "{a}/b _2/3 )/2 (/"),
        ("x^/2", "x^/2"),
        ("1/2_", "1/2_"),
        ("a" * 500 + "|/" + "b c" * 500, "a" * 500 + "|/" + "b c" * 500),
    ],
)
def test_products_around_a_slash_become_a_fraction(latex: str, expected: str) -> None:
    assert with_fractions(latex) == expected


latexes = st.lists(
    st.sampled_from([*r"a b12 \sin \frac \left( \right) \sum ( ) { } _ ^ / + | \ é".split(), " "]),
    max_size=60,
).map("".join)


@given(latexes)
def test_symbols_keep_their_order(latex: str) -> None:
    symbols = [char for char in latex if char in "b12+_^|é"]
    assert [char for char in with_fractions(latex) if char in symbols] == symbols


@given(st.one_of(latexes, st.text(max_size=80)))
def test_the_formula_as_typed_is_the_first_reading(latex: str) -> None:
    formula = Formula("", latex)
    readings = near_formulas(formula)
    assert readings[0] == formula
    assert len(readings) <= 2
