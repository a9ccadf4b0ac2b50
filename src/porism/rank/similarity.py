"""Similarity of the formulas of documents to those of a topic, each as a whole.

A formula is the set of paths from the leaves of its operator tree up. The similarity of two
formulas is the overlap of these sets; that of a document is the best of its formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import FormulaTokens, Unit, query_tokens
from porism.compiler import Array, IntLike, compiled
from porism.inverted import keys
from porism.inverted.keys import Keys
from porism.model import Formula
from porism.searchindex.components.forward_store import (
    SHORT,
    NumberRows,
    Numbers,
    RowSpans,
    doc_keys,
)
from porism.searchindex.index_folder import SearchIndex

Matrix = NDArray[np.float64]

FEW_PATHS = 500
"""Paths of a query up to which a table of them is large; few typed queries have more."""


def path_set(formula: Formula) -> Keys:
    """Return the short keys of the distinct paths of a query formula; none if it was refused."""
    return _path_set(formula.latex, formula.macros)


@lru_cache(256)
def _path_set(latex: str, macros: str) -> Keys:
    paths = np.unique(keys(query_tokens(FormulaTokens.PATHS, latex, macros).tokens) & SHORT)
    paths.setflags(write=False)  # callers share it
    return paths


def shared_path_counts(path_sets: Sequence[Keys], formulas: RowSpans) -> Matrix:
    """Return how many paths each query set (rows) shares with each formula (columns)."""
    shared = np.zeros((len(formulas.firsts), len(path_sets)))
    vocabulary = np.unique(np.concatenate([*path_sets, np.empty(0, np.uint64)]))
    if len(vocabulary):
        has = np.array([np.isin(vocabulary, paths) for paths in path_sets])
        # Most paths are not in the query: in a large table they meet a free slot at once. With 8
        # slots a key it takes almost three times as long, unless the table outgrows the caches.
        table = _Table.of(vocabulary, 64 if len(vocabulary) <= FEW_PATHS else 8)
        _count_shared(formulas, table, np.ascontiguousarray(has.T), shared)
    return shared.T


class _Table(NamedTuple):
    """A hash table from keys to their places in an array, with ``times`` slots a key or more.

    A key's slot is given by its lowest bits, or is the next free one; places count from 1, and 0
    marks a free slot. Keys are hashes already, so their bits are as good as any.
    """

    keys: Keys
    places: NDArray[np.int64]

    @staticmethod
    def of(keys: Keys, times: int) -> _Table:
        size = 1 << (times * len(keys)).bit_length()
        table = _Table(np.zeros(size, np.uint64), np.zeros(size, np.int64))
        _fill(table, keys)
        return table


@compiled
def _fill(table: _Table, keys: Array) -> None:
    for place in range(len(keys)):
        slot = _slot(table, keys[place])
        table.keys[slot] = keys[place]
        table.places[slot] = place + 1


@compiled
def _look_up(numbers: Array, table: _Table, places: Array) -> None:
    """Write the place of each number among the keys of the table, which has all of them."""
    for at in range(len(numbers)):
        places[at] = table.places[_slot(table, numbers[at])] - 1


@compiled
def _slot(table: _Table, key: IntLike) -> IntLike:
    """Return the slot that a key has, or would have."""
    last = np.uint64(len(table.keys) - 1)
    slot = key & last
    while table.places[slot] and table.keys[slot] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@compiled
def _count_shared(formulas: RowSpans, table: _Table, has: Array, shared: Array) -> None:
    """Count in ``shared`` the paths that each formula has in common with each query set."""
    for formula in range(len(formulas.firsts)):
        for number in formulas.numbers[formulas.firsts[formula] : formulas.lasts[formula]]:
            place = table.places[_slot(table, number)]
            if place:
                for row in range(has.shape[1]):
                    shared[formula, row] += has[place - 1, row]


def best_similarities(
    similarities: Matrix, documents: NumberRows, places: NDArray[np.int64]
) -> Matrix:
    """Return for each query set (rows) and document (columns) the best similarity, or 0.

    ``places`` has the column of each formula of the documents, one after another.
    """
    best = np.zeros((len(similarities), len(documents.starts) - 1))
    filled = np.flatnonzero(documents.lengths)
    if len(filled) and len(similarities):
        best[:, filled] = np.maximum.reduceat(
            similarities[:, places], documents.starts[:-1][filled], axis=1
        )
    return best


@dataclass(frozen=True, slots=True)
class FormulaSimilarity:
    """The share of paths in common, of a weighted mean of the sizes of the two formulas.

    With ``query`` 1 it is the share of the topic's formula that is matched, with 0 that of the
    document's; ``power`` above 1 favours whole matches over partial ones.
    """

    search_index: SearchIndex = field(repr=False)
    query: float = 0.8
    power: float = 2.0
    unit: Unit = field(default=Unit.ANSWERS, repr=False)
    """Whose formulas are compared: those of answers and notes, or of questions."""

    def of_documents(self, path_sets: Sequence[Keys], doc_ids: Sequence[str]) -> Matrix:
        """Return for each set of paths (rows) and document (columns) the best match, 0 to 1.

        The sets are those of formulas, as ``path_set`` makes them.
        """
        documents = self.search_index.formulas_of(self.unit).rows(doc_keys(doc_ids))
        numbers, places = _distinct(documents.numbers)
        return best_similarities(self.of_numbers(path_sets, numbers), documents, places)

    def of_numbers(self, path_sets: Sequence[Keys], numbers: Numbers) -> Matrix:
        """Return the similarity of each set (rows) and distinct formula by number (columns).

        A number that the index does not have is similar to nothing.
        """
        sizes = np.array([len(paths) for paths in path_sets], float).reshape(-1, 1)
        similarities = np.zeros((len(path_sets), len(numbers)))
        for stored in self.search_index.tokens(FormulaTokens.PATHS).spans(numbers.view(np.int64)):
            deadlines.check()
            between = self.query * sizes + (1 - self.query) * (stored.lasts - stored.firsts)
            shared = shared_path_counts(path_sets, stored)
            # Without any path there is nothing to divide by, and nothing shared.
            similarities[:, stored.requested] = (shared / np.maximum(between, 1e-9)) ** self.power
        return similarities


def _distinct(numbers: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """Return the distinct numbers, ascending, and the place of each number among them.

    The same as ``np.unique``, but several times as fast, because that sorts places, too.
    """
    ascending = np.sort(numbers)
    is_first = np.ones(len(numbers), bool)
    is_first[1:] = ascending[1:] != ascending[:-1]
    distinct = ascending[is_first]
    places = np.empty(len(numbers), np.int64)
    _look_up(numbers, _Table.of(distinct, 2), places)
    return distinct, places
