"""Ranking of visually distinct formulas by their vectors: cosines with the formula of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import query_layout
from porism.errors import PorismError
from porism.formula.operators import operator_tree
from porism.inverted import Filter, Index
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.explanations import NOT_FOUND, Explanation
from porism.rank.query_builder import focus_formulas
from porism.rank.ranker import hits_by_id
from porism.searchindex.components.formula_vectors import FormulaVectors
from porism.searchindex.index_folder import SearchIndex
from porism.structure.embeddings import FormulaInput


def query_inputs(topic: Topic) -> list[FormulaInput]:
    """Return the formulas that a topic is about as an encoder gets them."""
    inputs: list[FormulaInput] = []
    for formula in focus_formulas(topic):
        layout = query_layout(formula.latex, formula.macros).tree
        inputs.append(FormulaInput(formula.latex, layout, cache(partial(operator_tree, layout))))
    return inputs


def formula_vector_obstacle(search_index: SearchIndex, embedding: str) -> str | None:
    """Return why an index cannot be searched by an embedding, and what to do; None if it can."""
    vectors = search_index.formula_vectors(embedding)
    folder = search_index.folder
    if vectors is None or vectors.model is None:
        return f"{folder} has no {embedding} vectors; porism train {embedding} {folder} adds them"
    if not vectors.is_complete:
        return (
            f"{folder} does not have all {embedding} vectors yet; porism update {folder} adds the "
            "rest"
        )
    return None


def usable_formula_vectors(search_index: SearchIndex, embedding: str) -> FormulaVectors:
    """Return the vectors of an index by an embedding; PorismError if it lacks any."""
    obstacle = formula_vector_obstacle(search_index, embedding)
    vectors = search_index.formula_vectors(embedding)
    if obstacle is not None or vectors is None:
        raise PorismError(str(obstacle))
    return vectors


@dataclass(frozen=True, slots=True)
class FormulaVectorRanker:
    """Visually distinct formulas by the cosines of their vectors with that of a topic's formula.

    A formula without any part in common, whose cosine is not positive, is not found; nor is any for
    a query without known parts, such as one of wildcards alone. The search is exact in an index of
    less than 262,144 formulas, and reads the nearest clusters of a larger one (``vectors.store``).
    """

    index: Index = field(repr=False)
    vectors: FormulaVectors = field(repr=False)
    embedding: str

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        deadlines.check()
        query = self._query(topic)
        if not query.any():
            return ()
        nearest = self.vectors.nearest(query, k, self.index, within)
        return ranked(Hit(DocId(doc_id), score) for score, doc_id in nearest if score > 0)

    def cosines(self, topic: Topic, doc_ids: Sequence[DocId]) -> NDArray[np.float64]:
        """Return the cosine of each formula, 0 for one without a vector."""
        query = self._query(topic)
        if not query.any():
            return np.zeros(len(doc_ids))
        return np.nan_to_num(self.vectors.scores(query, doc_ids).astype(np.float64))

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        hits = hits_by_id(self, topic, doc_ids, within)
        label = f"cosine of {self.embedding} vectors"
        return [
            Explanation(label, hits[doc_id].score) if doc_id in hits else NOT_FOUND
            for doc_id in doc_ids
        ]

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        """Return no tokens at all if there is nothing to search for, and None otherwise."""
        return None if self._query(topic).any() else ()

    def _query(self, topic: Topic) -> NDArray[np.float32]:
        return self.vectors.query_vector(query_inputs(topic))


def formula_vector_ranker(search_index: SearchIndex, embedding: str) -> FormulaVectorRanker:
    """Return the ranker by an embedding; PorismError if the index lacks any of its vectors."""
    vectors = usable_formula_vectors(search_index, embedding)
    return FormulaVectorRanker(search_index.formulas, vectors, embedding)
