"""Formulas in the text that a model reads."""

import pytest

from porism.embed.formula_text import FormulaMode, formula_words, text_with_formulas
from porism.model import Content, Formula


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("", ""),
        ("x", "x"),
        (r"x^2+y^2 = 1", "x to the 2 plus y to the 2 equals 1"),
        (r"\int_0^\infty e^{-x}\,dx", "integral sub 0 to the infinity e to the minus x dx"),
        (r"\left( \frac{a}{b} \right)", "fraction a b"),
        (r"\forall \varepsilon > 0", "for all varepsilon greater than 0"),
        (r"f\colon \mathbb{R} \to \mathbb{R}", "f colon R to R"),
        (r"3.14 \% \\", "3.14"),
        ("√α_1", "α sub 1"),
    ],
)
def test_formulas_as_words(latex: str, words: str) -> None:
    assert formula_words(latex) == words


def test_modes_keep_the_prose() -> None:
    content: Content = ("Let ", Formula("", r"x \in A"), " be", Formula("", "y"), ".")
    assert text_with_formulas(content, FormulaMode.LATEX) == r"Let $x \in A$ be$y$."
    assert text_with_formulas(content, FormulaMode.WORDS) == "Let x in A be y ."
    assert text_with_formulas(content, FormulaMode.OMITTED) == "Let be ."
