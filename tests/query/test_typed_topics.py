"""Typed queries as topics."""

import pytest

from porism.errors import PorismError
from porism.model import Formula
from porism.query.typed_topics import MAX_FORMULAS, typed_answer_topic, typed_formula_topic


def test_words_and_formulas_are_in_the_title() -> None:
    typed = typed_answer_topic(r"Is $a < b$ & so on?")
    assert typed.topic.title == ("Is ", Formula("", "a < b"), " & so on?")
    assert typed.topic.focus is None
    assert typed.problems == ()


def test_money_is_not_a_formula() -> None:
    assert typed_answer_topic("it costs $5 to play").topic.title == ("it costs $5 to play",)


@pytest.mark.parametrize(
    ("text", "latex", "after"),
    [
        (r"sum $\frac1n", r"\frac1n", ()),
        (r"sum $\frac{1}{n$ of", r"\frac{1}{n", (" of",)),
        (r"sum $$x^{2$$", "x^{2", ()),
    ],
)
def test_a_broken_formula_is_read_up_to_the_next_dollar(
    text: str, latex: str, after: tuple[str, ...]
) -> None:
    typed = typed_answer_topic(text)
    assert typed.topic.title == ("sum ", Formula("", latex), *after)
    assert typed.problems


def test_a_formula_alone_needs_no_dollars() -> None:
    for text in ("x^2", " $x^2$ ", "$$x^2$$"):
        typed = typed_formula_topic(text)
        assert typed.topic.focus == Formula("", "x^2")
        assert typed.topic.title == (Formula("", "x^2"),)


def test_a_formula_may_be_among_words() -> None:
    typed = typed_formula_topic("the sum $x^2$")
    assert typed.topic.focus == Formula("", "x^2")
    assert typed.topic.title == ("the sum ", Formula("", "x^2"))


def test_several_formulas_all_count() -> None:
    assert typed_formula_topic("$x^2$ and $y^2$").topic.focus is None


def test_problems_have_their_place() -> None:
    (problem,) = typed_formula_topic(r"1 + \nosuch").problems
    assert (problem.source, problem.offset) == (r"1 + \nosuch", 4)


def test_an_empty_query_is_refused() -> None:
    for read in (typed_answer_topic, typed_formula_topic):
        with pytest.raises(PorismError, match="the query is empty"):
            read(" \n")


def test_formulas_beyond_the_budget_of_a_query_are_left_out_with_a_message() -> None:
    many = typed_answer_topic(" ".join(f"$x_{{{number}}}$" for number in range(60)))
    assert sum(isinstance(piece, Formula) for piece in many.topic.title) == MAX_FORMULAS
    assert many.problems[-1].message.startswith(
        "the query has too many or too large formulas: 10 of them are not searched for"
    )
    large = typed_formula_topic(" and ".join(f"${'y' * 550}{number}$" for number in range(4)))
    assert sum(isinstance(piece, Formula) for piece in large.topic.title) == 3
    assert large.problems[-1].message.startswith(
        "the query has too many or too large formulas: 1 of them is not searched for"
    )
