"""Whatever people type is read without an error, and no character is lost."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.query.formula_texts import formula_interpretation
from porism.query.interpretation import FormulaSyntax, PartKind, interpret

FRAGMENTS = r"""
    x y a I n pi alpha 2 10 1/2 + - = < <= -> := ^ _ ^2 _n ^( ( ) [ ] { } | || , ; : ! ' ? / * ** $
    $$ \ \\ \( \) \[ \] \frac \frac{ \int \sum_ \begin{cases} \end{cases} \left( \right) \text{a}
    sqrt sqrt( sin sin^2 lim_ sum_( int_0^1 dx xdx f(x) |x| ∫ ∑ √ ² ₙ ½ ≤ ℝ 𝑥 x̄ π ε ∀ ⟨ ⌊ ‖ … ... ″
    integral sum limit of from to as square root squared mod in over choose times the group of is
    -word "a "b c" “ ” [tag] user:me score:3 id:1 http://a.b/q/1 ` é group שלום \u202e \x00 \ue000
    1.5 .5 e.g. 3x3 C* oo infinity ?x & % ~ # @ \, \; \not \{ \} ° × a/b n! y'' 24/7
""".split()

texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from([*FRAGMENTS, " ", " ", " ", "\n"]), max_size=60).map("".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(" ".join),
)


@given(texts)
@example("$x")
@example('"')
@example("\x00\ud800")
@example("sin " * 99 + "x^" * 99)
def test_the_sources_of_the_parts_are_the_text(text: str) -> None:
    for read in (interpret, formula_interpretation):
        assert read(text).text == text


@given(texts)
def test_adjacent_parts_are_not_both_words(text: str) -> None:
    kinds = [part.kind for part in interpret(text).parts]
    assert (PartKind.WORDS, PartKind.WORDS) not in pairwise(kinds)
    assert all(part.source for part in interpret(text).parts)


@given(texts)
def test_each_formula_can_be_parsed(text: str) -> None:
    for part in interpret(text).formulas:
        try:
            parse_latex(part.value)
        except LatexError:  # what is typed as a formula stays one, and its problem is reported
            assert part.syntax is FormulaSyntax.DELIMITED


@given(texts)
def test_literal_parts_are_words(text: str) -> None:
    sources = {part.source for part in interpret(text).formulas}
    assert interpret(text, sources).formulas == ()
    assert interpret(text, sources).text == text


@given(texts)
def test_reading_again_gives_the_same(text: str) -> None:
    assert interpret(text) == interpret(interpret(text).text)
