"""Answers to similar questions, after DPRL 2021 and 2022 (systems.md 2.7, S3 section 4.4).

The questions nearest to a topic are found by their vectors; the score of an answer to one of them
is the similarity of its question (QQ) times another factor, each at least 0:

- ``dprl-qq-qa``: the similarity of the answer with the topic (QA), by a cross-encoder where the
  index has one, and else by the cosine of their vectors;
- ``dprl-qq-votes``: the votes of the answer (the lab's "MathSE"), as 1 + ln(1 + votes). The
  original multiplies by the votes themselves, so an answer with 300 votes to any question comes
  before one with 5 votes to a duplicate. With the 1, an answer without votes, and a collection
  without any, ranks by similarity alone.

Ours differ from the originals in the models: those were Sentence-BERT, trained on pairs of
duplicates, and a cross-encoder trained on judgments of 2020; here the vectors are those of the
index, which ``porism train bi-encoder`` can tune to duplicates. The originals took the answers to
the 1,000 nearest questions; here the ``DEPTH`` answers with the nearest questions are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from porism.collection.answer_facts import answer_facts
from porism.model import Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Multiply, Rerank, Scores, explained_values
from porism.rank.vector_ranking import VectorRanker, VectorScorer, required_vectors
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import DocumentVectors, VectorSpec
from porism.searchindex.index_folder import SearchIndex

DEPTH = 1_000
"""Answers with the nearest questions that are candidates."""


def by_questions(search_index: SearchIndex, vectors: DocumentVectors) -> VectorRanker:
    """Return the ranker of answers by the similarity of their questions."""
    return VectorRanker(search_index.answers, vectors, question=1.0, answer=0.0, depth=DEPTH)


@dataclass(frozen=True, slots=True)
class VoteScorer:
    """1 + ln(1 + votes) of an answer; one without votes, or with a negative sum, has 1."""

    search_index: SearchIndex = field(repr=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        facts = answer_facts(self.search_index.collection, [hit.doc_id for hit in hits])
        votes = np.array([max(0, each.votes or 0) for each in facts], np.float64)
        scores: Scores = 1 + np.log1p(votes)
        return scores

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return explained_values("1 + ln(1 + votes)", self.scores(topic, hits))


def qq_qa(search_index: SearchIndex) -> Ranker:
    """The similarity of the question times that of the answer."""
    vectors = required_vectors(search_index)
    answer = VectorScorer(vectors, TextKind.ANSWER)
    return Rerank(
        by_questions(search_index, vectors), answer, DEPTH, Multiply(), is_prefix_stable=True
    )


def qq_votes(search_index: SearchIndex) -> Ranker:
    """The similarity of the question times the votes of the answer."""
    first = by_questions(search_index, required_vectors(search_index))
    return Rerank(first, VoteScorer(search_index), DEPTH, Multiply(), is_prefix_stable=True)


QQ_QA = Maker(qq_qa, (VectorSpec(),))
QQ_VOTES = Maker(qq_votes, (VectorSpec(),))
