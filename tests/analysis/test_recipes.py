"""Fields: the words and formulas of the parts that a recipe names."""

from collections import Counter

import pytest

from porism.analysis import (
    EVERY_PART,
    Document,
    Notation,
    Part,
    Recipe,
    document_tokens,
    formulas_of,
    words_of,
)
from porism.model import DocId, Formula
from porism.text import CLASSIC, PLAIN, Chain

X, Y = Formula("1", "x"), Formula("2", "y")
DOCUMENT = Document(
    DocId("9"),
    {
        Part.TITLE: ("Zeros of ", X, "'s square"),
        Part.TAGS: ("real-analysis", "roots"),
        Part.ANSWER: ("There are two: ", X, " and ", Y),
    },
)


def marked(formula: Formula, notation: Notation) -> list[str]:
    """A token that tells the formula and the notation."""
    return [f"{notation}:{formula.latex}"]


def test_every_part_is_the_default() -> None:
    assert Recipe("all").parts == EVERY_PART == set(Part)


def test_words_in_the_order_of_reading() -> None:
    assert words_of(Recipe("text", chain=CLASSIC), DOCUMENT) == [
        *("zero", "squar"),
        *("real", "analysi", "root"),
        "two",
    ]


def test_words_of_some_parts() -> None:
    recipe = Recipe("title", frozenset({Part.TITLE, Part.DUPLICATE_TITLES}), PLAIN)
    assert words_of(recipe, DOCUMENT) == ["zero", "of", "s", "squar"]


def test_formulas_of_some_parts() -> None:
    both = (Notation.L8,)
    assert list(formulas_of(Recipe("all", notations=both), DOCUMENT)) == [X, X, Y]
    answer = Recipe("answer", frozenset({Part.ANSWER}), notations=both)
    assert list(formulas_of(answer, DOCUMENT)) == [X, Y]


def test_a_field_without_chain_has_no_words_and_without_notations_no_formulas() -> None:
    assert words_of(Recipe("math", notations=(Notation.L8,)), DOCUMENT) == []
    assert list(formulas_of(Recipe("text", chain=CLASSIC), DOCUMENT)) == []
    assert document_tokens(Recipe("none"), DOCUMENT, marked) == []


def test_formulas_stand_among_the_words_once_for_each_notation() -> None:
    recipe = Recipe(
        "answer", frozenset({Part.ANSWER}), PLAIN, (Notation.VISUAL, Notation.LATEX_WORDS)
    )
    assert document_tokens(recipe, DOCUMENT, marked) == [
        *("there", "ar", "two"),
        *("visual:x", "latex-words:x"),
        "and",
        *("visual:y", "latex-words:y"),
    ]


@pytest.mark.parametrize("chain", [None, CLASSIC, PLAIN])
def test_both_ways_give_the_same_bag(chain: Chain | None) -> None:
    recipe = Recipe("all", chain=chain, notations=(Notation.L8, Notation.VISUAL))
    apart = words_of(recipe, DOCUMENT) + [
        token
        for formula in formulas_of(recipe, DOCUMENT)
        for notation in recipe.notations
        for token in marked(formula, notation)
    ]
    assert Counter(document_tokens(recipe, DOCUMENT, marked)) == Counter(apart)


def test_an_empty_document_has_no_tokens() -> None:
    recipe = Recipe("all", chain=CLASSIC, notations=(Notation.L8,))
    empty = Document(DocId("1"), {})
    assert words_of(recipe, empty) == []
    assert document_tokens(recipe, empty, marked) == []
