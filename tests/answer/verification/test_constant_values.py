"""Constant expressions are evaluated as in Python, and whatever has no value is refused."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.answer.verification.constant_values import (
    ConstantValue,
    clearly_different,
    equal_values,
)
from tests.answer.verification.formula_sides import side_of

Expression = tuple[str, Fraction]
"""LaTeX, and the number that Python computes for it."""


def _value(latex: str) -> ConstantValue | None:
    return side_of(latex).value


def _written(number: int) -> Expression:
    return (str(number) if number >= 0 else f"({number})"), Fraction(number)


_NUMBERS = st.one_of(
    st.integers(-20, 99).map(_written),
    st.integers(0, 9999).map(lambda n: (f"{n // 100}.{n % 100:02}", Fraction(n, 100))),
)
_PARENTHESES = st.sampled_from(
    ("({})", r"\left({}\right)", r"\left[ {} \right]", r"\bigl({}\bigr)")
)


@st.composite
def _sums(draw: st.DrawFn, operands: st.SearchStrategy[Expression]) -> Expression:
    (one, first), (other, second) = draw(operands), draw(operands)
    parentheses = draw(_PARENTHESES)
    is_sum = draw(st.booleans())
    latex = f"{one} + {other}" if is_sum else f"{one}-{parentheses.format(other)}"
    return parentheses.format(latex), first + second if is_sum else first - second


@st.composite
def _products(draw: st.DrawFn, operands: st.SearchStrategy[Expression]) -> Expression:
    (one, first), (other, second) = draw(operands), draw(operands)
    sign = draw(st.sampled_from((r"\cdot", r"\times", "*", r" \, ")))
    if sign == r" \, ":  # beside each other, both in parentheses
        return f"({one})({other})", first * second
    return f"({one} {sign} {other})", first * second


@st.composite
def _quotients(draw: st.DrawFn, operands: st.SearchStrategy[Expression]) -> Expression:
    (one, first), (other, second) = draw(operands), draw(operands)
    if not second:
        return one, first
    form = draw(
        st.sampled_from((r"\frac{%s}{%s}", r"\dfrac{%s}{%s}", "(%s)/(%s)", r"{%s \over %s}"))
    )
    return f"({form % (one, other)})", first / second


@st.composite
def _powers(draw: st.DrawFn, operands: st.SearchStrategy[Expression]) -> Expression:
    (base, number), exponent = draw(operands), draw(st.integers(-3, 3))
    if exponent < 0 and not number:
        return base, number
    return f"({base})^{{{exponent}}}", number**exponent


_EXPRESSIONS = st.recursive(
    _NUMBERS,
    lambda operands: st.one_of(
        _sums(operands), _products(operands), _quotients(operands), _powers(operands)
    ),
    max_leaves=6,
)


@given(_EXPRESSIONS)
def test_rational_arithmetic_agrees_with_python(expression: Expression) -> None:
    latex, number = expression
    value = _value(latex)
    if value is not None:  # some notations can be read in two ways, and are refused
        assert value.number == number


@pytest.mark.parametrize(
    ("latex", "number"),
    [
        (r"\frac12", 0.5),
        (r"-\frac{\sqrt\pi}{2}", -math.sqrt(math.pi) / 2),
        (r"\sqrt[3]{-8}", -2),
        (r"8^{1/3}", 2),
        (r"e^{-1}", 1 / math.e),
        (r"\exp(2)", math.exp(2)),
        (r"\ln 2", math.log(2)),
        (r"\log_2 8", 3),
        (r"\sin^2\frac\pi4", 0.5),
        (r"\sin^{-1}(1)", math.pi / 2),
        (r"\cos 60^\circ", 0.5),
        (r"5!", 120),
        (r"\binom{10}{3}", 120),
        (r"{10 \choose 3}", 120),
        (r"|{-3}|", 3),
        (r"\lfloor 2.5 \rfloor", 2),
        (r"25\%", 0.25),
        (r"3\times10^{8}", 3e8),
        (r"\boxed{42}", 42),
    ],
)
def test_known_operators_are_evaluated(latex: str, number: float) -> None:
    value = _value(latex)
    assert value is not None
    assert float(value.number) == pytest.approx(number)


@pytest.mark.parametrize(
    "latex",
    [
        *("x", "i", r"\infty", r"e^{i\pi}", "1/0", r"\frac{1}{1-1}", "0^{-1}"),
        *(r"\ln 0", r"\sqrt{-1}", "(-8)^{1/3}", r"\tan\frac\pi2", r"\arcsin 2"),
        *("9^{9^{9^{9}}}", "{10^{10}}!", "5!!", "(-1)!", r"\binom{10^9}{5}", "10^{10^{10}}"),
        *(r"\cdot", "/", "!", r"f(2)", r"\pi(2)", r"1+2+\ldots", r"0.\overline{3}", "", r"3\pm 1"),
    ],
)
def test_other_expressions_have_no_value(latex: str) -> None:
    assert _value(latex) is None


@pytest.mark.parametrize(
    "latex", [r"2\frac13", r"1/2\pi", r"\ln 3/2", r"\sin \pi/2", "(1\\,2)(3\\,4)", "4(5/8)"]
)
def test_what_is_read_in_two_ways_has_no_value(latex: str) -> None:
    assert _value(latex) is None


@given(st.text(alphabet=r"0123456789.+-*/^!(){}\frac sqrt bino l,πe", max_size=40))
def test_evaluation_never_raises(latex: str) -> None:
    value = _value(latex)
    assert value is None or math.isfinite(value.number)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"0.693", r"\ln 2"),
        (r"3.1416", r"\pi"),
        (r"3.141\ldots", r"\pi"),
        (r"6.283\times 10^{2}", r"200\pi"),
        (r"\frac{\sqrt2}{2}", r"\frac1{\sqrt2}"),
        (r"0.25", r"\frac14"),
        (r"0.12", r"12\%"),
    ],
)
def test_decimals_equal_what_rounds_to_them(one: str, other: str) -> None:
    first, second = _value(one), _value(other)
    assert first is not None
    assert second is not None
    assert equal_values(first, second)
    assert equal_values(second, first)
    assert not clearly_different(first, second)


@pytest.mark.parametrize(("one", "other"), [("0.694", r"\ln 2"), ("0.5", "0.52"), ("3", r"\pi")])
def test_other_numbers_are_not_equal(one: str, other: str) -> None:
    first, second = _value(one), _value(other)
    assert first is not None
    assert second is not None
    assert not equal_values(first, second)
    assert not equal_values(second, first)


def test_an_integer_is_rounded_only_after_an_approximation_sign() -> None:
    exact, rounded = side_of("42").value, side_of("42", is_approximate=True).value
    value = ConstantValue(Fraction("41.97"))
    assert exact is not None
    assert rounded is not None
    assert not equal_values(exact, value)
    assert equal_values(rounded, value)


@given(_EXPRESSIONS, _EXPRESSIONS)
def test_equality_and_difference_of_values_are_symmetric_and_exclude_each_other(
    one: Expression, other: Expression
) -> None:
    first, second = _value(one[0]), _value(other[0])
    if first is None or second is None:
        return
    assert equal_values(first, second) == equal_values(second, first)
    assert clearly_different(first, second) == clearly_different(second, first)
    assert not (equal_values(first, second) and clearly_different(first, second))
