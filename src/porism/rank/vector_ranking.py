"""Ranking by vectors: cosines of a topic with questions and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.embed import is_installed
from porism.errors import PorismError
from porism.inverted import Filter, Index
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import NOT_FOUND, Explanation, summed
from porism.rank.ranker import best_hits, hits_by_id
from porism.rank.rerank import Scores, explained_values
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import DocumentVectors, question_text
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import VectorRole


def topic_vector(vectors: DocumentVectors, topic: Topic) -> NDArray[np.float32]:
    """Return the vector of a topic by the model of the vectors, which must be installed."""
    deadlines.check()
    return vectors.question_vector(question_text(topic.title, topic.body, vectors.role))


def usable_vectors(
    search_index: SearchIndex, role: VectorRole = VectorRole.TEXTS
) -> DocumentVectors | None:
    """Return the vectors of an index, if it has all of them and their model is installed."""
    return None if vector_obstacle(search_index, role) else search_index.text_vectors(role)


def required_vectors(
    search_index: SearchIndex, role: VectorRole = VectorRole.TEXTS
) -> DocumentVectors:
    """Return the vectors of an index; PorismError, with what to do, if it cannot be searched so."""
    vectors = usable_vectors(search_index, role)
    if vectors is None:
        raise PorismError(str(vector_obstacle(search_index, role)))
    return vectors


def vector_obstacle(search_index: SearchIndex, role: VectorRole = VectorRole.TEXTS) -> str | None:
    """Return why an index cannot be searched by vectors, and what to do; None if it can."""
    vectors = search_index.text_vectors(role)
    collection, folder = search_index.collection_path, search_index.folder
    add = f"porism index {collection} -o {folder} --vectors"
    if vectors is None and role is not VectorRole.TEXTS:
        return f"{folder} has no {role} vectors; see porism systems"
    # An index without texts needs no vectors, and so has no model.
    if vectors is None or (vectors.identity is None and not vectors.is_complete):
        return f"{folder} has no vectors; {add} adds them"
    if not vectors.is_complete:
        return f"{folder} does not have all vectors yet; {add} adds the rest"
    if not is_installed(vectors.model):
        return (
            f"{folder} has vectors by {vectors.model}, which is not installed here; see "
            "docs/vectors.md"
        )
    return None


@dataclass(frozen=True, slots=True)
class VectorScorer:
    """The cosine of the topic with the question of a document, or with its answer's best window.

    A document without such a text has 0.
    """

    vectors: DocumentVectors = field(repr=False)
    kind: TextKind

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        return self.of_documents(topic, [hit.doc_id for hit in hits])

    def of_documents(self, topic: Topic, doc_ids: Sequence[DocId]) -> Scores:
        """Return the cosine of each document."""
        query = topic_vector(self.vectors, topic)
        cosines = self.vectors.scores(self.kind, query, doc_ids)
        return np.nan_to_num(cosines.astype(np.float64))

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        label = "question" if self.kind is TextKind.QUESTION else "answer"
        return explained_values(f"cosine with the {label}", self.scores(topic, hits))


@dataclass(frozen=True, slots=True)
class VectorRanker:
    """Documents by the weighted cosines of their questions and their answers.

    The nearest ``depth`` documents by each, or ``k`` if that is more, are candidates; exact scores
    then order them. A topic without text finds nothing.
    """

    index: Index = field(repr=False)
    vectors: DocumentVectors = field(repr=False)
    question: float = 0.5
    answer: float = 0.5
    depth: int = 1000

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        doc_ids = self._candidates(topic, max(k, self.depth), within)
        total = sum(
            (weight * scorer.of_documents(topic, doc_ids) for weight, scorer in self._parts),
            np.zeros(len(doc_ids)),
        )
        return best_hits(doc_ids, total, k)

    def _candidates(self, topic: Topic, depth: int, within: Filter | None) -> list[DocId]:
        query = topic_vector(self.vectors, topic)
        if not query.any():
            return []
        nearest = (
            self.vectors.nearest(scorer.kind, query, depth, self.index, within)
            for _, scorer in self._parts
        )
        return list(dict.fromkeys(DocId(doc_id) for found in nearest for _, doc_id in found))

    @property
    def _parts(self) -> list[tuple[float, VectorScorer]]:
        weights = {TextKind.QUESTION: self.question, TextKind.ANSWER: self.answer}
        return [
            (weight, VectorScorer(self.vectors, kind)) for kind, weight in weights.items() if weight
        ]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        found = hits_by_id(self, topic, doc_ids, within)
        hits = tuple(found.values())
        by_part = [(weight, scorer.explain(topic, hits)) for weight, scorer in self._parts]
        explained = {
            hit.doc_id: summed(
                "vectors",
                (
                    Explanation(
                        f"{parts[place].label}, {parts[place].value:.4f} × {weight:g}",
                        weight * parts[place].value,
                    )
                    for weight, parts in by_part
                ),
            )
            for place, hit in enumerate(hits)
        }
        return [explained.get(doc_id, NOT_FOUND) for doc_id in doc_ids]

    def tokens(self, topic: Topic) -> None:
        return None
