"""What a soft cosine measure multiplies the score of a document by: sqrt(d'd / d'Sd).

It is 1 for a document whose terms are not similar to each other, and less for others, so that they
do not gain from terms that repeat each other. The factors of all documents are computed in two
passes over the postings of a field when they are first needed, in the memory of the process: about
0.2 s for 3,400 answers. They are not stored, so a new model or an updated index leaves nothing
behind that could be out of date.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import FieldSpec
from porism.compiler import Array, compiled
from porism.inverted import Index, WeightingModel
from porism.rank.soft_cosine.similarity_matrix import TermSimilarities
from porism.searchindex.components.forward_store import doc_keys

Factors = NDArray[np.float64]

_Known = dict[tuple[str, WeightingModel, TermSimilarities], tuple[NDArray[np.int64], Factors]]

_COMPUTING = threading.Lock()
_known: WeakKeyDictionary[Index, _Known] = WeakKeyDictionary()


def document_factors(
    index: Index,
    spec: FieldSpec,
    model: WeightingModel,
    similarities: TermSimilarities,
    doc_ids: Sequence[str],
) -> Factors:
    """Return the factors of documents in a field; 1 for documents that are not there."""
    with _COMPUTING:
        of_index = _known.setdefault(index, {})
        which = spec.name, model, similarities
        if which not in of_index:
            of_index[which] = _all_factors(index, spec, model, similarities)
        keys, factors = of_index[which]
    wanted = doc_keys(doc_ids)
    if not len(keys):
        return np.ones(len(wanted))
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, factors[places], 1.0)


def _all_factors(
    index: Index, spec: FieldSpec, model: WeightingModel, similarities: TermSimilarities
) -> tuple[NDArray[np.int64], Factors]:
    """Return the keys of all documents, ascending, and their factors."""
    frequencies = _frequencies(index, spec.name)
    average = index.fields[spec.name].average_length
    room = np.zeros(len(similarities.terms))
    keys, factors = [np.zeros(0, np.int64)], [np.zeros(0)]
    for part in index.postings(spec.name):
        deadlines.check()
        lengths = index.lengths(spec.name, part.doc_ids)
        share = lengths / average if average > 0 else np.zeros(len(lengths))
        norms = spec.k1 * (1 - spec.b + spec.b * share)
        idfs = np.array(
            [model.idf(index.documents, frequencies[term]) for term in part.keys.tolist()]
        )
        terms = np.repeat(np.arange(len(part.keys)), part.sizes)
        counts, norm = part.counts.astype(np.float64), norms[part.documents]
        if model.is_logarithmic:
            weights = idfs[terms] * (1.0 + np.log2(1.0 + np.log2(counts))) / norm
        else:
            weights = idfs[terms] * counts / (counts + norm)
        order = np.argsort(part.documents, kind="stable")
        starts = np.searchsorted(part.documents[order], np.arange(len(part.doc_ids) + 1))
        of_part = np.ones(len(part.doc_ids))
        _ratios(
            starts,
            similarities.rows_of(part.keys)[terms][order],
            weights[order],
            similarities.starts,
            similarities.columns,
            similarities.values,
            room,
            of_part,
        )
        keys.append(doc_keys(part.doc_ids))
        factors.append(of_part)
    all_keys = np.concatenate(keys)
    ascending = np.argsort(all_keys)
    return all_keys[ascending], np.concatenate(factors)[ascending]


def _frequencies(index: Index, field: str) -> dict[int, int]:
    """Return how many documents have each term of a field, by its key."""
    frequencies: dict[int, int] = {}
    for part in index.postings(field):
        for term, size in zip(part.keys.tolist(), part.sizes.tolist(), strict=True):
            frequencies[term] = frequencies.get(term, 0) + size
    return frequencies


@compiled
def _ratios(
    starts: Array,
    rows: Array,
    weights: Array,
    matrix_starts: Array,
    matrix_columns: Array,
    matrix_values: Array,
    room: Array,
    ratios: Array,
) -> None:
    """Write sqrt(d'd / d'Sd) of each document; ``room`` has a zero for each term of S."""
    for document in range(len(ratios)):
        first, last = starts[document], starts[document + 1]
        hard = 0.0
        for at in range(first, last):
            hard += weights[at] * weights[at]
            if rows[at] >= 0:
                room[rows[at]] = weights[at]
        soft = hard
        for at in range(first, last):
            if rows[at] >= 0:
                for cell in range(matrix_starts[rows[at]], matrix_starts[rows[at] + 1]):
                    soft += weights[at] * matrix_values[cell] * room[matrix_columns[cell]]
        for at in range(first, last):
            if rows[at] >= 0:
                room[rows[at]] = 0.0
        if soft > 0:
            ratios[document] = np.sqrt(hard / soft)
