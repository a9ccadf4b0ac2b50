"""Similar titles."""

from hypothesis import given
from hypothesis import strategies as st

from porism.lab.topics.similar_titles import TitleSet
from porism.model import Content, Formula


def similar(first: Content, second: Content) -> bool:
    titles = TitleSet()
    titles.add(first)
    return titles.has_similar(second)


def test_case_order_and_punctuation_are_ignored() -> None:
    assert similar(("Is every group abelian?",), ("is EVERY abelian group",))


def test_four_of_five_words_are_similar_and_three_are_not() -> None:
    assert similar(("one two three four five",), ("one two three four",))
    assert not similar(("one two three four five",), ("one two three",))


def test_titles_with_other_formulas_are_not_similar() -> None:
    one: Content = ("Evaluate ", Formula("1", r"\int_0^1 x\,dx"))
    assert similar(one, ("evaluate ", Formula("2", r"\int_0^1  x\,dx")))
    assert not similar(one, ("Evaluate ", Formula("2", r"\int_0^1 y\,dy")))


def test_titles_without_words_are_similar_to_nothing() -> None:
    assert not similar((), ())
    assert not similar(("?",), ("!",))


@given(st.text())
def test_a_title_with_words_is_similar_to_itself(title: str) -> None:
    assert similar((title, " word"), (title, " word"))
