"""A forward store: a row of numbers for each key, such as the formulas of each document.

An inverted index finds the documents of a token; re-ranking needs the reverse. A store has parts,
one file each: one or more from a build, and one from each update. A key is looked up in the newest
part that has it, and all keys of a ranking are looked up at once. Keys are numbers; the key of a
document is the hash of its id. The manifest names the files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, compiled
from porism.hashing import text_number
from porism.inverted import key
from porism.storage.array_file import (
    StoredFile,
    files_fingerprint,
    open_arrays,
    verify,
    write_arrays,
)
from porism.storage.errors import damaged_file_error
from porism.storage.tiers import first_to_merge

Numbers = NDArray[np.uint64]

SHORT = np.uint64(0xFFFFFFFF)
"""The bits of keys that a store of short numbers keeps: enough to compare the words of two texts or
the tokens of two formulas, in half the room.
"""


def short_key(token: str) -> int:
    """Return the short key of a token."""
    return key(token) & int(SHORT)


MAX_HELD = 32 << 20
"""Numbers of 8 bytes that a writer holds before it writes them as a part."""

_SUFFIX = ".part"


@dataclass(frozen=True, slots=True)
class NumberRows:
    """Rows of numbers, one after another: row i begins at ``starts[i]``."""

    numbers: Numbers
    starts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The lengths of the rows."""
        return np.diff(self.starts)


class RowSpans(NamedTuple):
    """Rows that are not copied: row i goes from ``firsts[i]`` to ``lasts[i]`` of the numbers.

    It is the row of the requested key number ``requested[i]``. In a store of short numbers these
    have four bytes, else eight.
    """

    numbers: Numbers
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]
    requested: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Part:
    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    numbers: Numbers
    path: Path


class ForwardStore:
    """The rows of a store, mapped into memory."""

    def __init__(self, folder: Path, files: Sequence[StoredFile]) -> None:
        self._parts = [_mapped(folder, file) for file in reversed(files)]
        self.fingerprint = files_fingerprint(files)

    def spans(self, keys: NDArray[np.int64]) -> Iterator[RowSpans]:
        """Yield the rows of those keys that the store has, by part, without copying."""
        missing = np.arange(len(keys))
        for part in self._parts:
            places = np.searchsorted(part.keys, keys[missing])
            # Places may be one past the end.
            here = places < len(part.keys)
            here[here] = part.keys[places[here]] == keys[missing[here]]
            places = places[here]
            firsts, lasts = part.starts[places], part.starts[places + 1]
            if len(places) and not (
                int(firsts.min()) >= 0
                and int(lasts.max()) <= len(part.numbers)
                and bool((firsts <= lasts).all())
            ):
                raise damaged_file_error(part.path, "a row is outside the numbers")
            yield RowSpans(part.numbers, firsts, lasts, missing[here])
            missing = missing[~here]

    def keys(self) -> NDArray[np.int64]:
        """Return all keys that have a row, ascending."""
        none = np.zeros(0, np.int64)
        return np.unique(np.concatenate([none, *(part.keys for part in self._parts)]))

    def rows(self, keys: NDArray[np.int64]) -> NumberRows:
        """Return the row of each key, an empty one for an unknown key."""
        parts = list(self.spans(keys))
        lengths = np.zeros(len(keys), np.int64)
        for spans in parts:
            lengths[spans.requested] = spans.lasts - spans.firsts
        starts = row_starts(lengths)
        numbers = np.empty(starts[-1], np.uint64)
        for spans in parts:
            _copy(spans.numbers, spans.firsts, spans.lasts, starts[spans.requested], numbers)
        return NumberRows(numbers, starts)


