"""Document ids: stored in the order they were added, looked up in their order as strings.

Ids are compared as UTF-8, whose order is that of the characters' numbers, as Python compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, IntLike, compiled
from porism.model import DocId
from porism.storage.errors import damaged_file_error

_WIDEST = 64
"""Ids of at most this many bytes are sorted as rows of one array, others as objects."""


def encoded_id(doc_id: str) -> bytes:
    """Return an id as it is stored and compared."""
    return doc_id.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class DocIdTable:
    """The ids of a segment: ``order`` lists documents by id, ``rank`` is each one's place there."""

    text: Array
    starts: Array
    order: Array
    rank: Array
    path: Path | None = None  # the file that it is read from

    def __len__(self) -> int:
        return len(self.order)

    def doc_id(self, document: int) -> str:
        """Return the id of the document of this number."""
        content = bytes(self.text[self.starts[document] : self.starts[document + 1]])
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise damaged_file_error(str(self.path), "an id is not UTF-8") from None

    def doc_ids(self, documents: Array) -> list[DocId]:
        """Return the ids of documents, in their order."""
        if not len(documents):
            return []
        if int(documents.max()) >= len(self.order):
            raise damaged_file_error(str(self.path), "an id has a document that is not there")
        firsts, lasts = self.starts[documents], self.starts[documents + 1]
        if int(firsts.min()) < 0 or int(lasts.max()) > len(self.text) or (firsts > lasts).any():
            raise damaged_file_error(str(self.path), "an id is outside the ids")
        sizes = lasts - firsts + 1
        ends = np.cumsum(sizes)
        # They become one string, separated by NULs, which no id has, so it is decoded at once.
        places = np.arange(ends[-1]) + np.repeat(firsts - (ends - sizes), sizes)
        places[ends - 1] = 0
        text = self.text[places]
        text[ends - 1] = 0
        try:
            ids = str(text[:-1].data, "utf-8", "surrogatepass").split("\0")
        except UnicodeDecodeError:
            ids = []
        if len(ids) != len(documents):
            raise damaged_file_error(str(self.path), "an id is not UTF-8, or has a NUL")
        return cast(list[DocId], ids)

    def documents(self, ranks: Array) -> Array:
        """Return the documents at places in the order of ids."""
        if len(ranks) and int(ranks.max()) >= len(self.order):
            raise damaged_file_error(str(self.path), "a document has a rank that is not there")
        return self.order[ranks].astype(np.int64)

    def places(self, doc_ids: Iterable[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the range in ``order`` of each id's documents; empty if it has none."""
        wanted = [encoded_id(doc_id) for doc_id in doc_ids]
        ends = np.zeros(len(wanted) + 1, np.int64)
        np.cumsum([len(each) for each in wanted], out=ends[1:])
        firsts, lasts = np.zeros((2, len(wanted)), np.int64)
        text = np.frombuffer(b"".join(wanted), np.uint8)
        _find(self.text, self.starts, self.order, text, ends, firsts, lasts)
        return firsts, lasts


@compiled
def _find(
    text: Array,
    starts: Array,
    order: Array,
    wanted: Array,
    ends: Array,
    firsts: Array,
    lasts: Array,
) -> None:
    """Write the range in ``order`` of each id of ``wanted``, which ``ends`` separates."""
    for i in range(len(firsts)):
        one = wanted[ends[i] : ends[i + 1]]
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) >> 1
            document = _document(order, middle)
            if _compared(text[starts[document] : starts[document + 1]], one) < 0:
                low = middle + 1
            else:
                high = middle
        firsts[i] = low
        while low < len(order):
            document = _document(order, low)
            if _compared(text[starts[document] : starts[document + 1]], one) != 0:
                break
            low += 1
        lasts[i] = low


@compiled
def _document(order: Array, place: IntLike) -> IntLike:
    """Return the document at a place, which exists even if the file is damaged."""
    return min(np.int64(order[place]), len(order) - 1)


@compiled
def _compared(one: Array, other: Array) -> IntLike:
    """Return less than 0 if the first text sorts before the other, 0 if equal, else more."""
    for i in range(min(len(one), len(other))):
        if one[i] != other[i]:
            return np.int64(one[i]) - np.int64(other[i])
    return len(one) - len(other)


class DocIdTableBuilder:
    """Collects ids, and which documents a later one with the same id replaced."""

    def __init__(self) -> None:
        self._pieces: list[NDArray[Any]] = []  # of bytes, or of objects if ids are long
        self._deleted: list[tuple[str, int]] = []
        self.documents = 0

    def add(self, doc_ids: Sequence[str]) -> None:
        """Add the ids of the next documents."""
        self._pieces.append(_id_array([encoded_id(doc_id) for doc_id in doc_ids]))
        self.documents += len(doc_ids)

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Delete documents of these ids added so far; later ones stay."""
        if self.documents:
            self._deleted.extend((doc_id, self.documents) for doc_id in doc_ids)

    def finished(self) -> tuple[DocIdTable, NDArray[np.uint8]]:
        """Return the table of all ids, and 1 for each document that was replaced or deleted."""
        ids = _concatenated(self._pieces)
        order = np.argsort(ids, kind="stable")
        rank = np.empty(len(ids), np.uint32)
        rank[order] = np.arange(len(ids), dtype=np.uint32)
        gone = np.zeros(len(ids), np.uint8)
        ordered = ids[order]
        gone[order[:-1][ordered[:-1] == ordered[1:]]] = 1  # the last of equal ids stays
        del ordered
        text, starts = _text(ids)
        table = DocIdTable(text, starts, order.astype(np.uint32), rank)
        firsts, lasts = table.places(doc_id for doc_id, _ in self._deleted)
        for (_, before), first, last in zip(self._deleted, firsts, lasts, strict=True):
            documents = order[first:last]
            gone[documents[documents < before]] = 1
        return table, gone


def _id_array(ids: list[bytes]) -> NDArray[Any]:
    if max(map(len, ids), default=0) <= _WIDEST:
        return np.array(ids, dtype=np.bytes_)
    objects = np.empty(len(ids), object)
    objects[:] = ids
    return objects


def _concatenated(pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if not pieces:
        return np.zeros(0, "S1")
    if any(piece.dtype == object for piece in pieces):
        return np.concatenate([piece.astype(object) for piece in pieces])
    return np.concatenate(pieces)


def _text(ids: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    starts = np.zeros(len(ids) + 1, np.int64)
    if ids.dtype == object:
        np.cumsum([len(doc_id) for doc_id in ids], out=starts[1:])
        return np.frombuffer(b"".join(ids), np.uint8), starts
    rows = ids.view(np.uint8).reshape(len(ids), ids.dtype.itemsize)
    np.cumsum(np.strings.str_len(ids), out=starts[1:])
    return rows[rows != 0], starts  # no id has a NUL, so NULs are padding
