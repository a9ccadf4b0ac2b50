"""The passage of a post that matches a question best."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.answer.extracts.passages import (
    Match,
    PassageChooser,
    QueryFeatures,
    without_remarks,
    word_rarity,
)
from porism.answer.extracts.sentences import ELLIPSIS, joined_text, sentences
from porism.formats.answer_text import math_pieces
from porism.model import Content, Formula
from porism.query.typed_topics import typed_answer_topic
from porism.rank.similarity import FormulaSimilarity
from porism.searchindex.index_folder import open_index


@pytest.fixture(scope="module")
def chooser(sample_index: Path) -> Iterator[PassageChooser]:
    with open_index(sample_index) as search_index:
        yield PassageChooser(search_index, FormulaSimilarity(search_index))


@pytest.fixture(scope="module")
def features(chooser: PassageChooser) -> QueryFeatures:
    return chooser.features(typed_answer_topic("harmonic series diverge").topic)


LONG: Content = (
    "First let me tell a story about my cat. It sleeps all day. "
    "The harmonic series does diverge, since its partial sums are unbounded. "
    "Anyway, the cat is grey. It eats at noon.",
)


def test_the_best_run_of_a_long_post_is_chosen_and_what_is_left_out_is_marked(
    chooser: PassageChooser, features: QueryFeatures
) -> None:
    passage = chooser.passage(LONG, features, 80)
    assert passage.text == (
        f"{ELLIPSIS} The harmonic series does diverge, since its partial sums are unbounded. "
        f"{ELLIPSIS}"
    )
    assert passage.score == pytest.approx(1.0)


def test_neighbours_of_the_best_sentence_are_kept_while_they_fit(
    chooser: PassageChooser, features: QueryFeatures
) -> None:
    passage = chooser.passage(LONG, features, 160)
    assert passage.text.startswith(f"{ELLIPSIS} It sleeps all day. The harmonic")
    assert passage.text.endswith("Anyway, the cat is grey. It eats at noon.")


def test_equal_passages_are_the_beginning_or_the_end_of_a_post(
    chooser: PassageChooser, features: QueryFeatures
) -> None:
    content: Content = ("The cat eats. The dog eats. The cow eats. The hen eats.",)
    assert chooser.passage(content, features, 30).text == f"The cat eats. {ELLIPSIS}"


def test_a_post_that_fits_is_its_own_passage(
    chooser: PassageChooser, features: QueryFeatures
) -> None:
    passage = chooser.passage(LONG, features, 1_200)
    assert passage.text == LONG[0]


def test_a_long_sentence_is_cut(chooser: PassageChooser, features: QueryFeatures) -> None:
    content: Content = ("The harmonic series diverges and so on without any full stop at all",)
    assert (
        chooser.passage(content, features, 35).text
        == f"The harmonic series diverges and {ELLIPSIS}"
    )


def test_a_long_formula_leaves_no_passage(chooser: PassageChooser, features: QueryFeatures) -> None:
    assert chooser.passage((Formula("", "x" * 100),), features, 50).text == ""


def test_an_empty_post_has_no_passage(chooser: PassageChooser, features: QueryFeatures) -> None:
    assert chooser.passage((), features, 50) == ("", 0.0)
    assert chooser.match((), features) == Match(0.0, 0.0)


@pytest.mark.parametrize(
    "remark",
    [
        "Hope this helps!",
        "I hope that it helps you a bit.",
        "Thanks for the question.",
        "Thank you!",
        "This is too long for a comment.",
        "Good luck!",
        "Cheers,",
    ],
)
def test_remarks_about_the_post_itself_are_left_out(remark: str) -> None:
    assert joined_text(without_remarks(sentences((f"It diverges. {remark}",)))) == "It diverges."
    assert joined_text(without_remarks(sentences((f"{remark}\n\nIt diverges.",)))) == "It diverges."
    assert joined_text(without_remarks(sentences((remark,)))) == remark


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Cauchy we know that a Cauchy sequence of real numbers has a limit in the reals.",
        "This helps us to bound the sum.",
        "Luck has nothing to do with it.",
    ],
)
def test_sentences_of_mathematics_are_no_remarks(text: str) -> None:
    assert joined_text(without_remarks(sentences((f"{text} Then.",)))) == f"{text} Then."


def test_a_remark_with_a_formula_is_kept() -> None:
    content: Content = ("Thanks, then ", Formula("", "x = 1"), ". So it is.")
    assert joined_text(without_remarks(sentences(content))) == "Thanks, then $x = 1$. So it is."


def test_formulas_are_compared_by_their_structure(chooser: PassageChooser) -> None:
    collection = chooser.search_index.collection
    latex = r"\sum_{n=1}^{\infty} \frac{1}{n^2}"
    stored = next(
        piece
        for post in collection.posts()
        for piece in post.body
        if isinstance(piece, Formula) and piece.latex == latex
    )
    asked = chooser.features(typed_answer_topic(r"$\sum_{k=1}^\infty \frac1{k^2}$").topic)
    same = chooser.match(("It is ", stored, "."), asked)
    assert same.formulas > 0.5
    assert 0.2 < same.share < same.formulas
    assert chooser.match(("It is nothing.",), asked) == Match(0.0, 0.0)
    long: Content = ("Some words. " * 30, stored, " is it. ", "More words. " * 30)
    assert "\\sum" in chooser.passage(long, asked, 100).text


def test_rare_words_count_more(chooser: PassageChooser) -> None:
    rarity = word_rarity(chooser.search_index.answers, ("seri", "harmon", "qwertz"))
    assert 0 < rarity["seri"] < rarity["harmon"] < rarity["qwertz"] == 1
    assert word_rarity(chooser.search_index.answers, ()) == {}


def test_a_topic_without_words_matches_nothing(chooser: PassageChooser) -> None:
    nothing = chooser.features(typed_answer_topic("the of").topic)
    passage = chooser.passage(LONG, nothing, 60)
    assert passage.score == 0.0
    assert passage.text
    assert chooser.match(LONG, nothing) == Match(0.0, 0.0)


CONTENT = st.lists(
    st.one_of(
        st.sampled_from(["We see. ", "Series diverge ", "\n\n", "harmonic. ", "Hope it helps! "]),
        st.text(st.sampled_from("ab .A\n\\$"), max_size=30),
        st.sampled_from(["x", r"\frac12", r"\text{$a$}", "a\\"]).map(lambda tex: Formula("", tex)),
    ),
    max_size=12,
).map(tuple)


@given(CONTENT, st.integers(1, 150))
def test_a_passage_is_within_its_limit_and_its_formulas_are_whole(
    chooser: PassageChooser, features: QueryFeatures, content: Content, limit: int
) -> None:
    passage = chooser.passage(content, features, limit)
    assert len(passage.text) <= limit
    assert 0.0 <= passage.score <= 1.0 + 1e-9
    every = joined_text(without_remarks(sentences(content)))
    whole = [piece.text for piece in math_pieces(every) if piece.is_math]
    inside = [piece.text for piece in math_pieces(passage.text) if piece.is_math]
    places = range(len(whole) - len(inside) + 1)
    assert any(whole[place : place + len(inside)] == inside for place in places)
    if len(every) <= limit:
        assert passage.text == every
