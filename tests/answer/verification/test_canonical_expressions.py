"""Expressions that differ only in notation have one canonical form; others do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.answer.verification.canonical_expressions import is_closed, is_trivial
from porism.answer.verification.source_comparison import are_equal
from tests.answer.verification.formula_sides import side_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a+b", "b + a"),
        ("2xy", r"y \cdot 2 \times x"),
        (r"\frac12 x", "x/2"),
        (r"\dfrac{-x}{3}", r"-\tfrac{x}{3}"),
        (r"\left( a+b \right) c", "c[a+b]"),
        ("a-(-b)c", "a+bc"),
        (r"\sqrt{x}", "x^{1/2}"),
        (r"e^{-x}", r"\exp(-x)"),
        (r"\frac{1}{e^{x}}", "e^{-x}"),
        (r"\frac{a}{x^2}", "ax^{-2}"),
        (r"\sin^2 x", r"(\sin x)^2"),
        (r"\sin^{-1} x", r"\arcsin(x)"),
        (r"x \geq y", r"y \leqslant x"),
        (r"\sum_{k=1}^n k^2", r"\sum\limits_{i=1}^{n} i^2"),
        (r"\int_0^1 \frac{dx}{1+x}", r"\int_0^1 \frac{1}{t+1}\,\mathrm{d}t"),
        (r"\lim_{x\to0}\frac{\sin x}{x}", r"\lim_{h \rightarrow 0} \frac{\sin(h)}{h}"),
        (r"n!\,(n+1)", "(n+1) n!"),
        (r"\binom nk", r"{n \choose k}"),
    ],
)
def test_notations_of_one_expression_are_equal(one: str, other: str) -> None:
    assert side_of(one).canonical == side_of(other).canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a-b", "b-a"),
        ("a/b", "b/a"),
        ("x^2", "2^x"),
        ("-a^2", "(-a)^2"),
        (r"\sqrt{x^2}", "x"),
        (r"\sin^{-1} x", r"\frac{1}{\sin x}"),
        (r"\sum_{k=1}^n k", r"\sum_{k=1}^n n"),
        (r"\sum_{k=0}^n k^2", r"\sum_{k=1}^n k^2"),
        (r"\int_0^1 xy\,dx", r"\int_0^1 xy\,dy"),
        ("x<y", "x>y"),
    ],
)
def test_other_expressions_differ(one: str, other: str) -> None:
    assert side_of(one).canonical != side_of(other).canonical


@pytest.mark.parametrize(
    "latex",
    [
        r"\sum_{n=1}^\infty \frac1{n^2}",
        r"\int_{-\infty}^\infty e^{-x^2}\,dx",
        r"\lim_{n\to\infty}\left(1+\frac1n\right)^n",
        r"\prod_{k=2}^{10} \left(1-\frac{1}{k^2}\right)",
        r"\int_0^1\int_0^x y \,dy\,dx",
        r"\binom{10}{3}",
        r"\Gamma(1/2)",
    ],
)
def test_expressions_without_free_names_are_closed(latex: str) -> None:
    assert is_closed(side_of(latex).canonical)


@pytest.mark.parametrize(
    "latex",
    [
        *("x", "f(2)", "2+3", "7^2", r"\sum_{n=1}^N n", r"\sum_{n=1}^\infty a_n"),
        *(r"\int x\,dx", r"\int_0^a x\,dx", r"\int_C z\,dz", r"\sum_n \frac1{n^2}"),
        *(r"\lim_{x\to a} x", r"\sum_{n=1}^{n} n", r"\int_0^1 f(x)\,dx", r"\zeta(s)"),
        *(r"\sum_{n=1}^\infty n + n", r"\int_0^1 1 + \ldots \,dx"),
    ],
)
def test_free_names_and_plain_arithmetic_are_not_closed(latex: str) -> None:
    assert not is_closed(side_of(latex).canonical)


@pytest.mark.parametrize(
    "latex", ["0", "1", "-1", "n", "x", "-x", "x_1", r"\pi", r"\frac12", r"\infty"]
)
def test_short_values_are_trivial(latex: str) -> None:
    assert is_trivial(side_of(latex).canonical)


@pytest.mark.parametrize(
    "latex", ["42", r"\frac{\pi}{2}", r"\sqrt2", "2^n", "n+1", r"\frac{1}{12}"]
)
def test_longer_values_are_not_trivial(latex: str) -> None:
    assert not is_trivial(side_of(latex).canonical)


_SYMBOLS = st.lists(
    st.sampled_from(
        [
            *"abx12+-=^_/!(){}",
            r"\frac",
            r"\sqrt",
            r"\sum_{n=1}^",
            r"\int_0^1",
            "dx",
            r"\pi",
            r"\ln ",
        ]
    ),
    max_size=14,
).map("".join)


@given(_SYMBOLS, _SYMBOLS)
def test_equality_is_symmetric(one: str, other: str) -> None:
    first, second = side_of(one), side_of(other)
    assert are_equal(first, first)
    assert are_equal(first, second) == are_equal(second, first)


@pytest.mark.parametrize(
    "latex", [r"\cdot", "/", "-", r"\sum", r"/\cdot x", r"\lim_\to 1", r"\sqrt{}"]
)
def test_operators_without_operands_are_compared(latex: str) -> None:
    assert are_equal(side_of(latex), side_of(latex))


@given(st.integers(1, 200))
def test_deep_expressions_are_compared(depth: int) -> None:
    one = side_of(r"\sin " * depth + "x")
    assert are_equal(one, side_of(r"\sin " * depth + "x"))
