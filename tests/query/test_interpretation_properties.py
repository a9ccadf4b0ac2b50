"""Whatever people type is read without an error, and no character is lost."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.model import Formula
from porism.query.formula_texts import formula_interpretation
from porism.query.interpretation import FormulaSyntax, PartKind, interpret
from porism.query.typed_topics import MAX_FORMULAS, typed_answer_topic

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


LONG = {
    "prose": "why does this series of functions converge uniformly on compact sets? ",
    "formulas": "x^2 + y^2 = (a+b)/c and \\frac{1}{n} ",
    "half a formula": "\\frac{1}{ \\left( \\int_0^ x_{",
    "open brackets": "([{",
    "closing brackets": ")]}",
    "powers": "x^",
    "dollars": "$x ",
    "Hebrew": "האם הטור מתכנס ל x² או לא? ",
    "Arabic": "هل تتقارب المتسلسلة ∑ 1/n² ؟ ",
    "Chinese": "证明 x²+y²=1 的积分 ",
    "mixed scripts": "интеграл ∫ x² dx ολοκλήρωμα שלום 証明 sin(x)/x \u202e\u200f",
    "quotation marks": '"a b" -c [d] ',
    "dashes": "- -- — ",
    "letters": "abcdefgh",
    "combining marks": "x\u0304\u0302",
    "surrogates": "\ud800\udfff",
}


@pytest.mark.parametrize("name", LONG)
def test_ten_thousand_characters_of_anything_are_read(name: str) -> None:
    text = (LONG[name] * 10_000)[:10_000]
    for read in (interpret, formula_interpretation):
        assert read(text).text == text
    typed = typed_answer_topic(text)
    assert typed.interpretation.text == text
    formulas = [piece for piece in typed.topic.title if isinstance(piece, Formula)]
    assert len(formulas) <= MAX_FORMULAS
    if len(formulas) < len(typed.interpretation.formulas):  # what is left out is reported
        assert typed.problems


@given(texts.filter(str.strip))
def test_a_topic_has_every_letter_of_the_words_and_every_formula(text: str) -> None:
    typed = typed_answer_topic(text)
    pieces = [piece.latex for piece in typed.topic.title if isinstance(piece, Formula)]
    assert pieces == [part.value for part in typed.interpretation.formulas] or typed.problems
    words = "".join(piece for piece in typed.topic.title if isinstance(piece, str))
    for part in typed.interpretation.parts:
        if part.kind is PartKind.WORDS:
            assert all(word in words for word in part.source.split())
