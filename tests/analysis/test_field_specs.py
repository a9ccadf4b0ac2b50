"""Fields: the words and formulas of the parts that a specification names."""

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


def marked(formula: Formula, kind: FormulaTokens) -> list[str]:
    """A token with the formula and the kind."""
    return [f"{kind}:{formula.latex}"]


def test_every_part_is_the_default() -> None:
    assert FieldSpec("all").parts == ALL_PARTS == set(DocumentPart)


def test_words_are_in_reading_order() -> None:
    assert document_tokens(FieldSpec("text", analyzer=CLASSIC), DOCUMENT, marked) == [
        *("zero", "squar"),
        *("real", "analysi", "root"),
        "two",
    ]


def test_words_of_some_parts() -> None:
    spec = FieldSpec("title", frozenset({DocumentPart.TITLE, DocumentPart.DUPLICATE_TITLES}), PLAIN)
    assert document_tokens(spec, DOCUMENT, marked) == ["zero", "of", "s", "squar"]


def test_formulas_of_some_parts() -> None:
    l8 = (FormulaTokens.L8,)
    everywhere = FieldSpec("all", formula_tokens=l8)
    assert document_tokens(everywhere, DOCUMENT, marked) == ["l8:x", "l8:x", "l8:y"]
    answer = FieldSpec("answer", frozenset({DocumentPart.ANSWER}), formula_tokens=l8)
    assert document_tokens(answer, DOCUMENT, marked) == ["l8:x", "l8:y"]


def test_a_field_without_analyzer_and_formula_tokens_is_empty() -> None:
    assert document_tokens(FieldSpec("none"), DOCUMENT, marked) == []


def test_tokens_of_a_part_count_by_its_weight() -> None:
    parts = frozenset({DocumentPart.TITLE, DocumentPart.TAGS})
    spec = FieldSpec(
        "twice", parts, CLASSIC, (FormulaTokens.L8,), part_weights=((DocumentPart.TITLE, 2),)
    )
    title = ["zero", "l8:x", "squar"]
    assert document_tokens(spec, DOCUMENT, marked) == [*title, *title, "real", "analysi", "root"]


def test_formulas_are_among_the_words_once_for_each_kind() -> None:
    spec = FieldSpec(
        "answer",
        frozenset({DocumentPart.ANSWER}),
        PLAIN,
        (FormulaTokens.VISUAL, FormulaTokens.LATEX_WORDS),
    )
    assert document_tokens(spec, DOCUMENT, marked) == [
        *("there", "ar", "two"),
        *("visual:x", "latex-words:x"),
        "and",
        *("visual:y", "latex-words:y"),
    ]


def test_an_empty_document_has_no_tokens() -> None:
    spec = FieldSpec("all", analyzer=CLASSIC, formula_tokens=(FormulaTokens.L8,))
    empty = Document(DocId("1"), {})
    assert document_tokens(spec, empty, marked) == []
