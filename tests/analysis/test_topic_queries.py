"""Topics as queries: the examples of S4 section 3.1, and nearly empty topics."""

import time

import pytest

from porism.analysis import (
    TermBag,
    TopicQuery,
    keyword_query,
    keyword_vocabulary,
    keywords,
    word_query,
)
from porism.model import Formula, Topic, TopicId
from porism.text import CLASSIC, PLAIN, TERRIER

VOCABULARY = keyword_vocabulary(
    ["modular-arithmetic", "elementary-number-theory", "limits", "trigonometry"],
    [
        ("Remainder of ", Formula("1", r"\frac{a}{b}"), " mod a prime using modulus"),
        ("Is sin or cos continuous? Please help",),
        ("A half-plane is left of the line",),
    ],
)
A_7 = Topic(
    TopicId("A.7"),
    title=("Finding out the remainder of ", Formula("q_1", r"\frac{11^{10}-1}{100}"), " using it"),
    body=(
        "What is the remainder? I know that ",
        Formula("q_2", r"11 \equiv 1 \mod 10"),
        " but ",
        Formula("q_3", "n"),
        " is not ",
        Formula("q_4", "100"),
        " or ",
        Formula("q_2b", r"11 \equiv 1\pmod{10}"),
    ),
    tags=("modular-arithmetic",),
)
EMPTY = Topic(TopicId("A.0"))


def formula(latex: str) -> Formula:
    """A formula of a topic."""
    return Formula("q_1", latex)


def ids(bag: TermBag) -> list[str]:
    """Which formulas are in it."""
    return [each.id for each in bag.formulas]


def test_vocabulary_has_tags_whole_and_split_and_titles_without_formulas() -> None:
    assert {"modular-arithmet", "modular", "arithmet", "limit", "half-plan", "plane"} <= VOCABULARY
    assert {"remaind", "mod", "prime", "modulu", "sin", "co", "continu"} <= VOCABULARY
    assert not VOCABULARY.intersection({"frac", "of", "is", "a", "us"})


def test_the_example_of_s4_keeps_mod_from_the_formula() -> None:
    query = keyword_query(A_7, VOCABULARY)
    assert query.title.words == ("remaind",)
    assert query.body.words == ("remaind", "mod", "mod")
    # The whole tag, which the analyzer splits, and its words.
    assert query.tags.words == ("modular", "arithmet", "modular", "arithmet")
    assert query.words == query.title.words + query.body.words + query.tags.words


def test_formulas_of_the_body_are_more_than_a_symbol_or_a_number() -> None:
    query = keyword_query(A_7, VOCABULARY)
    assert ids(query.title) == ["q_1"]
    assert ids(query.body) == ["q_2", "q_2b"]
    assert [each.id for each in query.formulas] == ["q_1", "q_2", "q_2b"]


@pytest.mark.parametrize("latex", ["", " ", "x", "{x}", r"\alpha", "12", "-3.5", "10{,}000", "$n$"])
def test_a_symbol_or_number_counts_in_the_title_only(latex: str) -> None:
    topic = Topic(TopicId("A.1"), (formula(latex),), (formula(latex),))
    query = keyword_query(topic, VOCABULARY)
    assert (ids(query.title), ids(query.body)) == (["q_1"], [])


@pytest.mark.parametrize(
    "latex", ["x_1", r"\sin x", r"\frac{a}{b}", "-x", r"\mathbb{R}", "2n", "f'"]
)
def test_small_formulas_that_are_kept(latex: str) -> None:
    assert ids(keyword_query(Topic(TopicId("A.1"), body=(formula(latex),)), VOCABULARY).body)


def test_function_names_in_latex_are_keywords() -> None:
    text = (formula(r"\sin(2x)+\cos x"),)
    assert keywords(text, VOCABULARY) == ["sin", "cos"]


def test_layout_commands_are_no_keywords() -> None:
    latex = r"\left( \lim\limits_{n} a_n \begin{limits} \end{limits} \leftarrow"
    assert keywords((formula(latex),), VOCABULARY) == []
    assert keywords(("the left limits",), VOCABULARY) == ["left", "limits"]


@pytest.mark.parametrize("text", ["limits2", "2-limits2", "x", "the and of", "", "unheard"])
def test_stop_words_characters_and_digits_are_no_keywords(text: str) -> None:
    assert keywords((text,), VOCABULARY | {"x", "the", "limits2"}) == []


def test_hyphenated_words_count_whole_and_split() -> None:
    assert keywords(("Half-plane's",), VOCABULARY) == ["half-plane", "half", "plane"]
    assert keywords(("half-open",), VOCABULARY) == ["half"]


def test_every_word_and_every_formula() -> None:
    query = word_query(A_7, PLAIN)
    assert query.title.words == ("find", "out", "the", "remaind", "of", "us", "it")
    assert query.tags == TermBag(("modular", "arithmet"))
    assert ids(query.body) == ["q_2", "q_3", "q_4", "q_2b"]


def test_an_empty_topic_is_an_empty_query() -> None:
    assert word_query(EMPTY, CLASSIC) == keyword_query(EMPTY, VOCABULARY) == TopicQuery()
    assert keyword_vocabulary([], []) == frozenset()


def test_only_stop_words_are_an_empty_query() -> None:
    topic = Topic(TopicId("A.1"), ("How is it?",), ("It is not what it was.",))
    assert word_query(topic, TERRIER) == keyword_query(topic, VOCABULARY) == TopicQuery()


@pytest.mark.parametrize("piece", ["limits ", "a-", r"\begin{", r"\left", "$", "x'"])
def test_a_long_topic_is_analyzed_quickly(piece: str) -> None:
    long = piece * (100_000 // len(piece))
    topic = Topic(TopicId("A.1"), (long,), (long, formula(long)))
    started = time.process_time()
    keyword_query(topic, VOCABULARY)
    word_query(topic, CLASSIC)
    assert time.process_time() - started < 2
