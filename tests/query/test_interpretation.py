"""Formulas, in whatever syntax, among words."""

import pytest

from porism.query.interpretation import FormulaSyntax, PartKind, QueryPart, interpret


def formulas(text: str) -> list[tuple[str, str]]:
    """The formulas of a text: as typed, and their LaTeX."""
    return [(part.source, part.value) for part in interpret(text).formulas]


@pytest.mark.parametrize(
    ("text", "source", "latex"),
    [
        (r"\sum 1/n^2 = \pi^2/6", r"\sum 1/n^2 = \pi^2/6", r"\sum 1/n^2 = \pi^2/6"),
        (r"integral of \frac{1}{x} from 0 to 1", r"\frac{1}{x}", r"\frac{1}{x}"),
        (r"the limit \frac{1}{n", r"\frac{1}{n", r"\frac{1}{n"),
        (r"for \alpha x + \beta y = 0 where", r"\alpha x + \beta y = 0", r"\alpha x + \beta y = 0"),
        (
            r"\left( \frac12, 3 \right) is",
            r"\left( \frac12, 3 \right)",
            r"\left( \frac12, 3 \right)",
        ),
        (r"\int_0^oo sin(x) dx", r"\int_0^oo sin(x) dx", r"\int_0^\infty  \sin(x) dx"),
        (r"e^(i\pi) = -1", r"e^(i\pi) = -1", r"e^{i\pi} = -1"),
        (r"\frac \pi 2 is", r"\frac \pi 2", r"\frac \pi 2"),
        (r"x \not\equiv 7 holds", r"x \not\equiv 7", r"x \not\equiv 7"),
        (r"\{1,2,\ldots\} is", r"\{1,2,\ldots\}", r"\{1,2,\ldots\}"),
        (r"f : [a, b] \rightarrow \mathbb{R} is", *2 * (r"f : [a, b] \rightarrow \mathbb{R}",)),
        (r"f(x) = \begin{cases}1\\2\end{cases} is", *2 * (r"f(x) = \begin{cases}1\\2\end{cases}",)),
    ],
)
def test_latex_needs_no_dollars(text: str, source: str, latex: str) -> None:
    first = next(part for part in interpret(text).formulas)
    assert (first.source, first.value, first.syntax) == (source, latex, FormulaSyntax.LATEX)


@pytest.mark.parametrize(
    ("text", "source", "latex"),
    [
        ("∫ x² dx", "∫ x² dx", r"\int x^2 dx"),
        ("∫₀¹ xⁿ dx is", "∫₀¹ xⁿ dx", r"\int_0^1 x^n dx"),
        ("is x²+y²=z² solvable", "x²+y²=z²", "x^2+y^2=z^2"),
        ("a ≤ b", "a ≤ b", r"a \leq b"),
        ("subsets of ℝ", "ℝ", r"\mathbb{R}"),
        ("√2", "√2", r"\sqrt{2}"),
        ("∛(x+1)", "∛(x+1)", r"\sqrt[3]{x+1}"),
        ("∑_{n=1}^∞ 1/n²", "∑_{n=1}^∞ 1/n²", r"\sum_{n=1}^{\infty} \frac{1}{n^2}"),
        ("Σ_(n=1)^∞ aₙ", "Σ_(n=1)^∞ aₙ", r"\sum_{n=1}^{\infty} a_n"),
        ("aₙ₊₁ → 0", "aₙ₊₁ → 0", r"a_{n+1} \to 0"),
        ("∂f/∂x", "∂f/∂x", r"\frac{\partial f}{\partial x}"),
        ("A∩B", "A∩B", r"A\cap B"),
        ("∀ε>0 ∃δ", "∀ε>0 ∃δ", r"\forall\epsilon>0 \exists\delta"),
        ("½ of", "½", r"\frac{1}{2}"),
        ("𝑥² ≥ 0", "𝑥² ≥ 0", r"x^2 \geq 0"),
        ("mean x̄ = 0", "x̄ = 0", r"\bar{x} = 0"),
        ("90° rotation", "90°", r"90^{\circ}"),
        ("ℤ/pℤ is", "ℤ/pℤ", r"\mathbb{Z}/p\mathbb{Z}"),
        ("‖f‖ < 1", "‖f‖ < 1", r"\|f\| < 1"),
        ("⌊x⌋ = n", "⌊x⌋ = n", r"\lfloor x\rfloor = n"),
        ("σ-algebra", "σ", r"\sigma"),
        ("3 × 4", "3 × 4", r"3 \times 4"),
        ("x − 1", "x − 1", "x - 1"),
        ("f′(x)", "f′(x)", "f'(x)"),
    ],
)
def test_unicode_is_translated(text: str, source: str, latex: str) -> None:
    (part,) = interpret(text).formulas
    assert (part.source, part.value, part.syntax) == (source, latex, FormulaSyntax.UNICODE)


