"""Formulas in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.formula.operators import formula_in_words, operator_tree
from porism.formula.operators.wording import MAX_WORDS
from porism.formula.tree import Tree


def words(latex: str) -> str:
    return formula_in_words(operator_tree(parse_latex(latex).tree))


@pytest.mark.parametrize(
    ("latex", "phrase"),
    [
        (r"\int_0^\infty \frac{\sin x}{x} dx",
         "the integral from 0 to infinity of sin x over x with respect to x"),
        (r"\sum_{n=1}^\infty \frac{1}{n^2}=\frac{\pi^2}{6}",
         "the sum from n equals 1 to infinity of 1 over n squared equals pi squared over 6"),
        ("x^2+y^2=z^2", "x squared plus y squared equals z squared"),
        (r"\lim_{n\to\infty} a_n", "the limit as n approaches infinity of a sub n"),
        (r"f(x)=\sqrt[3]{x}", "f of x equals the cube root of x"),
        (r"\binom nk", "n choose k"),
        (r"\begin{pmatrix}1&0\\0&1\end{pmatrix}", "the 2 by 2 matrix with rows 1, 0; 0, 1"),
        (r"\frac{dy}{dx}", "the derivative of y with respect to x"),
        (r"\frac{\partial f}{\partial x}", "the partial derivative of f with respect to x"),
        ("f'(x)", "f prime of x"),
        (r"|x|\le\|y\|", "the absolute value of x is at most the norm of y"),
        (r"\{x\mid x>0\}", "the set of x such that x is greater than 0"),
        (r"\bigcup_{i\in I}A_i", "the union over i in I of A sub i"),
        ("a<b<c", "a is less than b, which is less than c"),
        (r"\sin^2 x", "sin squared x"),
        (r"\log_2(a+b)", "log to the base 2 of a plus b"),
        (r"\frac{a+b}{2}\ge\sqrt{ab}",
         "the quantity a plus b, over 2 is at least the square root of a b"),
        (r"\vec v\cdot\overline{z}", "v vector times z bar"),
        ("A^{-1}A^T", "A inverse times A transposed"),
        ("n!", "n factorial"),
        (r"f(x)=\begin{cases}1&x>0\\0&\text{otherwise}\end{cases}",
         "f of x equals 1 if x is greater than 0; 0 otherwise"),
        (r"\forall x\in\mathbb{R}", "for all x is in the real numbers"),
        (r"\Gamma(\alpha)", "capital gamma of alpha"),
    ],
)  # fmt: skip
def test_formulas_are_read_aloud(latex: str, phrase: str) -> None:
    assert words(latex) == phrase


def test_long_formulas_have_no_words() -> None:
    assert words("+".join(f"x_{{{number}}}" for number in range(200))) == ""
    assert formula_in_words(Tree("opt", ())) == ""


@given(st.text(alphabet=r"abx12+-=<>^_{}()[]|\!',&∫∑√∈→ sinfrcquth", max_size=60))
def test_any_formula_has_words_or_none(latex: str) -> None:
    try:
        tree = parse_latex(latex).tree
    except LatexError:
        return
    assert len(formula_in_words(operator_tree(tree)).split()) <= MAX_WORDS
