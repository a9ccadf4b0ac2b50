"""Inversion: from the tokens of each document to the documents of each term.

Keys are hashes, so their low bits serve as places in hash tables. First the tokens of one document
are counted in a table that fits in the fastest cache; then its distinct terms are numbered in a
table for all documents until the next spill. Sorting by term is then a counting sort, with only
the distinct keys to sort.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, IntLike, compiled
from porism.inverted.documents import FieldTokens
from porism.inverted.keys import Keys
from porism.inverted.segments.spill_files import SpillField

U32 = NDArray[np.uint32]
I64 = NDArray[np.int64]

CHUNK = 1 << 20
"""Tokens that are counted at a time (or one document, if it has more)."""


class FieldInverter:
    """The postings of one field since the last spill."""

    def __init__(self) -> None:
        self._table = np.zeros((1 << 12, 2), np.uint64)
        self._keys = np.zeros(1 << 11, np.uint64)
        self._terms = 0
        self._pieces: list[tuple[U32, U32, I64]] = []
        self.documents = 0
        self.postings = 0

    @property
    def bytes(self) -> int:
        """Approximate memory in use and needed for the inversion."""
        return self._table.nbytes + self._keys.nbytes + 12 * self.postings + 24 * self._terms

    def add(self, tokens: FieldTokens, first: int, last: int) -> None:
        """Add the documents ``first`` to ``last`` (exclusive) of a batch."""
        starts = tokens.starts
        while first < last:
            fitting = int(np.searchsorted(starts, starts[first] + CHUNK, side="right")) - 1
            end = min(last, max(first + 1, fitting))
            self._add_piece(tokens.keys[starts[first] : starts[end]], starts[first : end + 1])
            first = end

    def add_empty(self, documents: int) -> None:
        """Add documents without tokens."""
        nothing = np.zeros(0, np.uint32)
        self._pieces.append((nothing, nothing, np.zeros(documents + 1, np.int64)))
        self.documents += documents

    def _add_piece(self, keys: Keys, starts: I64) -> None:
        self._make_room(len(keys))
        longest = int(np.diff(starts).max())
        size = _table_size(longest)
        numbers = np.empty(len(keys), np.uint32)
        counts = np.empty(len(keys), np.uint32)
        piece_starts = np.zeros(len(starts), np.int64)
        self._terms = _count_documents(
            np.ascontiguousarray(keys, np.uint64),
            starts - starts[0],
            (np.empty(size, np.uint64), np.zeros(size, np.int64), np.empty(size, np.uint32)),
            np.empty(longest, np.int64),
            self._table,
            self._keys,
            self._terms,
            (numbers, counts, piece_starts),
        )
        kept = int(piece_starts[-1])
        self._pieces.append((numbers[:kept].copy(), counts[:kept].copy(), piece_starts))
        self.documents += len(starts) - 1
        self.postings += kept

    def _make_room(self, more: int) -> None:
        needed = self._terms + more
        if len(self._keys) < needed:
            self._keys = np.concatenate(
                [self._keys[: self._terms], np.empty(needed + needed // 4, np.uint64)]
            )
        if len(self._table) < 2 * needed:
            self._table = np.zeros((_table_size(needed), 2), np.uint64)
            _renumber(self._table, self._keys, self._terms)

    def inverted(self, first_document: int) -> SpillField:
        """Return all postings so far by term, keys ascending, documents ascending for each.

        The first document gets the number ``first_document`` in its block.
        """
        keys = self._keys[: self._terms]
        order = np.argsort(keys)
        position = np.empty(self._terms, np.uint32)
        position[order] = np.arange(self._terms, dtype=np.uint32)
        sizes = np.zeros(self._terms, np.uint32)
        for numbers, _, _ in self._pieces:
            _add_sizes(numbers, position, sizes)
        cursors = np.zeros(self._terms, np.int64)
        np.cumsum(sizes[:-1], out=cursors[1:])
        documents = np.empty(self.postings, np.uint16)
        counts = np.empty(self.postings, np.uint8)
        large: list[tuple[I64, U32]] = []
        document = first_document
        for numbers, repeats, starts in self._pieces:
            places = np.empty(int((repeats >= 255).sum()), np.int64)
            _scatter(
                numbers, repeats, starts, position, document, (cursors, documents, counts, places)
            )
            large.append((places, repeats[repeats >= 255]))
            document += len(starts) - 1
        places, large_counts = _joined(large)
        return SpillField(keys[order], sizes, documents, counts, large_counts[np.argsort(places)])


def _joined(large: Sequence[tuple[I64, U32]]) -> tuple[I64, U32]:
    if not large:
        return np.zeros(0, np.int64), np.zeros(0, np.uint32)
    return np.concatenate([pair[0] for pair in large]), np.concatenate([pair[1] for pair in large])


def _table_size(entries: int) -> int:
    return 1 << max(4, (2 * entries).bit_length())


@compiled
def _place(table: Array, key: np.uint64) -> np.uint64:
    """Return the row of ``key`` in the table of (key, number + 1), or the empty row for it."""
    mask = np.uint64(len(table) - 1)
    place = (key >> np.uint64(7)) & mask
    while table[place, 1] != 0 and table[place, 0] != key:
        place = (place + np.uint64(1)) & mask
    return place


@compiled
def _renumber(table: Array, keys: Array, terms: IntLike) -> None:
    for number in range(terms):
        place = _place(table, keys[number])
        table[place, 0] = keys[number]
        table[place, 1] = number + 1


@compiled
def _count_documents(
    keys: Array,
    starts: Array,
    small: tuple[Array, Array, Array],
    slots: Array,
    table: Array,
    term_keys: Array,
    terms: IntLike,
    out: tuple[Array, Array, Array],
) -> IntLike:
    """Count each document's tokens, and return the number of terms so far.

    ``small`` is the table of one document: key, the document that wrote it last, count. ``out``
    takes term numbers, counts and the start of each document's.
    """
    small_keys, small_documents, small_counts = small
    numbers, counts, out_starts = out
    written = 0
    for document in range(len(starts) - 1):
        size = 16
        while size < 2 * (starts[document + 1] - starts[document]):
            size *= 2
        mask = np.uint64(size - 1)
        distinct = 0
        for key in keys[starts[document] : starts[document + 1]]:
            slot = key & mask
            while small_documents[slot] == document + 1 and small_keys[slot] != key:
                slot = (slot + np.uint64(1)) & mask
            if small_documents[slot] == document + 1:
                small_counts[slot] += np.uint32(1)
            else:
                small_documents[slot] = document + 1
                small_keys[slot] = key
                small_counts[slot] = 1
                slots[distinct] = slot
                distinct += 1
        for slot in slots[:distinct]:
            place = _place(table, small_keys[slot])
            if table[place, 1] == 0:
                table[place, 0] = small_keys[slot]
                table[place, 1] = terms + 1
                term_keys[terms] = small_keys[slot]
                terms += 1
            numbers[written] = table[place, 1] - np.uint64(1)
            counts[written] = small_counts[slot]
            written += 1
        out_starts[document + 1] = written
    return terms


@compiled
def _add_sizes(numbers: Array, position: Array, sizes: Array) -> None:
    """Count how many documents of a piece have each term."""
    for number in numbers:
        sizes[position[number]] += np.uint32(1)


@compiled
def _scatter(
    numbers: Array,
    repeats: Array,
    starts: Array,
    position: Array,
    document: IntLike,
    out: tuple[Array, Array, Array, Array],
) -> None:
    """Write the postings of a piece at their terms' cursors, and the places of large counts."""
    cursors, documents, counts, places = out
    large = 0
    for row in range(len(starts) - 1):
        for i in range(starts[row], starts[row + 1]):
            term = position[numbers[i]]
            place = cursors[term]
            cursors[term] = place + 1
            documents[place] = document + row
            counts[place] = min(repeats[i], 255)
            if repeats[i] >= 255:
                places[large] = place
                large += 1