@pytest.mark.parametrize(
    ("text", "source", "latex"),
    [
        ("circle x^2+y^2=1", "x^2+y^2=1", "x^2+y^2=1"),
        ("sqrt(2) irrational", "sqrt(2)", r"\sqrt{2}"),
        ("sum_(n=1)^oo 1/n^2", "sum_(n=1)^oo 1/n^2", r"\sum_{n=1}^{\infty} \frac{1}{n^2}"),
        ("n(n+1)/2", "n(n+1)/2", r"\frac{n(n+1)}{2}"),
        ("if a >= b then", "a >= b", r"a \geq b"),
        ("f: X -> Y is", "f: X -> Y", r"f: X \to Y"),
        ("a != b", "a != b", r"a \neq b"),
        ("x**2", "x**2", "x^2"),
        ("int_0^1 f(x) dx", "int_0^1 f(x) dx", "\\int_0^1 f(x) dx"),
        ("lim_(x->0) sin(x)/x", "lim_(x->0) sin(x)/x", r"\lim_{x\to0} \frac{\sin(x)}{x}"),
        ("e^(i pi) + 1 = 0", "e^(i pi) + 1 = 0", r"e^{i \pi} + 1 = 0"),
        ("(a+b)^2 is", "(a+b)^2", "(a+b)^2"),
        ("when |x| < 1", "|x| < 1", "|x| < 1"),
        ("||x+y|| <= 1", "||x+y|| <= 1", r"\|x+y\| \leq 1"),
        ("the term x_1", "x_1", "x_1"),
        ("a set A_{n+1} of", "A_{n+1}", "A_{n+1}"),
        ("the value A_{max} of", "A_{max}", r"A_{\max}"),
        ("2^n > n^2", "2^n > n^2", "2^n > n^2"),
        ("f(x) is", "f(x)", "f(x)"),
        ("f'(x) is", "f'(x)", "f'(x)"),
        ("why is n! large", "n!", "n!"),
        ("1/(1-x)", "1/(1-x)", r"\frac{1}{1-x}"),
        ("a/b", "a/b", r"\frac{a}{b}"),
        ("binom(n,k)", "binom(n,k)", r"\binom{n}{k}"),
        ("n choose k", "n choose k", r"\binom{n}{k}"),
        ("Z_p is", "Z_p", r"\mathbb{Z}_p"),
        ("Z/nZ is", "Z/nZ", r"\mathbb{Z}/n\mathbb{Z}"),
        ("GL_n(F_p) order", "GL_n(F_p)", r"GL_n(\mathbb{F}_p)"),
        ("G/H is", "G/H", "G/H"),
        ("a mod n", "a mod n", r"a \bmod n"),
        ("a = b (mod p)", "a = b (mod p)", r"a = b \pmod{p}"),
        ("sin^2 x + cos^2 x = 1", "sin^2 x + cos^2 x = 1", r"\sin^2 x + \cos^2 x = 1"),
        ("dy/dx = 2y", "dy/dx = 2y", r"\frac{dy}{dx} = 2y"),
        ("sin x/x", "sin x/x", r"\frac{\sin x}{x}"),
        ("sinx", "sinx", r"\sin x"),
        ("det A = 0", "det A = 0", r"\det A = 0"),
        ("O(n log n)", "O(n log n)", r"O(n \log n)"),
        ("ax^2 + bx + c = 0", "ax^2 + bx + c = 0", "ax^2 + bx + c = 0"),
        ("AB = BA", "AB = BA", "AB = BA"),
        ("3x3 matrix", "3x3", r"3\times3"),
        ("solve u_t = u_xx with", "u_t = u_xx", "u_t = u_{xx}"),
        ("2 xx 3", "2 xx 3", r"2 \times 3"),
        ("9^9^9", "9^9^9", "9^{9^9}"),
        ("A^TA is", "A^TA", "A^TA"),
        ("e^-x^2", "e^-x^2", "e^{-x^2}"),
        ("x^10", "x^10", "x^{10}"),
        ("C*-algebra", "C*", "C^*"),
        ("in L^2 space", "L^2", "L^2"),
        ("[0,1] is", "[0,1]", "[0,1]"),
        ("(0,1] is", "(0,1]", "(0,1]"),
        ("{1,2,...,n}", "{1,2,...,n}", r"\{1,2,\ldots,n\}"),
        ("a_1, a_2, ..., a_n", "a_1, a_2, ..., a_n", r"a_1, a_2, \ldots, a_n"),
        ("x in [0,1] is", "x in [0,1]", r"x \in [0,1]"),
        ("[[1,2],[3,4]]", "[[1,2],[3,4]]", r"\begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix}"),
        ("P(A|B) is", "P(A|B)", "P(A|B)"),
        ("solve sin(x", "sin(x", r"\sin(x"),
        ("1/2n", "1/2n", r"\frac{1}{2n}"),
        ("1/2(n+1)", "1/2(n+1)", r"\frac{1}{2}(n+1)"),
        ("?x^2 = y", "?x^2 = y", "?x^2 = y"),
    ],
)
def test_plain_text_is_translated(text: str, source: str, latex: str) -> None:
    (part,) = interpret(text).formulas
    assert (part.source, part.value) == (source, latex)
    assert part.syntax in (FormulaSyntax.PLAIN, FormulaSyntax.SPOKEN)


