"""Digests of what was indexed, by which an update finds what has changed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.collection.formulas.visual_groups import VisualFormula
from porism.hashing import text_number
from porism.storage.array_file import StoredFile, open_arrays, verify, write_arrays

Digests = NDArray[np.int64]
"""Rows of the number of a document's id and the digest of its content, by ascending number."""


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Numbers of the ids of documents: new or changed ones, and those that are gone."""

    to_write: frozenset[int]
    to_delete: frozenset[int]

    @property
    def is_any(self) -> bool:
        """Whether anything has changed."""
        return bool(self.to_write or self.to_delete)


def digests(documents: Iterable[tuple[str, int]]) -> Digests:
    """Return the table of documents with their digests."""
    numbers = chain.from_iterable((text_number(doc_id), digest) for doc_id, digest in documents)
    return _table(np.fromiter(numbers, np.int64))


def _table(numbers: NDArray[np.int64]) -> Digests:
    table = numbers.reshape(-1, 2)
    return table[np.argsort(table[:, 0])]


class PassingDigests:
    """The digests of visually distinct formulas, noted while a build reads them.

    Reading all of them is a long query, so a build should do it once.
    """

    def __init__(self) -> None:
        self._numbers = array("q")

    def noted(self, formulas: Iterable[VisualFormula]) -> Iterator[VisualFormula]:
        """Yield the formulas, and note the digest of each."""
        for formula in formulas:
            digest = text_number(str(tuple(formula)))
            self._numbers.extend((text_number(formula.visual_id), digest))
            yield formula

    def table(self) -> Digests:
        """Return the table of the formulas that have been read."""
        return _table(np.array(self._numbers, np.int64))


def changes(before: Digests, after: Digests) -> DocumentChanges:
    """Return the changes that lead from ``before`` to ``after``."""
    places = np.searchsorted(before[:, 0], after[:, 0])
    # Places may be one past the end.
    padded = np.vstack([before, np.full((1, 2), -1)])
    same = (padded[places] == after).all(axis=1)
    gone = np.setdiff1d(before[:, 0], after[:, 0], assume_unique=True)
    return DocumentChanges(frozenset(after[~same, 0].tolist()), frozenset(gone.tolist()))


def write_digests(path: Path, table: Digests) -> StoredFile:
    """Write the table for the next update."""
    return write_arrays(path, {"numbers": table[:, 0], "digests": table[:, 1]})


def read_digests(folder: Path, stored: StoredFile) -> Digests:
    """Read a table; the checksum is verified, because the whole file is read."""
    verify(folder, [stored])
    arrays = open_arrays(folder, stored)
    return np.column_stack([arrays["numbers"], arrays["digests"]])