class ForwardWriter:
    """Adds rows to the store in a folder, in parts of bounded size.

    ``files`` are its parts; after ``flush`` they have all that was added, or if ``is_short``, the
    ``SHORT`` bits of the numbers.
    """

    def __init__(
        self, folder: Path, files: Sequence[StoredFile] = (), is_short: bool = False
    ) -> None:
        folder.mkdir(exist_ok=True)
        self._stored = np.uint32 if is_short else np.uint64
        self.files = tuple(files)
        self._folder = folder
        self._keys: list[NDArray[np.int64]] = []
        self._rows: list[NumberRows] = []
        self._held = 0

    def add(self, keys: NDArray[np.int64], rows: NumberRows) -> None:
        """Add the rows of keys, in their order."""
        if not len(keys):
            return
        self._keys.append(keys)
        self._rows.append(rows)
        self._held += len(rows.numbers) + 2 * len(rows.starts)
        if self._held >= MAX_HELD:
            self.flush()

    def flush(self) -> None:
        """Write what was added as a new part."""
        if not self._held:
            return
        keys = np.concatenate(self._keys)
        numbers = np.concatenate([each.numbers for each in self._rows])
        lengths = np.concatenate([each.lengths for each in self._rows])
        order = np.argsort(keys, kind="stable")
        rows = reordered_rows(NumberRows(numbers, row_starts(lengths)), order)
        self._write(self.files, keys[order], rows)
        self._keys, self._rows, self._held = [], [], 0

    def _write(
        self, before: Sequence[StoredFile], keys: NDArray[np.int64], rows: NumberRows
    ) -> None:
        """Write a part after the parts ``before``."""
        last = max((int(Path(file.name).stem) for file in self.files), default=0)
        numbers = rows.numbers.astype(self._stored, copy=False)
        arrays = {"keys": keys, "starts": rows.starts, "numbers": numbers}
        new = write_arrays(self._folder / f"{last + 1:06d}{_SUFFIX}", arrays)
        self.files = (*before, new)

    def merge_recent(self) -> None:
        """Merge the newest parts where they are as large as their older neighbours.

        So there are few parts: of those smaller than what a writer holds, each is larger than all
        newer ones together.
        """
        sizes = [file.size // 8 for file in self.files]
        first = first_to_merge(sizes, MAX_HELD)
        if first >= len(sizes) - 1:
            return
        merging = self.files[first:]
        verify(self._folder, merging)
        store = ForwardStore(self._folder, merging)
        keys = store.keys()
        self._write(self.files[:first], keys, store.rows(keys))


def rows_of(values: Sequence[Collection[int]]) -> NumberRows:
    """Return rows that are given one by one."""
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    return NumberRows(np.fromiter(chain.from_iterable(values), np.uint64), row_starts(lengths))


def doc_keys(doc_ids: Collection[str]) -> NDArray[np.int64]:
    """Return the keys of documents: the ``text_number`` of each id, for many at once."""
    return np.fromiter(map(_KEYS.__getitem__, doc_ids), np.int64, len(doc_ids))


KEYS_KEPT = 100_000
"""Keys of documents that stay in memory, about 20 MB."""


class _DocKeys(dict[str, int]):
    """Remembers keys: one search needs those of its candidates several times."""

    def __missing__(self, doc_id: str) -> int:
        if len(self) >= KEYS_KEPT:
            self.clear()
        number = self[doc_id] = text_number(doc_id)
        return number


_KEYS = _DocKeys()


def distinct_numbers(rows: NumberRows) -> NumberRows:
    """Return each row with its distinct numbers, ascending."""
    row = np.repeat(np.arange(len(rows.starts) - 1), rows.lengths)
    order = np.lexsort((rows.numbers, row))
    numbers, row = rows.numbers[order], row[order]
    is_first = np.ones(len(numbers), bool)
    is_first[1:] = (numbers[1:] != numbers[:-1]) | (row[1:] != row[:-1])
    counts = np.bincount(row[is_first], minlength=len(rows.starts) - 1)
    return NumberRows(numbers[is_first], row_starts(counts))


def row_starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where rows of these lengths begin, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def joined_rows(first: NumberRows, second: NumberRows) -> NumberRows:
    """Return rows and, after them, others."""
    return NumberRows(
        np.concatenate([first.numbers, second.numbers]),
        np.concatenate([first.starts, first.starts[-1] + second.starts[1:]]),
    )


def reordered_rows(rows: NumberRows, order: NDArray[np.int64]) -> NumberRows:
    """Return the rows in another order; a row may occur several times or not at all."""
    firsts, lasts = rows.starts[:-1][order], rows.starts[1:][order]
    starts = row_starts(lasts - firsts)
    numbers = np.empty(starts[-1], np.uint64)
    _copy(rows.numbers, firsts, lasts, starts, numbers)
    return NumberRows(numbers, starts)


@compiled
def _copy(numbers: Array, firsts: Array, lasts: Array, places: Array, copied: Array) -> None:
    """Write each row to its place in ``copied``."""
    for row in range(len(firsts)):
        at = places[row]
        for number in numbers[firsts[row] : lasts[row]]:
            copied[at] = number
            at += 1


def _mapped(folder: Path, file: StoredFile) -> _Part:
    path = folder / file.name
    arrays = open_arrays(folder, file)
    part = _Part(arrays["keys"], arrays["starts"], arrays["numbers"], path)
    if len(part.starts) != len(part.keys) + 1:
        raise damaged_file_error(path, "its keys and rows differ in number")
    return part
