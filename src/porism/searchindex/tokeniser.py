"""Threads of a collection as batches of tokens, by processes that read the collection themselves.

What goes from process to process is a list of ids one way and arrays of keys the other.
"""

from __future__ import annotations

import logging
from collections.abc import Collection as Collected
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from porism.analysis import (
    Document,
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    query_tokens,
    visual_token,
)
from porism.collection.store import Collection, CollectionError, open_collection
from porism.errors import PorismError, error_summary
from porism.index import DocumentBatch, FieldTokens, key
from porism.model import Content, Formula
from porism.searchindex.formula_table import FormulaTable, Keys, open_formula_table, stored_tokens
from porism.searchindex.forward_store import NumberRows, rows_of
from porism.searchindex.index_folder import LABELS, IndexPlan
from porism.searchindex.thread_documents import thread_documents
from porism.text import Analyzer

log = logging.getLogger(__name__)

KNOWN_WORDS = 1_000_000
"""Keys of words that a process keeps, some 100 MB; beyond it begins anew."""


class ThreadChunk(NamedTuple):
    """Questions, or documents of their own, whose threads are to become tokens."""

    collection: Path
    table: Path
    plan: IndexPlan
    ids: list[str]


class ThreadBatch(NamedTuple):
    """Documents as tokens, and what re-ranking will ask of them.

    ``formulas`` has the numbers of each document's formulas, ``unlisted`` the distinct tokens of
    those that the table does not have. ``failed`` are the ids of documents that are left out,
    because an error in Porism kept them from becoming tokens.
    """

    batch: DocumentBatch
    formulas: NumberRows
    unlisted: dict[int, dict[FormulaTokens, list[int]]]
    failed: list[str]


def thread_batch(chunk: ThreadChunk) -> ThreadBatch:
    """The documents of the threads: one for each answer, and one for each note."""
    collection = _opened(chunk.collection, chunk.table)
    recipes = chunk.plan.answers
    table = open_formula_table(chunk.table, chunk.plan.notations)
    tokeniser = DocumentTokeniser(collection, table, _known_words(chunk.table))
    doc_ids: list[str] = []
    flat: dict[str, list[Keys]] = {recipe.name: [] for recipe in recipes}
    lengths: dict[str, list[int]] = {name: [0] for name in (*flat, LABELS)}
    labels: list[int] = []
    formulas: list[Collected[int]] = []
    unlisted: dict[int, dict[FormulaTokens, list[int]]] = {}
    failed: list[str] = []
    for thread_id in chunk.ids:
        tokeniser.begin_thread()
        for document in thread_documents(collection.thread(thread_id)):
            try:
                done = tokeniser.document(document, chunk.plan)
            except (PorismError, CollectionError):  # not the fault of this document
                raise
            except Exception as error:  # one document must not stop an index
                log.warning("post %s: not indexed (%s)", document.id, error_summary(error))
                failed.append(document.id)
                continue
            doc_ids.append(document.id)
            for name, pieces in done.pieces.items():
                flat[name] += pieces
                lengths[name].append(sum(map(len, pieces)))
            labels += done.labels
            lengths[LABELS].append(len(done.labels))
            formulas.append(done.formulas)
            unlisted.update(done.unlisted)
    keys = {name: np.concatenate([*pieces, _NONE]) for name, pieces in flat.items()}
    keys[LABELS] = np.array(labels, np.uint64)
    tokens = {name: FieldTokens(keys[name], np.cumsum(counts)) for name, counts in lengths.items()}
    batch = DocumentBatch(doc_ids, tokens, tokeniser.new_tokens)
    return ThreadBatch(batch, rows_of(formulas), unlisted, failed)


def _formulas(document: Document) -> dict[int, Formula]:
    """The formulas of a document by their numbers."""
    pieces = (piece for content in document.parts.values() for piece in content)
    formulas = (piece for piece in pieces if isinstance(piece, Formula))
    return {each.number: each for each in formulas if each.number is not None}


_NONE = np.empty(0, np.uint64)


