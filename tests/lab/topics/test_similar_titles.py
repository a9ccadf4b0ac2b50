"""Near-equal titles."""

from hypothesis import given
from hypothesis import strategies as st

from porism.lab.topics.similar_titles import TitleSet
from porism.model import Content, Formula


def near(first: Content, second: Content) -> bool:
    titles = TitleSet()
    titles.add(first)
    return titles.has_similar(second)


def test_words_count_without_case_order_and_signs() -> None:
    assert near(("Is every group abelian?",), ("is EVERY abelian group",))


def test_four_of_five_words_are_near_and_three_are_not() -> None:
    assert near(("one two three four five",), ("one two three four",))
    assert not near(("one two three four five",), ("one two three",))


def test_another_formula_is_another_question() -> None:
    one: Content = ("Evaluate ", Formula("1", r"\int_0^1 x\,dx"))
    assert near(one, ("evaluate ", Formula("2", r"\int_0^1  x\,dx")))
    assert not near(one, ("Evaluate ", Formula("2", r"\int_0^1 y\,dy")))


def test_titles_without_words_are_near_to_nothing() -> None:
    assert not near((), ())
    assert not near(("?",), ("!",))


@given(st.text())
def test_a_title_with_words_is_near_to_itself(title: str) -> None:
    assert near((title, " word"), (title, " word"))
