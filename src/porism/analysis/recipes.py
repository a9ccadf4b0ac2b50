"""What a field of an index holds: which parts of a document, and how words and formulas become
tokens there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from porism.analysis.documents import EVERY_PART, Document, Part
from porism.analysis.notations import Notation
from porism.model import Formula
from porism.text import Chain


@dataclass(frozen=True, slots=True)
class Recipe:
    """The words of these parts by this chain, and the formulas of these parts in these notations.

    Without chain there are no words. A part that is named in ``repeated`` counts as if it stood
    in the document so many times, which is how a part is weighed within a field. ``k1`` and ``b``
    are the constants of BM25 by which the field is indexed; fields that name the same ``length``
    share the length of a document.
    """

    name: str
    parts: frozenset[Part] = EVERY_PART
    chain: Chain | None = None
    notations: tuple[Notation, ...] = ()
    repeated: tuple[tuple[Part, int], ...] = ()
    k1: float = 1.2
    b: float = 0.75
    length: str = ""

    def times(self, part: Part) -> int:
        """How often a part counts; 0 if the field does not have it."""
        return dict(self.repeated).get(part, 1) if part in self.parts else 0


def document_tokens(
    recipe: Recipe,
    document: Document,
    tokens_of_formula: Callable[[Formula, Notation], Sequence[str]],
) -> list[str]:
    """All tokens of a field in the order of reading, each formula where it stands.

    >>> from porism.model import DocId
    >>> from porism.text import CLASSIC
    >>> document = Document(DocId("1"), {Part.TITLE: ("Sum of the series",), Part.TAGS: ("sum",)})
    >>> document_tokens(Recipe("text", chain=CLASSIC), document, lambda formula, notation: ())
    ['sum', 'seri', 'sum']
    """
    tokens: list[str] = []
    for part, content in document.parts.items():
        for piece in content * recipe.times(part):
            if isinstance(piece, str):
                if recipe.chain is not None:
                    tokens += recipe.chain(piece)
            else:
                for notation in recipe.notations:
                    tokens += tokens_of_formula(piece, notation)
    return tokens
