"""Batches of analyzed documents, some made by processes that read the collection themselves.

What goes from process to process is a list of ids one way and the components' payloads the other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
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
    """Questions, or notes, whose threads are to be analyzed for components of a unit.

    ``excluded`` are the links of these questions that documents are made without.
    """

    collection: Path
    table: Path
    unit: Unit
    components: tuple[Component, ...]
    ids: list[str]
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


def thread_batch(chunk: ThreadChunk) -> AnalyzedBatch:
    """Return the documents of threads: one for each answer, and one for each note.

    Of the unit of questions, they are the questions of the threads.
    """
    tokeniser = _tokeniser(chunk, chunk.unit)
    excluded = chunk.excluded
    threads = (
        _documents(tokeniser.collection, chunk.unit, each, excluded.get(each, frozenset()))
        for each in chunk.ids
    )
    return _batch(threads, chunk.components, tokeniser)


def _documents(
    collection: Collection, unit: Unit, thread_id: str, excluded: AbstractSet[str]
) -> Iterator[Document]:
    if unit is Unit.QUESTIONS:
        yield thread_question(collection.bare_thread(thread_id), excluded)
    else:
        yield from thread_documents(collection.thread(thread_id), excluded)


def formula_batch(chunk: FormulaChunk) -> AnalyzedBatch:
    """Return visually distinct formulas as documents."""
    documents = [
        FormulaDocument(each.visual_id, each.formula, _formula_labels(each))
        for each in chunk.formulas
    ]
    return _batch([documents], chunk.components, _tokeniser(chunk, Unit.FORMULAS))


def _formula_labels(formula: VisualFormula) -> tuple[str, ...]:
    place = (IN_POST,) if formula.is_in_post else ()
    return (*place, *fact_labels(formula))


def _tokeniser(chunk: ThreadChunk | FormulaChunk, unit: Unit) -> DocumentTokeniser:
    collection = opened_once(chunk.collection, chunk.table)
    table = open_formula_table(chunk.table, table_kinds(chunk.components))
    words = _known_words(chunk.table, unit)
    words.shrink()
    words.new = {}
    return DocumentTokeniser(collection, table, words)


def _batch(
    threads: Iterable[Iterable[IndexedItem]],
    components: Sequence[Component],
    tokeniser: DocumentTokeniser,
) -> AnalyzedBatch:
    doc_ids: list[str] = []
    analyzed: list[list[object]] = [[] for _ in components]
    failed: list[str] = []
    for thread in threads:
        tokeniser.begin_thread()
        for item in thread:
            try:
                results = [component.analyze(item, tokeniser) for component in components]
            except (PorismError, CollectionError):  # not the fault of this document
                raise
            except Exception as error:  # one document must not stop an index
                log.warning("post %s: not indexed (%s)", item.id, error_summary(error))
                failed.append(item.id)
                continue
            doc_ids.append(item.id)
            for kept, result in zip(analyzed, results, strict=True):
                kept.append(result)
    payloads = [
        component.payload(kept, tokeniser)
        for component, kept in zip(components, analyzed, strict=True)
    ]
    return AnalyzedBatch(doc_ids, payloads, failed)


@lru_cache(maxsize=1)
def _known_words(table: Path, unit: Unit) -> KeyCache:
    """Return the keys of the words that this process has met in the build with this table.

    Each unit has an index with the strings of its words.
    """
    return KeyCache()
