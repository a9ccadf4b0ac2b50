"""Fields: the words and formulas of the parts that a recipe names."""

from porism.analysis import (
    ALL_PARTS,
    Document,
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    document_tokens,
)
from porism.model import DocId, Formula
from porism.text import CLASSIC, PLAIN

X, Y = Formula("1", "x"), Formula("2", "y")
DOCUMENT = Document(
    DocId("9"),
    {
        DocumentPart.TITLE: ("Zeros of ", X, "'s square"),
        DocumentPart.TAGS: ("real-analysis", "roots"),
        DocumentPart.ANSWER: ("There are two: ", X, " and ", Y),
    },
)


def marked(formula: Formula, notation: FormulaTokens) -> list[str]:
    """A token that tells the formula and the notation."""
    return [f"{notation}:{formula.latex}"]


def test_every_part_is_the_default() -> None:
    assert FieldSpec("all").parts == ALL_PARTS == set(DocumentPart)


def test_words_in_the_order_of_reading() -> None:
    assert document_tokens(FieldSpec("text", analyzer=CLASSIC), DOCUMENT, marked) == [
        *("zero", "squar"),
        *("real", "analysi", "root"),
        "two",
    ]


def test_words_of_some_parts() -> None:
    recipe = FieldSpec(
        "title", frozenset({DocumentPart.TITLE, DocumentPart.DUPLICATE_TITLES}), PLAIN
    )
    assert document_tokens(recipe, DOCUMENT, marked) == ["zero", "of", "s", "squar"]


def test_formulas_of_some_parts() -> None:
    l8 = (FormulaTokens.L8,)
    everywhere = FieldSpec("all", formula_tokens=l8)
    assert document_tokens(everywhere, DOCUMENT, marked) == ["l8:x", "l8:x", "l8:y"]
    answer = FieldSpec("answer", frozenset({DocumentPart.ANSWER}), formula_tokens=l8)
    assert document_tokens(answer, DOCUMENT, marked) == ["l8:x", "l8:y"]


def test_a_field_without_chain_and_notations_is_empty() -> None:
    assert document_tokens(FieldSpec("none"), DOCUMENT, marked) == []


def test_a_repeated_part_counts_so_many_times() -> None:
    parts = frozenset({DocumentPart.TITLE, DocumentPart.TAGS})
    recipe = FieldSpec(
        "twice", parts, CLASSIC, (FormulaTokens.L8,), part_weights=((DocumentPart.TITLE, 2),)
    )
    title = ["zero", "l8:x", "squar"]
    assert document_tokens(recipe, DOCUMENT, marked) == [*title, *title, "real", "analysi", "root"]


def test_formulas_stand_among_the_words_once_for_each_notation() -> None:
    recipe = FieldSpec(
        "answer",
        frozenset({DocumentPart.ANSWER}),
        PLAIN,
        (FormulaTokens.VISUAL, FormulaTokens.LATEX_WORDS),
    )
    assert document_tokens(recipe, DOCUMENT, marked) == [
        *("there", "ar", "two"),
        *("visual:x", "latex-words:x"),
        "and",
        *("visual:y", "latex-words:y"),
    ]


def test_an_empty_document_has_no_tokens() -> None:
    recipe = FieldSpec("all", analyzer=CLASSIC, formula_tokens=(FormulaTokens.L8,))
    empty = Document(DocId("1"), {})
    assert document_tokens(recipe, empty, marked) == []
