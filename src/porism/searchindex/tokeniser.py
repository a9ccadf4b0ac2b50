"""Documents as keys of tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from porism.analysis import (
    Document,
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    unparsed_formula_tokens,
    visual_token,
)
from porism.collection.store import Collection
from porism.inverted import keys
from porism.inverted.keys import KeyCache
from porism.model import Content, Formula
from porism.searchindex.formula_table import (
    FormulaTable,
    Keys,
    stored_features,
    stored_tokens,
)
from porism.structure.packed_features import PackedFeatures
from porism.text import Analyzer


class FormulaDocument(NamedTuple):
    """A visually distinct formula as it is indexed: its visual id, number and labels."""

    id: str
    formula: int
    labels: tuple[str, ...]


IndexedItem = Document | FormulaDocument
"""What is indexed, by unit: answers and notes, or visually distinct formulas."""


def _formulas(document: Document) -> dict[int, Formula]:
    """Return the formulas of a document by their numbers."""
    pieces = (piece for content in document.parts.values() for piece in content)
    formulas = (piece for piece in pieces if isinstance(piece, Formula))
    return {each.number: each for each in formulas if each.number is not None}


_NONE = np.empty(0, np.uint64)


@dataclass
class DocumentTokeniser:
    """Tokens as keys; what the answers to a question share is tokenised once.

    ``words`` has the keys of words and labels met before, and collects those met first, for the
    dictionary of an index. Tokens of formulas are not in it: a formula is read as its LaTeX, and
    their strings would be half of the index.
    """

    collection: Collection
    table: FormulaTable
    words: KeyCache
    _shared: dict[tuple[DocumentPart, Analyzer | FormulaTokens], list[Keys]] = field(
        default_factory=dict
    )
    _places: dict[int, int] = field(default_factory=dict)
    _last: tuple[IndexedItem, dict[int, Formula]] | None = None

    def begin_thread(self) -> None:
        """Forget what the documents of the last thread shared."""
        self._shared.clear()
        self._places.clear()

    def field_keys(self, spec: FieldSpec, item: IndexedItem) -> list[Keys]:
        """Return the keys of an item's tokens for one field, unordered, in several arrays."""
        if isinstance(item, FormulaDocument):
            of_kinds = (self.formula_keys(item.formula, kind) for kind in spec.formula_tokens)
            return [each for each in of_kinds if each is not None]
        kinds = (*((spec.analyzer,) if spec.analyzer else ()), *spec.formula_tokens)
        return [
            of_piece
            for part, content in item.parts.items()
            if (weight := spec.weight(part))
            for kind in kinds
            for of_piece in self._part(part, content, kind) * weight
        ]

    def formulas(self, item: IndexedItem) -> dict[int, Formula]:
        """Return the formulas of a document by their numbers."""
        if self._last is None or self._last[0] is not item:
            self._last = item, _formulas(item) if isinstance(item, Document) else {}
        return self._last[1]

    def _part(
        self, part: DocumentPart, content: Content, kind: Analyzer | FormulaTokens
    ) -> list[Keys]:
        if part in _OF_ANSWER:
            return self._tokenised(content, kind)
        if (part, kind) not in self._shared:
            self._shared[part, kind] = self._tokenised(content, kind)
        return self._shared[part, kind]

    def _tokenised(self, content: Content, kind: Analyzer | FormulaTokens) -> list[Keys]:
        if isinstance(kind, FormulaTokens):
            formulas = (piece for piece in content if isinstance(piece, Formula))
            return [self.keys_of(formula, kind) for formula in formulas]
        text = "\n".join(piece for piece in content if isinstance(piece, str))
        return [self.words.keys_of(kind(text))]

    def keys_of(self, formula: Formula, kind: FormulaTokens) -> Keys:
        """Return the keys of the tokens of a formula in a document."""
        if kind is FormulaTokens.VISUAL and not formula.visual_id:
            return _NONE
        if kind is FormulaTokens.VISUAL:
            return keys((visual_token(formula.visual_id),))
        known = None if formula.number is None else self.formula_keys(formula.number, kind)
        if known is None:
            # Titles of questions that are only linked have formulas that ingest did not parse.
            return keys(unparsed_formula_tokens(kind, formula.latex, formula.macros))
        return known

    def distinct_keys(self, formula: Formula, kind: FormulaTokens) -> list[int]:
        """Return the keys of the distinct tokens of a formula, ascending."""
        return sorted(set(self.keys_of(formula, kind).tolist()))

    def place(self, number: int) -> int:
        """Return the place of a formula in the table; -1 if it is not there."""
        place = self._places.get(number)
        if place is None:
            place = self._places[number] = self.table.place(number)
        return place

    def formula_keys(self, number: int, kind: FormulaTokens) -> Keys | None:
        """Return the keys of a formula of the collection; None if no formula has that number."""
        place = self.place(number)
        if place >= 0:
            return self.table.tokens(place, kind)
        tokens = stored_tokens(self.collection, number, kind)
        return None if tokens is None else keys(tokens)

    def formula_features(self, number: int, kind: PackedFeatures) -> Keys:
        """Return the packed features of a formula; none if it could not be analyzed."""
        place = self.place(number)
        if place >= 0:
            return self.table.tokens(place, kind)
        return np.array(stored_features(self.collection, number, kind) or (), np.uint64)


_OF_ANSWER = frozenset({DocumentPart.ANSWER, DocumentPart.ANSWER_COMMENTS})
