"""A segment opened for reading: mapped arrays, and terms looked up by key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, compiled
from porism.inverted.layout import SegmentMeta
from porism.inverted.scoring import COLUMN, LIST, RARE, Postings
from porism.inverted.segments.array_checks import check_arrays, check_deletions
from porism.inverted.segments.dictionary import TokenTable
from porism.inverted.segments.doc_ids import DocIdTable
from porism.storage.array_file import open_arrays
from porism.storage.errors import IndexFormatError, damaged_file_error

ABSENT = 255


@dataclass(frozen=True, slots=True)
class TermLookup:
    """The places of terms in a segment, and how many live documents have each."""

    kinds: NDArray[np.uint8]
    places: NDArray[np.int64]
    documents: NDArray[np.int64]


class Segment:
    """The documents and postings of one segment, as one commit left them.

    Opening it checks that its arrays fit together, as far as that is cheap; values read from them
    later are checked where they are used, and the error names the segment.
    """

    def __init__(self, folder: Path, meta: SegmentMeta) -> None:
        self.meta = meta
        self.path = folder / meta.file.name
        arrays = open_arrays(folder, meta.file)
        check_arrays(arrays, meta, self.path)
        self.lengths = arrays["lengths"].reshape(len(meta.fields), meta.documents)
        self.ids = DocIdTable(
            arrays["id_text"],
            arrays["id_starts"],
            arrays["id_order"],
            arrays["id_rank"],
            self.path,
        )
        self.tokens = TokenTable(
            arrays["token_keys"], arrays["token_starts"], arrays["token_text"], self.path
        )
        self.common_keys = arrays["common_keys"]
        self.common_documents = arrays["common_documents"]
        self.common_columns = arrays["common_columns"]
        self.rare_keys = arrays["rare_keys"]
        self.postings = Postings(
            documents=meta.documents,
            block=meta.layout.block,
            columns_count=meta.columns,
            terms=len(self.common_keys),
            lengths=self.lengths,
            **{name: arrays[name] for name in Postings._fields[5:]},
        )
        self.deleted: Array | None = None
        self.dropped: Array | None = None
        if meta.deletions_file is not None:
            deletions = open_arrays(folder, meta.deletions_file)
            check_deletions(deletions, meta, len(self.common_keys), self.path)
            self.deleted, self.dropped = deletions["deleted"], deletions["dropped"]

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.meta.documents // self.meta.layout.block)

    @property
    def live(self) -> int:
        """The number of documents that are not deleted."""
        return self.meta.documents - self.meta.deleted

    def find(self, field: int, keys: Array) -> TermLookup:
        """Look up the terms with these keys in a field."""
        kinds = np.full(len(keys), ABSENT, np.uint8)
        places = np.zeros(len(keys), np.int64)
        documents = np.zeros(len(keys), np.int64)
        common = _places(self.common_keys, self.meta.fields[field].common, keys)
        here = np.flatnonzero(common >= 0)
        terms = common[here]
        columns = self.common_columns[terms]
        if len(columns) and int(columns.max()) >= self.meta.columns:
            raise self.damaged("a term has a column that is not there")
        kinds[here] = np.where(columns < 0, LIST, COLUMN)
        places[here] = np.where(columns < 0, terms, columns)
        documents[here] = self.common_documents[terms]
        if self.dropped is not None:
            documents[here] -= self.dropped[terms]
        others = np.flatnonzero(common < 0)
        rare = _places(self.rare_keys, self.meta.fields[field].rare, keys[others])
        here, terms = others[rare >= 0], rare[rare >= 0]
        kinds[here] = RARE
        places[here] = terms
        documents[here] = self._live_rare(terms)
        if len(documents) and not 0 <= int(documents.min()) <= int(documents.max()) <= self.live:
            raise self.damaged("a term has more documents than there are")
        return TermLookup(kinds, places, documents)

    def checked_columns(self) -> Array:
        """Return the column of each common term, after checking all of them."""
        if len(self.common_columns) and int(self.common_columns.max()) >= self.meta.columns:
            raise self.damaged("a term has a column that is not there")
        return self.common_columns

    def damaged(self, reason: str) -> IndexFormatError:
        """Return the error for something impossible in this segment."""
        return damaged_file_error(self.path, reason)

    def has(self, field: int, keys: Array) -> NDArray[np.bool_]:
        """Whether a field has terms with these keys, also in deleted documents."""
        common = _places(self.common_keys, self.meta.fields[field].common, keys)
        rare = _places(self.rare_keys, self.meta.fields[field].rare, keys)
        return (common >= 0) | (rare >= 0)

    def keys(self, field: int) -> Array:
        """Return the keys of all terms of a field: common, then rare ones, each ascending."""
        of = self.meta.fields[field]
        return np.concatenate(
            [self.common_keys[slice(*of.common)], self.rare_keys[slice(*of.rare)]]
        )

    def _live_rare(self, terms: Array) -> Array:
        """Return how many live documents have each of these rare terms."""
        firsts, lasts = self.postings.rare_starts[terms], self.postings.rare_starts[terms + 1]
        having: Array = lasts.astype(np.int64) - firsts.astype(np.int64)
        if self.deleted is not None:
            for i, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
                documents = self.postings.rare_documents[first:last]
                if len(documents) and int(documents.max()) >= self.meta.documents:
                    raise self.damaged("a term has a document that is not there")
                having[i] -= np.count_nonzero(self.deleted[documents])
        return having

    def number(self, doc_id: str) -> int | None:
        """Return the number of the live document of this id."""
        number = int(self.numbers((doc_id,))[0])
        return number if number >= 0 else None

    def numbers(self, doc_ids: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of the live documents of these ids, in their order; -1 for none.

        At most one of the documents with an id is live.
        """
        places, lasts = self.ids.places(doc_ids)
        numbers = np.full(len(places), -1, np.int64)
        here = np.flatnonzero(places < lasts)
        while len(here):
            documents = self.ids.order[places[here]]
            if int(documents.max()) >= self.meta.documents:
                raise self.damaged("an id has a document that is not there")
            live = (
                np.ones(len(here), bool) if self.deleted is None else self.deleted[documents] == 0
            )
            numbers[here[live]] = documents[live]
            here = here[~live]
            places[here] += 1
            here = here[places[here] < lasts[here]]
        return numbers


def _places(all_keys: Array, within: Sequence[int], keys: Array) -> NDArray[np.int64]:
    """Return the place of each key in a part of an ascending array, or -1."""
    places = np.empty(len(keys), np.int64)
    _find_keys(all_keys[within[0] : within[1]], keys, places)
    places[places >= 0] += within[0]
    return places


@compiled
def _find_keys(all_keys: Array, keys: Array, places: Array) -> None:
    """Write the place of each key, or -1.

    All are searched for in step and without branches, so that the processor waits for many reads at
    a time: that takes a third of the time of one search after the other.
    """
    places[:] = 0 if len(all_keys) else -1
    left = len(all_keys)
    while left > 1:
        half = left >> 1
        for i in range(len(keys)):
            places[i] += half * (all_keys[places[i] + half] <= keys[i])
        left -= half
    for i in range(len(keys)):
        if places[i] >= 0 and all_keys[places[i]] != keys[i]:
            places[i] = -1
