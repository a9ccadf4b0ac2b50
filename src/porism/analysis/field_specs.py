"""Field specifications: which parts of a document a field of an index has, and as which tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from porism.analysis.documents import ALL_PARTS, Document, DocumentPart
from porism.analysis.formula_tokens import FormulaTokens
from porism.model import Formula
from porism.text import PLAIN, Analyzer


class Unit(StrEnum):
    """What an index retrieves."""

    ANSWERS = "answers"
    """Answers and notes."""
    QUESTIONS = "questions"
    """Questions, without their answers."""
    FORMULAS = "formulas"
    """Visually distinct formulas."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of an index: the words and formulas of these parts, as these tokens.

    Without an analyzer the field has no words. Each token of a part counts ``part_weights`` times,
    once if the part has no weight there. ``k1`` and ``b`` are the BM25 constants by which the field
    is indexed; fields with the same ``length`` share the length of a document. A visually distinct
    formula has no parts and no words.
    """

    name: str
    parts: frozenset[DocumentPart] = ALL_PARTS
    analyzer: Analyzer | None = None
    formula_tokens: tuple[FormulaTokens, ...] = ()
    part_weights: tuple[tuple[DocumentPart, int], ...] = ()
    k1: float = 1.2
    b: float = 0.75
    length: str = ""
    unit: Unit = Unit.ANSWERS

    def weight(self, part: DocumentPart) -> int:
        """Return how often the tokens of a part count; 0 if the field does not have it."""
        return dict(self.part_weights).get(part, 1) if part in self.parts else 0


# Long documents are threads with much discussion, not padding: so their length counts less than
# the usual b of 0.75 has it, and a repeated term soon says little more.
QUESTION_WORDS = FieldSpec("words", ALL_PARTS, PLAIN, k1=0.9, b=0.4, unit=Unit.QUESTIONS)
QUESTION_TUPLES = FieldSpec(
    *("tuples", ALL_PARTS),
    formula_tokens=(FormulaTokens.L8_FOLDED,),
    k1=0.9,
    b=0.4,
    unit=Unit.QUESTIONS,
)
QUESTION_FORMULAS = FieldSpec(
    *("formulas", frozenset({DocumentPart.TITLE, DocumentPart.QUESTION})),
    formula_tokens=(FormulaTokens.LINEAR,),
    unit=Unit.QUESTIONS,
)
ANSWER_FORMULAS = FieldSpec(
    *("formulas", frozenset({DocumentPart.ANSWER})),
    formula_tokens=(FormulaTokens.LINEAR,),
)

COMMON_FIELDS = (QUESTION_WORDS, QUESTION_TUPLES, QUESTION_FORMULAS, ANSWER_FORMULAS)
"""Fields of every index, by which questions and equal formulas are found whatever the system."""


def document_tokens(
    spec: FieldSpec,
    document: Document,
    tokens_of_formula: Callable[[Formula, FormulaTokens], Sequence[str]],
) -> list[str]:
    """Return all tokens of a field in reading order, those of each formula where it occurs.

    >>> from porism.model import DocId
    >>> from porism.text import CLASSIC
    >>> parts = {DocumentPart.TITLE: ("Sum of the series",), DocumentPart.TAGS: ("sum",)}
    >>> spec = FieldSpec("text", analyzer=CLASSIC)
    >>> document_tokens(spec, Document(DocId("1"), parts), lambda formula, kind: ())
    ['sum', 'seri', 'sum']
    """
    tokens: list[str] = []
    for part, content in document.parts.items():
        for piece in content * spec.weight(part):
            if isinstance(piece, str):
                if spec.analyzer is not None:
                    tokens += spec.analyzer(piece)
            else:
                for kind in spec.formula_tokens:
                    tokens += tokens_of_formula(piece, kind)
    return tokens
