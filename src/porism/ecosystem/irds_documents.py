"""Documents for ir_datasets, read directly from a collection.

This implements the reading part of ir_datasets' interface: documents in order, by position and by
id. ``irds`` adds the methods that ir_datasets gives to every handler.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import overload

from porism.collection.record_tables import (
    ANSWER_RECORDS,
    FORMULA_RECORDS,
    QUESTION_RECORDS,
    RecordTable,
)
from porism.collection.schema import DATABASE
from porism.collection.store import open_collection
from porism.ecosystem.irds_import import ir_datasets
from porism.ecosystem.irds_records import (
    IrdsDocument,
    PorismDoc,
    PorismFormula,
    formula_document,
    post_document,
)


@dataclass(frozen=True, slots=True)
class DocumentSelection:
    """Which records of a collection are the documents, and how one is made from a row."""

    records: RecordTable
    record: type[IrdsDocument]
    document: Callable[[tuple[object, ...]], IrdsDocument]


ANSWERS = DocumentSelection(ANSWER_RECORDS, PorismDoc, post_document)
QUESTIONS = DocumentSelection(QUESTION_RECORDS, PorismDoc, post_document)
FORMULAS = DocumentSelection(FORMULA_RECORDS, PorismFormula, formula_document)


@dataclass(frozen=True, slots=True)
class CollectionDocs:
    """The documents of a collection, which is opened on use."""

    folder: Path
    selection: DocumentSelection
    namespace: str
    lang: str | None = None

    def docs_path(self) -> Path:
        """The database."""
        return self.folder / DATABASE

    def docs_iter(self) -> DocumentIterator:
        """The documents ordered by id; ``[...]`` selects by position."""
        return DocumentIterator(self.folder, self.selection)

    def docs_store(self) -> DocumentStore:
        """The documents by id."""
        return DocumentStore(self.folder, self.selection)

    def docs_count(self) -> int:
        """The number of documents."""
        return _count(self.folder, self.selection)

    def docs_cls(self) -> type[IrdsDocument]:
        """The type of the documents."""
        return self.selection.record

    def docs_namespace(self) -> str:
        """The namespace in which ids are unique."""
        return self.namespace

    def docs_lang(self) -> str | None:
        """The language, if known."""
        return self.lang


class DocumentIterator:
    """Documents in order; the database is read step by step, and closed at the end."""

    def __init__(
        self, folder: Path, selection: DocumentSelection, window: slice | None = None
    ) -> None:
        self._folder = folder
        self._selection = selection
        self._window = window
        self._documents = _documents(folder, selection, window)

    def __iter__(self) -> DocumentIterator:
        return self

    def __next__(self) -> IrdsDocument:
        return next(self._documents)

    @overload
    def __getitem__(self, key: int) -> IrdsDocument: ...

    @overload
    def __getitem__(self, key: slice) -> DocumentIterator: ...

    def __getitem__(self, key: int | slice) -> IrdsDocument | DocumentIterator:
        """One document or several by position, also by fractions as in ``[: 1 / 3]``.

        Positions count from the start of this iterator, whatever it has returned so far.
        """
        if isinstance(key, slice):
            window = ir_datasets.util.apply_sub_slice(self._whole(), key)
            return DocumentIterator(self._folder, self._selection, window)
        if not isinstance(key, int):
            raise TypeError("key must be int or slice")
        window = ir_datasets.util.slice_idx(self._whole(), key)
        if not self._whole().start <= window.start < window.stop:
            raise IndexError(f"no document at position {key}")
        return next(_documents(self._folder, self._selection, window))

    def _whole(self) -> slice:
        # Counting reads the whole table, so it is done only for access by position.
        if self._window is None:
            self._window = slice(0, _count(self._folder, self._selection))
        return self._window

    def close(self) -> None:
        """Close the database."""
        self._documents.close()


class DocumentStore:
    """Documents by id, from a database that stays open as long as this object exists."""

    def __init__(self, folder: Path, selection: DocumentSelection) -> None:
        self._folder = folder
        self._selection = selection
        self._collection = open_collection(folder)
        weakref.finalize(self, self._collection.close)

    def get(self, doc_id: str, field: str | None = None) -> object:
        """The document, or one field of it; a KeyError if there is none, as in ir_datasets."""
        documents = self.get_many([doc_id], field)
        if not documents:
            raise KeyError(f"doc_id={doc_id} not found")
        return documents[doc_id]

    def get_many(self, doc_ids: Iterable[str], field: str | None = None) -> dict[str, object]:
        """The documents, or one field of each, by id; unknown ids are left out.

        An unknown field is an AttributeError.
        """
        return {
            document.doc_id: document if field is None else getattr(document, field)
            for document in self.get_many_iter(doc_ids)
        }

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[IrdsDocument]:
        """The documents in the order of the ids; unknown ids are left out."""
        for doc_id in doc_ids:
            rows = self._selection.records.rows_by_id(self._collection, doc_id)
            documents = map(self._selection.document, rows)
            yield from (document for document in documents if document.doc_id == doc_id)

    def __iter__(self) -> DocumentIterator:
        return DocumentIterator(self._folder, self._selection)

    def count(self) -> int:
        """The number of documents."""
        return _count(self._folder, self._selection)

    def built(self) -> bool:
        """True: the collection itself is the store."""
        return True

    def build(self) -> None:
        """Do nothing, since there is nothing to build."""

    def clear_cache(self) -> None:
        """Do nothing, since there is no cache."""


def _documents(
    folder: Path, selection: DocumentSelection, window: slice | None
) -> Generator[IrdsDocument, None, None]:
    start = 0 if window is None else max(0, window.start)
    length = None if window is None else max(0, window.stop - start)
    step = None if window is None else window.step
    with open_collection(folder) as collection:
        rows = selection.records.rows(collection, start)
        yield from map(selection.document, islice(rows, 0, length, step))


def _count(folder: Path, selection: DocumentSelection) -> int:
    with open_collection(folder) as collection:
        return selection.records.count(collection)
