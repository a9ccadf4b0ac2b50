"""Fields: the words and formulas of the parts that a recipe names."""

from porism.analysis import (
    EVERY_PART,
    Document,
    Notation,
    Part,
    Recipe,
    document_tokens,
)
from porism.model import DocId, Formula
from porism.text import CLASSIC, PLAIN

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
    assert document_tokens(Recipe("text", chain=CLASSIC), DOCUMENT, marked) == [
        *("zero", "squar"),
        *("real", "analysi", "root"),
        "two",
    ]


def test_words_of_some_parts() -> None:
    recipe = Recipe("title", frozenset({Part.TITLE, Part.DUPLICATE_TITLES}), PLAIN)
    assert document_tokens(recipe, DOCUMENT, marked) == ["zero", "of", "s", "squar"]


def test_formulas_of_some_parts() -> None:
    l8 = (Notation.L8,)
    everywhere = Recipe("all", notations=l8)
    assert document_tokens(everywhere, DOCUMENT, marked) == ["l8:x", "l8:x", "l8:y"]
    answer = Recipe("answer", frozenset({Part.ANSWER}), notations=l8)
    assert document_tokens(answer, DOCUMENT, marked) == ["l8:x", "l8:y"]


def test_a_field_without_chain_and_notations_is_empty() -> None:
    assert document_tokens(Recipe("none"), DOCUMENT, marked) == []


def test_a_repeated_part_counts_so_many_times() -> None:
    parts = frozenset({Part.TITLE, Part.TAGS})
    recipe = Recipe("twice", parts, CLASSIC, (Notation.L8,), repeated=((Part.TITLE, 2),))
    title = ["zero", "l8:x", "squar"]
    assert document_tokens(recipe, DOCUMENT, marked) == [*title, *title, "real", "analysi", "root"]


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


def test_an_empty_document_has_no_tokens() -> None:
    recipe = Recipe("all", chain=CLASSIC, notations=(Notation.L8,))
    empty = Document(DocId("1"), {})
    assert document_tokens(recipe, empty, marked) == []