@pytest.mark.parametrize(
    ("text", "source", "latex"),
    [
        (
            "integral of e^(-x^2) from 0 to infinity",
            "integral of e^(-x^2) from 0 to infinity",
            r"\int_0^{\infty} e^{-x^2} dx",
        ),
        (
            "the integral from 0 to 1 of x^2 dx is",
            "integral from 0 to 1 of x^2 dx",
            r"\int_0^1 x^2 dx",
        ),
        ("integrate t^2 with respect to t", "integrate t^2 with respect to t", r"\int t^2 dt"),
        ("integral of 1/x", "integral of 1/x", r"\int \frac{1}{x} dx"),
        (
            "sum of 1/n^2 from n=1 to infinity",
            "sum of 1/n^2 from n=1 to infinity",
            r"\sum_{n=1}^{\infty} \frac{1}{n^2}",
        ),
        (
            "sum of k^2 for k from 1 to n",
            "sum of k^2 for k from 1 to n",
            r"\sum_{k=1}^n k^2",
        ),
        (
            "limit of sin(x)/x as x approaches 0",
            "limit of sin(x)/x as x approaches 0",
            r"\lim_{x \to 0} \frac{\sin(x)}{x}",
        ),
        ("lim x->0 sin(x)/x", "lim x->0 sin(x)/x", r"\lim_{x \to 0} \frac{\sin(x)}{x}"),
        ("x squared plus 1", "x squared plus 1", "x^2 + 1"),
        ("why is x cubed odd", "x cubed", "x^3"),
        ("a to the power of n", "a to the power of n", "a^{n}"),
        ("x to the fourth power is", "x to the fourth power", "x^4"),
        ("square root of 2 is", "square root of 2", r"\sqrt{2}"),
        ("cube root of x", "cube root of x", r"\sqrt[3]{x}"),
        ("n goes to infinity", "n goes to infinity", r"n \to \infty"),
        ("n factorial grows", "n factorial", "n!"),
        ("log base 2 of n", "log base 2 of n", r"\log_{2} n"),
        ("residues mod p", "mod p", r"\bmod p"),
    ],
)
def test_spoken_formulas_are_translated(text: str, source: str, latex: str) -> None:
    (part,) = interpret(text).formulas
    assert (part.source, part.value, part.syntax) == (source, latex, FormulaSyntax.SPOKEN)


