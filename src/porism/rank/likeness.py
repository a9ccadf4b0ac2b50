"""How well the formulas of documents match those of a topic, each as a whole.

A formula is the set of paths from the leaves of its operator tree up. Two formulas are alike as
far as these sets overlap; a document matches a formula as well as the best of its own does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Notation, query_tokens
from porism.index import keys
from porism.index.compiled import Array, compiled
from porism.index.keys import Keys
from porism.indexing.forward import Rows, keys_of
from porism.indexing.library import Library
from porism.model import Formula

Matrix = NDArray[np.float64]


def path_set(formula: Formula) -> Keys:
    """The keys of the distinct paths of a query formula; none if it was refused."""
    return np.unique(keys(query_tokens(Notation.PATHS, formula.latex, formula.macros).tokens))


def overlaps(asked: Sequence[Keys], formulas: Rows) -> Matrix:
    """How many paths each of the asked sets (rows) shares with each formula (columns)."""
    shared = np.zeros((len(asked), len(formulas.starts) - 1))
    vocabulary = np.unique(np.concatenate([*asked, np.empty(0, np.uint64)]))
    if len(vocabulary):
        has = np.array([np.isin(vocabulary, paths) for paths in asked])
        _count_shared(formulas.numbers, formulas.starts, _Table.of(vocabulary), has, shared)
    return shared


class _Table(NamedTuple):
    """Where each of some keys stands among them: a hash table, twice as large or more.

    A key's slot is given by its lowest bits, or is the next that was free; 0 marks a free one.
    Keys are hashes already, so their bits are as good as any.
    """

    keys: Keys
    places: NDArray[np.int64]

    @staticmethod
    def of(keys: Keys) -> _Table:
        size = 1 << (2 * len(keys)).bit_length()
        table = _Table(np.zeros(size, np.uint64), np.zeros(size, np.int64))
        for place, key in enumerate(keys.tolist(), start=1):
            slot = key & (size - 1)
            while table.places[slot]:
                slot = (slot + 1) & (size - 1)
            table.keys[slot], table.places[slot] = key, place
        return table


@compiled
def _count_shared(numbers: Array, starts: Array, table: _Table, has: Array, shared: Array) -> None:
    """Count in ``shared`` for each asked set and formula the paths that both have."""
    slots, places = table
    last = np.uint64(len(slots) - 1)
    for formula in range(len(starts) - 1):
        for number in numbers[starts[formula] : starts[formula + 1]]:
            slot = number & last
            while places[slot] and slots[slot] != number:
                slot = (slot + np.uint64(1)) & last
            if places[slot]:
                for row in range(len(has)):
                    shared[row, formula] += has[row, places[slot] - 1]


def best_of_each(likeness: Matrix, documents: Rows, place: NDArray[np.int64]) -> Matrix:
    """For each asked set (rows) and document (columns) the likeness of its best formula, or 0.

    ``place`` says for each formula of the documents, one after another, its column.
    """
    best = np.zeros((len(likeness), len(documents.starts) - 1))
    filled = np.flatnonzero(documents.lengths)
    if len(filled) and len(likeness):
        best[:, filled] = np.maximum.reduceat(
            likeness[:, place], documents.starts[:-1][filled], axis=1
        )
    return best


@dataclass(frozen=True, slots=True)
class Likeness:
    """The share of paths in common, of a size between that of the one and of the other formula.

    With ``query`` 1 it is the share of the topic's formula that is matched, with 0 that of the
    document's; ``power`` above 1 favours whole matches over partial ones.
    """

    library: Library = field(repr=False)
    query: float = 0.8
    power: float = 2.0

    def of_documents(self, formulas: Sequence[Formula], doc_ids: Sequence[str]) -> Matrix:
        """For each formula (rows) and document (columns) how well the best match is, 0 to 1."""
        documents = self.library.formulas_of.rows(keys_of(doc_ids))
        numbers, place = np.unique(documents.numbers, return_inverse=True)
        stored = self.library.tokens(Notation.PATHS).rows(numbers.view(np.int64))
        return best_of_each(self._of_formulas(formulas, stored), documents, place)

    def _of_formulas(self, formulas: Sequence[Formula], stored: Rows) -> Matrix:
        asked = [path_set(formula) for formula in formulas]
        sizes = np.array([[len(paths)] for paths in asked], float).reshape(-1, 1)
        between = self.query * sizes + (1 - self.query) * stored.lengths
        shared = overlaps(asked, stored)
        alike: Matrix = np.divide(shared, between, out=np.zeros_like(shared), where=between > 0)
        return alike**self.power
