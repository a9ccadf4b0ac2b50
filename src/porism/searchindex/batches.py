"""Batches of analyzed documents, some made by processes that read the collection themselves.

What goes from process to process is a list of ids one way and the components' payloads the other.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from porism.analysis import Document, Unit
from porism.collection.formulas.visual_groups import VisualFormula
from porism.collection.store import Collection, CollectionError
from porism.errors import PorismError, error_summary
from porism.filters import IN_POST, fact_labels
from porism.inverted.keys import KeyCache
from porism.searchindex.collection_state.excluded_links import LinkedIds
from porism.searchindex.components import Component, table_kinds
from porism.searchindex.formula_table import open_formula_table, opened_once
from porism.searchindex.thread_documents import thread_documents, thread_question
from porism.searchindex.tokeniser import DocumentTokeniser, FormulaDocument, IndexedItem

log = logging.getLogger(__name__)


class ThreadChunk(NamedTuple):
    """Threads, by the ids of their questions or notes, and the units that get documents of each.

    ``excluded`` are the links of these questions that documents are made without.
    """

    collection: Path
    table: Path
    components: tuple[Component, ...]
    threads: Sequence[tuple[str, tuple[Unit, ...]]]
    excluded: LinkedIds


class FormulaChunk(NamedTuple):
    """Visually distinct formulas that are to be analyzed for components of their unit."""

    collection: Path
    table: Path
    components: tuple[Component, ...]
    formulas: list[VisualFormula]


class AnalyzedBatch(NamedTuple):
    """Documents as each component stores them, in the order of the components.

    ``failed`` are the ids of documents that are left out because of an error in Porism.
    """

    doc_ids: list[str]
    payloads: list[object]
    failed: list[str]


def thread_batches(chunk: ThreadChunk) -> dict[Unit, AnalyzedBatch]:
    """Return the documents of threads by unit: answers and notes, and questions.

    A question is read and tokenised once for all of its thread.
    """
    tokeniser = _tokeniser(chunk)
    threads = (
        _documents(tokeniser.collection, thread_id, units, chunk.excluded)
        for thread_id, units in chunk.threads
    )
    return _batches(threads, chunk.components, tokeniser)


def _documents(
    collection: Collection, thread_id: str, units: Sequence[Unit], excluded: LinkedIds
) -> Iterator[tuple[Unit, Document]]:
    links = excluded.get(thread_id, frozenset())
    thread = (collection.thread if Unit.ANSWERS in units else collection.bare_thread)(thread_id)
    if Unit.ANSWERS in units:
        for document in thread_documents(thread, links):
            yield Unit.ANSWERS, document
    if Unit.QUESTIONS in units:
        yield Unit.QUESTIONS, thread_question(thread, links)


def formula_batches(chunk: FormulaChunk) -> dict[Unit, AnalyzedBatch]:
    """Return visually distinct formulas as documents of their unit."""
    documents = [
        (Unit.FORMULAS, FormulaDocument(each.visual_id, each.formula, _formula_labels(each)))
        for each in chunk.formulas
    ]
    return _batches([documents], chunk.components, _tokeniser(chunk))


def _formula_labels(formula: VisualFormula) -> tuple[str, ...]:
    place = (IN_POST,) if formula.is_in_post else ()
    return (*place, *fact_labels(formula))


def _tokeniser(chunk: ThreadChunk | FormulaChunk) -> DocumentTokeniser:
    collection = opened_once(chunk.collection, chunk.table)
    table = open_formula_table(chunk.table, table_kinds(chunk.components))
    words = _known_words(chunk.table, frozenset(each.unit for each in chunk.components))
    words.shrink()
    words.new = {}
    return DocumentTokeniser(collection, table, words)


@dataclass(frozen=True, slots=True)
class _UnitDocuments:
    """The documents of a unit so far, as analyzed for each of its components."""

    components: list[Component] = field(default_factory=list)
    doc_ids: list[str] = field(default_factory=list)
    analyzed: list[list[object]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def add(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> None:
        try:
            results = [component.analyze(item, tokeniser) for component in self.components]
        except (PorismError, CollectionError):  # not the fault of this document
            raise
        except Exception as error:  # one document must not stop an index
            log.warning("post %s: not indexed (%s)", item.id, error_summary(error))
            self.failed.append(item.id)
            return
        self.doc_ids.append(item.id)
        self.analyzed.append(results)

    def batch(self, tokeniser: DocumentTokeniser) -> AnalyzedBatch:
        payloads = [
            component.payload([results[place] for results in self.analyzed], tokeniser)
            for place, component in enumerate(self.components)
        ]
        return AnalyzedBatch(self.doc_ids, payloads, self.failed)


def _batches(
    threads: Iterable[Iterable[tuple[Unit, IndexedItem]]],
    components: Sequence[Component],
    tokeniser: DocumentTokeniser,
) -> dict[Unit, AnalyzedBatch]:
    """Return a batch for each unit that components have."""
    units: defaultdict[Unit, _UnitDocuments] = defaultdict(_UnitDocuments)
    for component in components:
        units[component.unit].components.append(component)
    for thread in threads:
        tokeniser.begin_thread()
        for unit, item in thread:
            units[unit].add(item, tokeniser)
    return {unit: documents.batch(tokeniser) for unit, documents in units.items()}


@lru_cache(maxsize=1)
def _known_words(table: Path, units: frozenset[Unit]) -> KeyCache:
    """Return the keys of the words that this process has met in the build with this table.

    The indexes of these units have the strings of all of them.
    """
    return KeyCache()