@pytest.mark.parametrize(
    "text",
    [
        "a group of order p",
        "I think that a is an integer",
        "and/or, if/then, he/she, n/a, w/o, km/h",
        "C++ and F# and Google+",
        "e.g. this, i.e. that, s.t. these",
        "a non-trivial p-adic n-th x-axis T-shirt",
        "x-y plane",
        "1-1 and 24/7 and 9/11/2001 and 2020-01-02 and 12:30",
        "TCP/IP, Math.SE, http://a.com/x=1+2, x=1@example.org, /usr/lib/x, notes/2020/a.tex",
        r"C:\Users\name",
        "(see above) or (a) or (i) or (1)",
        "[1] and [solved] and word(s)",
        "the 1st, 2nd and 3rd of 3 things",
        "isn't it Fermat's, the x's or 'a'?",
        "integral of a function, sum of squares, limit of a sequence, square root of a matrix",
        "product of groups, a series of lectures, inverse of a factorial",
        "it costs $5 and 10% of €7",
        "in the sense of Lebesgue: to be or not to be - that is the question",
        "Theorem 2.3 on page 7, Problem 1: solve it",
        "σύνολο και ομάδα, теория групп, קבוצה, 群論, été",
        "`x^2 + y^2` in code",
        "rank of a matrix, order of a group, mod of a number, max and min",
        "(a squared number)",
    ],
)
def test_english_is_not_a_formula(text: str) -> None:
    assert formulas(text) == []


def test_formulas_and_words_alternate() -> None:
    interpretation = interpret(r"is $x^2$ even, or √2, or 2^n  ")
    assert [(part.kind.value, part.source) for part in interpretation.parts] == [
        ("words", "is "),
        ("formula", "$x^2$"),
        ("words", " even, or "),
        ("formula", "√2"),
        ("words", ", or "),
        ("formula", "2^n"),
        ("words", "  "),
    ]


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        (r"\(x\) and \[y\] and $$z$$", [r"\(x\)", r"\[y\]", "$$z$$"]),
        (r"so \begin{align}a&=b\end{align} holds", [r"\begin{align}a&=b\end{align}"]),
        (r"sum $\frac1n", [r"$\frac1n"]),
    ],
)
def test_delimited_formulas_are_read_as_they_are(text: str, sources: list[str]) -> None:
    parts = interpret(text).formulas
    assert [part.source for part in parts] == sources
    assert {part.syntax for part in parts} == {FormulaSyntax.DELIMITED}


def test_literal_sources_become_words() -> None:
    text = "is x^2 or y^2 even"
    parts = interpret(text, literal=["x^2"]).parts
    assert parts == (
        QueryPart(PartKind.WORDS, "is x^2 or "),
        QueryPart(PartKind.FORMULA, "y^2", "y^2", FormulaSyntax.PLAIN),
        QueryPart(PartKind.WORDS, " even"),
    )
    assert interpret(text, ["x^2", "y^2"]).parts == (QueryPart(PartKind.WORDS, text),)


@pytest.mark.parametrize(
    "text",
    [
        "x^" * 500,
        "√" * 500,
        "(" * 500 + "x+1" + ")" * 500,
        "1/(" * 15 + "x" + ")" * 15,
        "\\sqrt" * 500 + " 2",
        "sin " * 500 + "x",
        "[" * 15 + "1,2" + "]" * 15,
        "x_{" * 70 + "1" + "}" * 70,
        "\x00\u202e\u2066 x\u0301² = \ud7ff",
    ],
    ids=lambda text: text[:12],
)
def test_any_nesting_is_bounded(text: str) -> None:
    assert interpret(text).text == text
