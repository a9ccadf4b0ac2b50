"""How well the formulas of documents match those of a topic, each as a whole.

A formula is the set of paths from the leaves of its operator tree up. Two formulas are alike as
far as these sets overlap; a document matches a formula as well as the best of its own does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Notation, query_tokens
from porism.index import keys
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
    vocabulary = np.unique(np.concatenate([*asked, np.empty(0, np.uint64)]))
    shared = np.zeros((len(asked), len(formulas.starts) - 1))
    if not len(vocabulary):
        return shared
    places = np.searchsorted(vocabulary, formulas.numbers)
    places[places == len(vocabulary)] = 0
    is_asked = vocabulary[places] == formulas.numbers
    of_formula = np.repeat(np.arange(shared.shape[1]), formulas.lengths)[is_asked]
    places = places[is_asked]
    for row, paths in enumerate(asked):
        has = np.isin(vocabulary, paths)[places]
        shared[row] = np.bincount(of_formula[has], minlength=shared.shape[1])
    return shared


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
        stored = self.library.tokens[Notation.PATHS].rows(numbers.view(np.int64))
        return best_of_each(self._of_formulas(formulas, stored), documents, place)

    def _of_formulas(self, formulas: Sequence[Formula], stored: Rows) -> Matrix:
        asked = [path_set(formula) for formula in formulas]
        sizes = np.array([[len(paths)] for paths in asked], float).reshape(-1, 1)
        between = self.query * sizes + (1 - self.query) * stored.lengths
        shared = overlaps(asked, stored)
        alike: Matrix = np.divide(shared, between, out=np.zeros_like(shared), where=between > 0)
        return alike**self.power
