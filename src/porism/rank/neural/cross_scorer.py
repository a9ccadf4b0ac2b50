"""Re-ranking by a cross-encoder, which reads the topic and a document together.

It is by far the slowest feature, so it scores the first documents of a ranking only, in their
order, for a limited time.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from porism import deadlines
from porism.errors import PorismError
from porism.hashing import text_key
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.neural.thread_texts import TopicText, thread_texts
from porism.rank.rerank import NOT_SCORED, Scorer, Scores
from porism.rank.systems.late_interaction import MaxSimScorer
from porism.rank.vector_ranking import usable_vectors, vector_obstacle
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole
from porism.searchindex.text_encoders import shared_cross_encoder

BATCH = 16
"""Pairs between two looks at the clock."""

BUDGET = 30.0
"""Seconds for one topic: a model of the size of MiniLM scores about a thousand pairs in them."""

MAX_REMEMBERED = 100_000
"""Scores that a scorer remembers: explanations and further pages ask for the same ones."""


@dataclass(slots=True)
class PairScores:
    """The scores of the pairs that were scored last; None if time did not suffice for one."""

    limit: int = MAX_REMEMBERED
    _known: OrderedDict[tuple[int, DocId], float | None] = field(
        default_factory=OrderedDict, init=False
    )
    _lock: Lock = field(default_factory=Lock, init=False)

    def of(self, query: int, doc_ids: Sequence[DocId]) -> dict[DocId, float | None]:
        """Return what is known of the documents for a query."""
        with self._lock:
            keys = (key for doc_id in doc_ids if (key := (query, doc_id)) in self._known)
            return {key[1]: self._known[key] for key in keys}

    def update(self, query: int, scores: Mapping[DocId, float | None]) -> None:
        """Remember the scores of documents for a query."""
        with self._lock:
            for doc_id, score in scores.items():
                self._known[query, doc_id] = score
                self._known.move_to_end((query, doc_id))
            while len(self._known) > self.limit:
                self._known.popitem(last=False)


@dataclass(frozen=True, slots=True)
class CrossEncoderScorer:
    """The score of a cross-encoder for the topic and each answer.

    Documents are scored in their order, until ``budget`` seconds are over (None: no limit). Those
    that are left have lower scores than all others, which fall, so they keep their order. With
    ``has_question`` the model reads the question of the thread before the answer.
    """

    search_index: SearchIndex = field(repr=False)
    model: str
    """The folder of the model, which is opened when first needed, once for the process."""
    budget: float | None = BUDGET
    has_question: bool = False
    query: TopicText = TopicText.QUESTION
    clock: Callable[[], float] = field(default=time.monotonic, repr=False, compare=False)
    memory: PairScores = field(default_factory=PairScores, init=False, repr=False, compare=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        doc_ids = [hit.doc_id for hit in hits]
        known = self._scored(self.query.of(topic), doc_ids)
        lowest = min((score for score in known.values() if score is not None), default=0.0)
        return np.array(
            [
                lowest - 1 - place / len(hits) if (score := known[doc_id]) is None else score
                for place, doc_id in enumerate(doc_ids)
            ]
        )

    def _scored(self, query: str, doc_ids: Sequence[DocId]) -> dict[DocId, float | None]:
        """Return the scores of documents, None for those that time did not suffice for."""
        deadlines.check()
        key = text_key(query)
        known: dict[DocId, float | None] = dict.fromkeys(doc_ids) | self.memory.of(key, doc_ids)
        new = [doc_id for doc_id, score in known.items() if score is None]
        if new:
            encoder = shared_cross_encoder(self.model)
            start = self.clock()
            for at in range(0, len(new), BATCH):
                if self.budget is not None and self.clock() - start >= self.budget:
                    break
                deadlines.check()
                batch = new[at : at + BATCH]
                pairs = [(query, text) for text in self._texts(batch)]
                known |= zip(batch, encoder.scores(pairs).tolist(), strict=True)
            self.memory.update(key, {doc_id: known[doc_id] for doc_id in new})
        return known

    def _texts(self, doc_ids: Sequence[DocId]) -> list[str]:
        texts = thread_texts(self.search_index, doc_ids)
        if not self.has_question:
            return [text.answer for text in texts]
        return ["\n".join(filter(None, text)) for text in texts]

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        query, doc_ids = self.query.of(topic), [hit.doc_id for hit in hits]
        known = self.memory.of(text_key(query), doc_ids)
        left = {doc_id for doc_id, score in known.items() if score is None}
        scored = self._scored(query, [doc_id for doc_id in doc_ids if doc_id not in left])
        return [
            NOT_SCORED
            if (score := scored.get(doc_id)) is None
            else Explanation("cross-encoder, question with answer", score)
            for doc_id in doc_ids
        ]


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
