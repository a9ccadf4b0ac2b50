"""Vectors of texts and the documents that have these texts: documents by their cosines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.inverted import Filter, Index
from porism.searchindex.components.forward_store import doc_keys
from porism.searchindex.components.text_keys import Keys, TextKeys
from porism.vectors.store import Nearest, VectorStore

FEW = 4
"""If fewer than one of so many documents pass a filter, all that do are scored."""

FILTERS_KEPT = 16
"""Filters whose texts are kept for the next search."""


class KeyedVectors:
    """The vectors of one kind of texts; threads may share it."""

    def __init__(self, table: TextKeys, kind: str, store: VectorStore) -> None:
        self.store = store
        self._table = table
        self._kind = kind
        self._filtered: dict[Filter, Keys] = {}

    def missing(self) -> Keys:
        """Return the keys of texts that have no vector yet, ascending."""
        keys = self._table.all_texts(self._kind)
        return keys[~self.store.known(keys)]

    def scores(self, query: NDArray[np.float32], doc_ids: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of a query with the best vector of each document.

        It is NaN where a document has no such text, or its vector is not made yet.
        """
        return self.store.scores(query, self._table.texts(self._kind, doc_keys(doc_ids)))

    def nearest(
        self, query: NDArray[np.float32], k: int, index: Index, within: Filter | None = None
    ) -> list[tuple[float, str]]:
        """Return up to ``k`` documents by their cosines.

        With a filter, they are those that pass it in an inverted index of the documents. Equal
        cosines are ordered by id. A document without a vector is not among them.
        """
        passing = index.count(within)
        if not passing or k < 1:
            return []
        if within is not None and FEW * passing < index.documents:
            nearest = self.store.nearest(query, k, self._texts_within(index, within))
            return self._documents(nearest, index, within)[:k]
        count = k * index.documents // passing
        while True:
            found = self._documents(self.store.nearest(query, count), index, within)
            if len(found) >= k or count >= len(self.store):
                return found[:k]
            count = min(2 * count, len(self.store))

    def _texts_within(self, index: Index, within: Filter) -> Keys:
        """Return the texts of all documents that pass a filter; those of recent ones are kept."""
        texts = self._filtered.get(within)
        if texts is None:
            docs = doc_keys(list(index.doc_ids(within)))
            texts = np.unique(self._table.texts(self._kind, docs))
            if len(self._filtered) >= FILTERS_KEPT:
                self._filtered.clear()
            self._filtered[within] = texts
        return texts

    def _documents(
        self, nearest: Nearest, index: Index, within: Filter | None
    ) -> list[tuple[float, str]]:
        """Return the documents of texts that pass a filter, best first."""
        requested, doc_ids = self._table.documents(self._kind, nearest.keys)
        scores = nearest.scores[requested].tolist()
        found = list(zip(scores, doc_ids, strict=True))
        if within is not None:
            passes = index.allowed(doc_ids, within).tolist()
            found = [pair for pair, passed in zip(found, passes, strict=True) if passed]
        return sorted(found, key=_best_first)


def _best_first(pair: tuple[float, str]) -> tuple[float, str]:
    return -pair[0], pair[1]
