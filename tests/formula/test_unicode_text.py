"""Formulas as one line of Unicode text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.formula.unicode_text import unicode_formula


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"x^2 + y_1", "x² + y₁"),
        (r"x^{2n+1}", "x²ⁿ⁺¹"),
        (r"e^{-x^2}", "e^(−x²)"),
        (r"2^\infty", "2^∞"),
        (r"a_{i,j}", "a_(i,j)"),
        (r"f'(x) = f''(x)", "f′(x) = f′′(x)"),
        (r"a'_n", "a′ₙ"),
        (r"90^\circ", "90°"),
        (r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}", "∫₀^∞ e^(−x²) dx = √π/2"),
        (r"\int_0^1 \frac{\sin x}{x}\,dx", "∫₀¹ (sin x)/x dx"),
        (r"\sum_{n=1}^\infty \frac{1}{n^2}", "∑ₙ₌₁^∞ 1/n²"),
        (r"\lim_{n\to\infty} a_n = 0", "lim_(n→∞) aₙ = 0"),
        (r"\max_{x\in A} f(x)", "max_(x∈A) f(x)"),
        (r"\sqrt2 + \sqrt{x+1} + \sqrt[3]{x} + \sqrt[n]{2}", "√2 + √(x + 1) + ∛x + ⁿ√2"),
        (r"\sqrt{x^2}", "√(x²)"),
        (r"\frac{a+b}{2}", "(a + b)/2"),
        (r"\frac{1}{2x}", "1/(2x)"),
        (r"\frac{1}{2}x", "(1/2)x"),
        (r"\frac{\frac12}{3}", "(1/2)/3"),
        (r"\frac{dy}{dx}", "dy/dx"),
        (r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}", "(−b ± √(b² − 4ac))/(2a)"),
        (r"\sin^2 x + \cos^2(x)", "sin² x + cos²(x)"),
        (r"n \log n", "n log n"),
        (r"\operatorname{lcm}(a,b)", "lcm(a, b)"),
        (r"a \equiv b \pmod n", "a ≡ b (mod n)"),
        (r"\forall\epsilon>0\,\exists\delta>0", "∀ϵ > 0 ∃δ > 0"),
        (r"f\colon \mathbb R^n \to \mathbb C", "f : ℝⁿ → ℂ"),
        (r"\{x : x \le 1\}", "{x : x ≤ 1}"),
        (r"x_1,\ldots,x_n", "x₁, …, xₙ"),
        (r"\hat x + \overline{AB} + \vec v", "x̂ + A̅B̅ + v⃗"),
        (r"|x| + \|y\|", "|x| + ‖y‖"),
        (r"\binom nk", "(n choose k)"),
        (r"\boxed{x}", "x"),
        (r"\text{if } x>0", "if x > 0"),
        (r"\begin{align} a+b &\le c \\ &\le d \end{align}", "a + b ≤ c ≤ d"),
        (r"\begin{align} a &= b \\ c &= d \end{align}", "a = b; c = d"),
        (r"x=1,\quad y=2", "x = 1, y = 2"),
        (r"?x^2 = \frac{\pi^2}{6}?", "?x² = π²/6?"),
        (r"f(-x) = -f(x)", "f(−x) = −f(x)"),
    ],
)
def test_formulas_are_written_as_people_type_them(latex: str, text: str) -> None:
    assert unicode_formula(latex) == text


@pytest.mark.parametrize(
    "latex",
    [
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        r"|x| = \begin{cases} x & x > 0 \\ -x \end{cases}",
        r"\underbrace{a+b}_{c}",
        r"A \xrightarrow{f} B",
        r"{}_2F_1",
        r"x=1 \quad y=2",
        r"a=b \\ c=d",
        r"\unknown x",
        r"\frac{1",
        r"\tag{1}",
        "",
        "{" * 70 + "x" + "}" * 70,
        r"\sqrt[\infty]{x}",
    ],
)
def test_formulas_that_no_line_can_show_have_no_text(latex: str) -> None:
    assert unicode_formula(latex) is None


def test_macros_are_applied() -> None:
    assert unicode_formula(r"\R^n", r"\newcommand{\R}{\mathbb R}") == "ℝⁿ"
    assert unicode_formula(r"\half x") is None


@given(st.text(alphabet=r"\\{}^_&xyn12+-=(),'|[]∑√ ", max_size=60))
@example(r"\sqrt[]{}")
@example(r"\frac{}{}^{}_{}")
def test_every_formula_has_a_line_or_none(latex: str) -> None:
    text = unicode_formula(latex)
    assert text is None or (text.strip() and "\n" not in text)
