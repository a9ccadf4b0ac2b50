"""What a field of an index holds: which parts of a document, and how words and formulas become
tokens there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from porism.analysis.documents import ALL_PARTS, Document, DocumentPart
from porism.analysis.formula_tokens import FormulaTokens
from porism.model import Formula
from porism.text import Analyzer


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """The words of these parts by this chain, and the formulas of these parts in these notations.

    Without chain there are no words. A part that is named in ``repeated`` counts as if it stood
    in the document so many times, which is how a part is weighed within a field. ``k1`` and ``b``
    are the constants of BM25 by which the field is indexed; fields that name the same ``length``
    share the length of a document.
    """

    name: str
    parts: frozenset[DocumentPart] = ALL_PARTS
    analyzer: Analyzer | None = None
    notations: tuple[FormulaTokens, ...] = ()
    repeated: tuple[tuple[DocumentPart, int], ...] = ()
    k1: float = 1.2
    b: float = 0.75
    length: str = ""

    def times(self, part: DocumentPart) -> int:
        """How often a part counts; 0 if the field does not have it."""
        return dict(self.repeated).get(part, 1) if part in self.parts else 0


def document_tokens(
    recipe: FieldSpec,
    document: Document,
    tokens_of_formula: Callable[[Formula, FormulaTokens], Sequence[str]],
) -> list[str]:
    """All tokens of a field in the order of reading, each formula where it stands.

    >>> from porism.model import DocId
    >>> from porism.text import CLASSIC
    >>> document = Document(DocId("1"), {DocumentPart.TITLE: ("Sum of the series",), DocumentPart.TAGS: ("sum",)})
    >>> document_tokens(FieldSpec("text", chain=CLASSIC), document, lambda formula, notation: ())
    ['sum', 'seri', 'sum']
    """
    tokens: list[str] = []
    for part, content in document.parts.items():
        for piece in content * recipe.times(part):
            if isinstance(piece, str):
                if recipe.analyzer is not None:
                    tokens += recipe.analyzer(piece)
            else:
                for notation in recipe.notations:
                    tokens += tokens_of_formula(piece, notation)
    return tokens