@lru_cache(maxsize=1)
def _opened(path: Path, table: Path) -> Collection:
    """The collection as it is in the build that has this table: later there may be another."""
    return open_collection(path)


@lru_cache(maxsize=1)
def _known_words(table: Path) -> dict[str, int]:
    """The keys of the words that this process has met in the build that has this table."""
    return {}


class TokenisedDocument(NamedTuple):
    """One document as keys; ``pieces`` are by the name of the field."""

    pieces: dict[str, list[Keys]]
    labels: list[int]
    formulas: Collected[int]
    unlisted: dict[int, dict[FormulaTokens, list[int]]]


@dataclass
class DocumentTokeniser:
    """Tokens as keys; what the answers of a question share is tokenised once."""

    collection: Collection
    table: FormulaTable
    known: dict[str, int]
    new_tokens: dict[int, str] = field(default_factory=dict)
    _shared: dict[tuple[DocumentPart, Analyzer | FormulaTokens], list[Keys]] = field(
        default_factory=dict
    )

    def begin_thread(self) -> None:
        """Forget what the last thread's documents shared."""
        self._shared.clear()

    def document(self, document: Document, plan: IndexPlan) -> TokenisedDocument:
        """All that is indexed of a document."""
        formulas = _formulas(document) if plan.forward else {}
        return TokenisedDocument(
            pieces={recipe.name: self.pieces(recipe, document) for recipe in plan.answers},
            labels=[self.word_key(label) for label in document.labels],
            formulas=formulas.keys(),
            unlisted={
                number: {each: self.distinct(formula, each) for each in plan.forward}
                for number, formula in formulas.items()
                if self.table.place(number) < 0
            },
        )

    def pieces(self, recipe: FieldSpec, document: Document) -> list[Keys]:
        """The keys of a document's tokens for one field, in no order, in several arrays."""
        kinds = (*((recipe.analyzer,) if recipe.analyzer else ()), *recipe.notations)
        return [
            piece
            for part, content in document.parts.items()
            if (times := recipe.times(part))
            for kind in kinds
            for piece in self._part(part, content, kind) * times
        ]

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
            return [self._formula(formula, kind) for formula in formulas]
        text = "\n".join(piece for piece in content if isinstance(piece, str))
        return [np.array([self.word_key(word) for word in kind(text)], np.uint64)]

    def _formula(self, formula: Formula, notation: FormulaTokens) -> Keys:
        if notation is FormulaTokens.VISUAL and not formula.visual_id:
            return _NONE
        if notation is FormulaTokens.VISUAL:
            return np.array([self.word_key(visual_token(formula.visual_id))], np.uint64)
        keys = None if formula.number is None else self.formula_keys(formula.number, notation)
        if keys is None:
            # In titles of questions that are only linked are formulas that nobody has parsed.
            tokens = query_tokens(notation, formula.latex).tokens
            keys = np.array([self.word_key(token) for token in tokens], np.uint64)
        return keys

    def distinct(self, formula: Formula, notation: FormulaTokens) -> list[int]:
        """The keys of the tokens of a formula, each once."""
        return sorted(set(self._formula(formula, notation).tolist()))

    def formula_keys(self, number: int, notation: FormulaTokens) -> Keys | None:
        """The keys of a formula of the collection; None if it has none with that number."""
        place = self.table.place(number)
        if place >= 0:
            return self.table.tokens(place, notation)
        tokens = stored_tokens(self.collection, number, notation)
        if tokens is None:
            return None
        return np.array([self.word_key(token) for token in tokens], np.uint64)

    def word_key(self, word: str) -> int:
        """The key of a token, which is noted for the dictionary when it is new."""
        number = self.known.get(word)
        if number is None:
            if len(self.known) >= KNOWN_WORDS:
                self.known.clear()
            number = self.known[word] = key(word)
            self.new_tokens[number] = word
        return number


_OF_ANSWER = frozenset({DocumentPart.ANSWER, DocumentPart.ANSWER_COMMENTS})
