"""Re-ranking by a cross-encoder, which reads the topic and a document together.

It is by far the slowest feature, so it scores the first documents of a ranking only, in their
order, for a limited time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from porism.errors import PorismError
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.neural.pair_scores import (
    USUAL_BUDGET,
    KnownScores,
    PairScores,
    TimeBudget,
    explained_scores,
    falling_scores,
)
from porism.rank.neural.thread_texts import TopicText, thread_texts
from porism.rank.rerank import Scorer, Scores
from porism.rank.systems.late_interaction import MaxSimScorer
from porism.rank.vector_ranking import usable_vectors, vector_obstacle
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole
from porism.searchindex.text_encoders import shared_cross_encoder


@dataclass(frozen=True, slots=True)
class CrossEncoderScorer:
    """The score of a cross-encoder for the topic and each answer.

    Documents are scored in their order, as long as the time budget lasts. Those that are left have
    lower scores than all others, which fall, so they keep their order. With ``has_question`` the
    model reads the question of the thread before the answer.
    """

    search_index: SearchIndex = field(repr=False)
    model: str
    """The folder of the model, which is opened when first needed, once for the process."""
    budget: TimeBudget = USUAL_BUDGET
    query: TopicText = TopicText.QUESTION
    has_question: bool = False
    memory: PairScores = field(default_factory=PairScores, init=False, repr=False, compare=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        doc_ids = [hit.doc_id for hit in hits]
        return falling_scores(self._scored(self.query.of(topic), doc_ids), doc_ids)

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        query, doc_ids = self.query.of(topic), [hit.doc_id for hit in hits]
        left = self.memory.left(query, doc_ids)
        known = self._scored(query, [doc_id for doc_id in doc_ids if doc_id not in left])
        return explained_scores(known, doc_ids, "cross-encoder, question with answer")

    def _scored(self, query: str, doc_ids: Sequence[DocId]) -> KnownScores:
        if not doc_ids:
            return {}
        encoder = shared_cross_encoder(self.model)  # before the clock starts

        def batch_scores(batch: Sequence[DocId]) -> Sequence[float]:
            pairs = [(query, text) for text in self._texts(batch)]
            scores: list[float] = encoder.scores(pairs).tolist()
            return scores

        return self.memory.scored(query, doc_ids, batch_scores, self.budget)

    def _texts(self, doc_ids: Sequence[DocId]) -> list[str]:
        texts = thread_texts(self.search_index, doc_ids)
        if not self.has_question:
            return [text.answer for text in texts]
        return ["\n".join(filter(None, text)) for text in texts]


def pair_scorer(search_index: SearchIndex, query: TopicText = TopicText.QUESTION) -> Scorer:
    """Return the scorer by the cross-encoder of an index, or else by late interaction.

    Late interaction compares the topic with questions and answers by the model of the vectors.
    """
    model = search_index.model(ModelRole.CROSS_ENCODER)
    if model is not None:
        return CrossEncoderScorer(search_index, model, query=query)
    vectors = usable_vectors(search_index)
    if vectors is None:
        raise PorismError(
            f"{search_index.folder} has neither a cross-encoder nor vectors to use in its place: "
            f"porism index {search_index.collection_path} -o {search_index.folder} --model "
            f"cross-encoder=FOLDER sets one; {vector_obstacle(search_index)}"
        )
    return MaxSimScorer(search_index, vectors)
