"""A segment opened for reading: its arrays mapped, its terms found by key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.index.compiled import Array
from porism.index.dictionary import TokenTable
from porism.index.disk import DELETED, DROPPED, mapped
from porism.index.ids import IdTable
from porism.index.layout import ARRAYS, IndexFormatError, SegmentMeta
from porism.index.scoring import COLUMN, LIST, RARE, Postings

ABSENT = 255


@dataclass(frozen=True, slots=True)
class Found:
    """Where the terms asked for stand in a segment, and how many live documents have each."""

    kinds: NDArray[np.uint8]
    places: NDArray[np.int64]
    documents: NDArray[np.int64]


class Segment:
    """The documents and postings of one segment, as one commit left them."""

    def __init__(self, folder: Path, meta: SegmentMeta) -> None:
        self.meta = meta
        self.folder = folder
        arrays = {name: mapped(folder / name, dtype) for name, dtype in ARRAYS.items()}
        self.lengths = _rows(arrays["lengths"], len(meta.fields), meta.documents, folder)
        self.ids = IdTable(
            arrays["id_text"], arrays["id_starts"], arrays["id_order"], arrays["id_rank"]
        )
        self.tokens = TokenTable(arrays["token_keys"], arrays["token_starts"], arrays["token_text"])
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
        if meta.deletions:
            number = f"{meta.deletions:06d}"
            self.deleted = mapped(folder / (DELETED + number), "|u1")
            self.dropped = mapped(folder / (DROPPED + number), "<u4")

    @property
    def blocks(self) -> int:
        """How many blocks it has."""
        return -(-self.meta.documents // self.meta.layout.block)

    @property
    def live(self) -> int:
        """How many of its documents are not deleted."""
        return self.meta.documents - self.meta.deleted

    def find(self, field: int, keys: Array) -> Found:
        """Where the terms with these keys stand in a field."""
        kinds = np.full(len(keys), ABSENT, np.uint8)
        places = np.zeros(len(keys), np.int64)
        documents = np.zeros(len(keys), np.int64)
        common = _places(self.common_keys, self.meta.fields[field].common, keys)
        here = np.flatnonzero(common >= 0)
        terms = common[here]
        columns = self.common_columns[terms]
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
        return Found(kinds, places, documents)

    def has(self, field: int, keys: Array) -> NDArray[np.bool_]:
        """Whether terms with these keys stand in a field, also of deleted documents."""
        common = _places(self.common_keys, self.meta.fields[field].common, keys)
        rare = _places(self.rare_keys, self.meta.fields[field].rare, keys)
        return (common >= 0) | (rare >= 0)

    def keys(self, field: int) -> Array:
        """The keys of all terms of a field: common ones, then rare ones, each ascending."""
        of = self.meta.fields[field]
        return np.concatenate(
            [self.common_keys[slice(*of.common)], self.rare_keys[slice(*of.rare)]]
        )

    def _live_rare(self, terms: Array) -> Array:
        """How many live documents have each of these rare terms."""
        firsts, lasts = self.postings.rare_starts[terms], self.postings.rare_starts[terms + 1]
        having: Array = lasts.astype(np.int64) - firsts.astype(np.int64)
        if self.deleted is not None:
            for i, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
                having[i] -= self.deleted[self.postings.rare_documents[first:last]].sum()
        return having

    def number(self, doc_id: str) -> int | None:
        """The number of the live document of this id."""
        number = int(self.numbers((doc_id,))[0])
        return number if number >= 0 else None

    def numbers(self, doc_ids: Iterable[str]) -> NDArray[np.int64]:
        """The numbers of the live documents of these ids, in their order; -1 where there is none.

        Of documents with the same id, one at most is live.
        """
        places, lasts = self.ids.places(doc_ids)
        numbers = np.full(len(places), -1, np.int64)
        here = np.flatnonzero(places < lasts)
        while len(here):
            documents = self.ids.order[places[here]]
            live = (
                np.ones(len(here), bool) if self.deleted is None else self.deleted[documents] == 0
            )
            numbers[here[live]] = documents[live]
            here = here[~live]
            places[here] += 1
            here = here[places[here] < lasts[here]]
        return numbers


def _rows(lengths: Array, fields: int, documents: int, folder: Path) -> Array:
    if len(lengths) != fields * documents:
        raise IndexFormatError(f"the index segment {folder} is damaged; index again")
    return lengths.reshape(fields, documents)


def _places(all_keys: Array, within: Sequence[int], keys: Array) -> NDArray[np.int64]:
    """The place of each key in a part of an ascending array, or -1."""
    part = all_keys[within[0] : within[1]]
    if not len(part):
        return np.full(len(keys), -1, np.int64)
    places = np.minimum(np.searchsorted(part, keys), len(part) - 1)
    return np.where(part[places] == keys, places + within[0], -1)
