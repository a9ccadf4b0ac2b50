"""Final formulas are recognised in sources, and only certain contradictions are reported."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism import deadlines
from porism.answer.short_answer import Contradiction, FormulaCheck, Verification
from porism.answer.verification.final_results import final_result
from porism.answer.verification.source_comparison import verify

BASEL = r"\sum_{n=1}^\infty \frac{1}{n^2}"


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"Hence $\int_0^1 x\,dx = \frac12$.", r"\int_0^1 x\,dx = \frac12"),
        (r"So $a = 1$. Hence $b = \boxed{2}$, and thus $c = 3$.", r"b = \boxed{2}"),
        (r"The answer is $\frac{\pi}{4}$, where $x = 3y$.", r"\frac{\pi}{4}"),
        (r"The answer is 42 [1].", "42"),
        (r"Therefore, the total is **1,024**.", "1,024"),
        (r"Thus \(a = b\). Note that \(c = d + 1\)", "a = b"),
        (r"Hence \[ x = 2y. \]", "x = 2y"),
        (r"Then $$\begin{align} f(2) &= 1+2 \\ &= 3 \end{align}$$", "f(2) = 3"),
        (r"\begin{align*}a&=b+c\\&\quad+d\\&=e\end{align*}", "a = e"),
        (r"It is $\int f$ $$= 3$$", r"\int f = 3"),
        (r"$2x = 6$ $\Rightarrow x = 3$", "x = 3"),
        (r"So $a = b < c$.", "a = b"),
        (r"$\pi \approx 3.14$", r"\pi \approx 3.14"),
        (r"We conclude that $|x| \le 1$.", r"|x| \le 1"),
        (r"$$\frac{\pi}{4}$$", r"\frac{\pi}{4}"),
    ],
)
def test_the_final_result_is_the_last_that_is_announced(text: str, latex: str) -> None:
    result = final_result(text)
    assert result is not None
    assert result.latex == latex


@pytest.mark.parametrize(
    "text",
    ["", "No formula.", "The group $G$ is abelian.", r"The value is $m$.", "$=$"],
)
def test_a_text_without_result_has_no_check(text: str) -> None:
    assert verify(text, {1: text}).check is None


@pytest.mark.parametrize(
    "source",
    [
        rf"It is known that ${BASEL} = \frac{{\pi^2}}{{6}}$.",
        r"\[ \sum\limits_{k=1}^{\infty} k^{-2} = \pi^2/6 \]",
        r"$\frac{\pi^{2}}{6} = \sum_{j=1}^\infty 1/j^2$",
        rf"$${BASEL} = 1 + \frac14 + \ldots = \frac16 \pi^2 \approx 1.645$$",
        rf"${BASEL} \approx 1.6449$",
        rf"\begin{{align}} {BASEL} &= \zeta(2) \\ &= \frac{{\pi^2}}{{6}} \end{{align}}",
    ],
)
def test_sources_agree_in_any_notation(source: str) -> None:
    check = verify(rf"Hence ${BASEL} = \dfrac{{\pi^2}}{{6}}$.", {1: "Nothing.", 3: source}).check
    assert check is not None
    assert check.agreeing == (3,)
    assert check.contradicting == ()


@pytest.mark.parametrize(
    "source",
    [
        r"$\sum_{n=1}^\infty \frac{1}{n^4} = \frac{\pi^4}{90}$",
        r"$x = \frac{\pi^2}{6}$",
        r"$\sum_{n=0}^\infty \frac{1}{(n+2)^2} = \frac{\pi^2}{6}$",
        r"$\pi^2/6$",
        r"",
    ],
)
def test_another_equation_with_the_same_value_does_not_agree(source: str) -> None:
    check = verify(rf"Hence ${BASEL} = \frac{{\pi^2}}{{6}}$.", {1: source}).check
    assert check is not None
    assert check.agreeing == ()


def test_a_bare_value_agrees_with_the_last_side_of_an_equation() -> None:
    sources = {1: r"$p = \frac{21}{50}$", 2: r"$p = 0.43$", 3: "The answer is 0.42."}
    check = verify(r"The probability is $\frac{42}{100}$.", sources).check
    assert check is not None
    assert check.agreeing == (1, 3)


def test_a_trivial_value_agrees_only_with_an_announced_one() -> None:
    sources = {1: "Let $n = 1$.", 2: "The answer is $1$."}
    check = verify("The answer is 1.", sources).check
    assert check is not None
    assert check.agreeing == (2,)


def test_an_inequality_agrees_in_either_direction() -> None:
    sources = {1: r"Clearly $1 \geqslant |x|$.", 2: r"$|x| < 1$"}
    check = verify(r"Hence $|x| \le 1$.", sources).check
    assert check is not None
    assert check.agreeing == (1,)


def test_a_source_with_another_value_contradicts_the_answer() -> None:
    sources = {1: rf"${BASEL} = \pi^2/6$", 2: rf"${BASEL} = \pi^2/8$"}
    found = verify(rf"Hence ${BASEL} = \frac{{\pi^2}}{{6}}$.", sources)
    assert found.check is not None
    assert found.check.agreeing == (1,)
    assert found.check.contradicting == (2,)
    assert found.contradictions == (
        Contradiction(r"\sum_{n=1}^{\infty}\frac{1}{n^{2}}", 1, r"\pi^{2}/6", 2, r"\pi^{2}/8"),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$x = 3$", "$x = 4$"),
        ("$f(x) = 2$", "$f(x) = 3$"),
        (r"$\sum_{n=1}^N n = 3$", r"$\sum_{n=1}^N n = 6$"),
        (r"$7\cdot 8 = 56$", r"$7 \cdot 8 = 1$"),
        (rf"${BASEL} = \frac{{\pi^2}}{{6}}$", rf"${BASEL} \approx 1.64$"),
        (rf"${BASEL} = \frac{{\pi^2}}{{6}}$", rf"Suppose that ${BASEL} = 2$."),
        (rf"${BASEL} = \frac{{\pi^2}}{{6}}$", rf"It is not true that ${BASEL} = 2$."),
        (rf"${BASEL} = \frac{{\pi^2}}{{6}}$", rf"${BASEL} \ne 2$ and ${BASEL} < 2 = 1 + 1$"),
        (rf"${BASEL} = \frac{{\pi^2}}{{6}}$", rf"${BASEL} = S$"),
        (r"$\binom{4}{2} = 6$", r"$\binom{4}{2} \equiv 1 \pmod 5$"),
        (r"$\int_0^1 x^n\,dx = \frac12$", r"$\int_0^1 x^n\,dx = \frac13$"),
    ],
)
def test_local_names_hypotheses_and_rounding_are_no_contradictions(one: str, other: str) -> None:
    assert verify("", {1: one, 2: other}).contradictions == ()


def test_a_source_that_gives_several_values_contradicts_nobody() -> None:
    wrong = rf"First, ${BASEL} = 2$. Correction: ${BASEL} = \frac{{\pi^2}}{{6}}$."
    assert verify("", {1: wrong, 2: rf"${BASEL} = 3$"}).contradictions == ()


@pytest.mark.parametrize(
    ("latex", "holds"),
    [
        (r"\binom{10}{3} = 120", True),
        (r"\binom{10}{3} = 110", False),
        (r"\ln 2 \approx 0.693", True),
        (r"\sqrt{2} = 1.5", False),
        (r"\int_0^1 x\,dx = \frac12", None),
        (r"\frac{13}{16} = \frac{9}{14}", None),
        (r"x = 2", None),
    ],
)
def test_constant_equations_are_evaluated(latex: str, holds: bool | None) -> None:
    assert verify(f"Hence ${latex}$.", {}).check == FormulaCheck(latex, holds=holds)


def test_nothing_is_verified_without_text_and_sources() -> None:
    assert verify("", {}) == Verification()


_PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "$",
                "$$",
                r"\(",
                r"\)",
                r"\[",
                r"\]",
                "=",
                r"\approx",
                "&",
                r"\\",
                "{",
                "}",
                "^",
                "_",
            ),
            *(r"\begin{align}", r"\end{align}", r"\frac", r"\boxed{", r"\sum_{n=1}^\infty", "x"),
            *(r"\int_0^1", "dx", "12", "0.5", r"\pi", "!", r"\sqrt", r"\lim_{x\to0}", r"\lim_\to"),
            *(
                "Hence ",
                "the answer is ",
                ". ",
                "\n\n",
                r"\left(",
                r"\right",
                r"\def\a{\a\a}",
                r"\a",
            ),
            *(
                r"\text{if}",
                ",",
                "|",
                "/",
                r"\binom",
                r"\log",
                "42",
                "?",
                r"\tag{1}",
                r"\not",
                "é∞",
            ),
        ]
    ),
    max_size=40,
).map("".join)


@given(_PIECES | st.text(max_size=80), _PIECES)
@example(r"$\lim_\to x = 1$", r"$\lim_{\to} x = 1$")
@example("The answer is $" + r"\frac{" * 70 + "$", "$" + "(" * 80 + "=1$")
@example("$x=" + r"\sin " * 300 + "x$", "$1" + "^{2" * 50 + "}" * 50 + " = 1$")
def test_any_text_is_verified(text: str, source: str) -> None:
    verify(text, {1: source, 2: text})


_SENTENCES = st.sampled_from(
    [
        r"Hence $\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}$.",
        r"Therefore $\lim_{n\to\infty} \left(1+\frac1n\right)^n = e$.",
        r"We get \[ a^2 + b^2 = c^2. \]",
        r"The answer is $\frac{17}{42}$.",
        "The answer is 1234.",
        r"So $\begin{align} f(x) &= (x+1)^2 - 1 \\ &= x^2 + 2x \end{align}$",
        r"Thus $x = \boxed{3}$.",
        r"It follows that $n \equiv 3 \pmod 5$.",
    ]
)
_PROSE = st.text(alphabet="abc xyz.,\n", max_size=60)


@given(_SENTENCES, _PROSE, _PROSE)
def test_an_answer_agrees_with_a_source_that_contains_it(
    sentence: str, before: str, after: str
) -> None:
    check = verify(sentence, {7: f"{before}\n\n{sentence} {after}"}).check
    assert check is not None
    assert check.agreeing == (7,)


@pytest.mark.parametrize(
    "piece", ["=", "$", "{", ",", r"\\", "a=b,", "$x=1$ ", "the sum is ", "1."]
)
def test_repetitive_sources_are_read_within_a_limit(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    with deadlines.limited(deadlines.Deadline(2)):
        verify(text, dict.fromkeys(range(1, 6), text))


def test_a_deadline_stops_the_comparison() -> None:
    source = rf"${BASEL} = \frac{{\pi^2}}{{6}}$. " * 50
    sources = dict.fromkeys(range(1, 6), source)
    with deadlines.limited(deadlines.Deadline(0)), pytest.raises(deadlines.DeadlineExceeded):
        verify(source, sources)
