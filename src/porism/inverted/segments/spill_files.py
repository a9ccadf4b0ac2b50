"""Spill files: postings of documents of one block, by term, on disk until a segment is written.

A spill file ends with its block or when memory is full; a block may have several, in the order of
documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, IntLike, compiled
from porism.inverted.files import append_array, skip_array
from porism.inverted.keys import Keys

U32 = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class SpillField:
    """The lists of one field, one after another; ``sizes`` are their lengths.

    Documents are numbered in their block. A count of 255 means the next of ``large``.
    """

    keys: Keys
    sizes: U32
    documents: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    large: U32


@dataclass(frozen=True, slots=True)
class SpillFile:
    """A spill file and the block it belongs to."""

    path: Path
    block: int
    fields: int

    def read(self) -> list[SpillField]:
        """Read the postings, by field."""
        with self.path.open("rb") as file:
            return [SpillField(*(np.load(file) for _ in range(5))) for _ in range(self.fields)]

    def sizes(self, field: int) -> tuple[Keys, U32]:
        """Return the keys of a field, ascending, and how many documents have each."""
        with self.path.open("rb") as file:
            for _ in range(5 * field):
                skip_array(file)
            return np.load(file), np.load(file)


def write_spill_file(path: Path, block: int, fields: Sequence[SpillField]) -> SpillFile:
    """Write postings of one block."""
    with path.open("wb") as file:
        for field in fields:
            for array in (field.keys, field.sizes, field.documents, field.counts, field.large):
                append_array(file, array)
    return SpillFile(path, block, len(fields))


def document_frequencies(spills: Sequence[SpillFile], field: int) -> tuple[Keys, U32]:
    """Return the keys of a field in all spill files, ascending, and how many documents have each.

    Files are added up pairwise, so each key is moved about log2(files) times, and only a few sums
    are held at a time.
    """
    sums: list[tuple[int, Keys, U32]] = []
    for spill in spills:
        sums.append((1, *spill.sizes(field)))
        while len(sums) > 1 and sums[-1][0] >= sums[-2][0]:
            sums.append(_sum(sums.pop(), sums.pop()))
    while len(sums) > 1:
        sums.append(_sum(sums.pop(), sums.pop()))
    if not sums:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    return sums[0][1], sums[0][2]


def _sum(one: tuple[int, Keys, U32], other: tuple[int, Keys, U32]) -> tuple[int, Keys, U32]:
    keys = np.empty(len(one[1]) + len(other[1]), np.uint64)
    sizes = np.empty(len(keys), np.uint32)
    end = _add_up(one[1], one[2], other[1], other[2], keys, sizes)
    return one[0] + other[0], keys[:end].copy(), sizes[:end].copy()


@compiled
def _add_up(
    keys_a: Array, sizes_a: Array, keys_b: Array, sizes_b: Array, keys: Array, sizes: Array
) -> IntLike:
    """Merge ascending keys, adding the sizes of equal ones, and return how many there are."""
    i = j = end = 0
    while i < len(keys_a) or j < len(keys_b):
        if j == len(keys_b) or (i < len(keys_a) and keys_a[i] < keys_b[j]):
            keys[end] = keys_a[i]
            sizes[end] = sizes_a[i]
            i += 1
        elif i == len(keys_a) or keys_b[j] < keys_a[i]:
            keys[end] = keys_b[j]
            sizes[end] = sizes_b[j]
            j += 1
        else:
            keys[end] = keys_a[i]
            sizes[end] = sizes_a[i] + sizes_b[j]
            i += 1
            j += 1
        end += 1
    return end
