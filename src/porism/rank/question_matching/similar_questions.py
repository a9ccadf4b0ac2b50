"""Answers to similar questions, after DPRL 2021 and 2022 (S3 Table 3).

The questions nearest to a topic are found by their vectors; the score of an answer to one of them
is the similarity of its question (QQ) times another factor, each at least 0:

- ``dprl-qq-qa``: the similarity of the answer with the topic (QA), by a cross-encoder where the
  index has one, and else by the cosine of their vectors;
- ``dprl-qq-qa-amr``: the same, but QQ of the first ``GRAPH_DEPTH`` answers is the cosine of the
  topic and their question as graphs with operator trees (``rank.structure.math_amr``);
- ``dprl-qq-votes``: the votes of the answer (the lab's "MathSE"), as 1 + ln(1 + votes). The
  original multiplies by the votes themselves, so an answer with 300 votes to any question comes
  before one with 5 votes to a duplicate. With the 1, an answer without votes, and a collection
  without any, ranks by similarity alone.

Ours differ from the originals in the models: those were Sentence-BERT, trained on pairs of
duplicates, and a cross-encoder trained on judgments of 2020; here the vectors are those of the
index, which ``porism train bi-encoder`` can tune to duplicates. The originals took the answers to
the 1,000 nearest questions; here the ``DEPTH`` answers with the nearest questions are candidates.
A cross-encoder, which is slow, scores the first ``CROSS_DEPTH`` of them, and its score x counts as
the probability 1 / (1 + exp(-x)).

Below ``bm25``: with cosines, ``dprl-qq-qa`` and its variant with graphs are above ``bm25`` on the
topics of 2020 and 2021 and below it on topics made of links. A cosine with the question does not
say that an answer answers it, and an answer that repeats the words of the topic passes those to a
nearer question; question similarity alone is better there. The factor is meant for a cross-encoder
that was trained on answers. ``dprl-qq-votes`` on a collection without votes is question similarity
alone.

``dprl-rrf`` (S3's RRF-AMR-SVM) adds up the reciprocal ranks of ``dprl-qq-qa``, ``dprl-qq-qa-amr``
and ``dprl-svm``; the papers give no k, so it is the usual 60.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from porism import deadlines
from porism.analysis.sentence_graphs import sentences
from porism.collection.answer_facts import answer_facts
from porism.model import Content, DocId, PostKind, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.neural.cross_scorer import CrossEncoderScorer
from porism.rank.question_matching.answer_features import fact_notes
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import (
    NOT_SCORED,
    Multiply,
    Replace,
    Rerank,
    Scorer,
    Scores,
    explained_values,
)
from porism.rank.structure.math_amr import GraphLines, graph_lines
from porism.rank.vector_ranking import VectorRanker, VectorScorer, required_vectors
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import DocumentVectors, VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole

DEPTH = 1_000
"""Answers with the nearest questions that are candidates."""

CROSS_DEPTH = 100
"""Answers that a cross-encoder scores."""

GRAPH_DEPTH = 100
"""Answers whose questions are compared as graphs: encoding these takes most of a second."""

GRAPH_SENTENCES = 5
"""The first sentences of a question that its graph has; the model reads no more than these."""


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


@dataclass(frozen=True, slots=True)
class ProbabilityScorer:
    """The score x of a cross-encoder as the probability 1 / (1 + exp(-x)), so that it has no sign.

    Answers that it had no time for keep the order that it gives them.
    """

    scorer: CrossEncoderScorer

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        return _probabilities(self.scorer.scores(topic, hits))

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return [
            each
            if each is NOT_SCORED
            else Explanation(
                f"{each.label}, {each.value:.4f} as a probability",
                float(_probabilities(np.array([each.value]))[0]),
            )
            for each in self.scorer.explain(topic, hits)
        ]


def _probabilities(scores: Scores) -> Scores:
    probabilities: Scores = 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
    return probabilities


@dataclass(frozen=True, slots=True)
class GraphQuestionScorer:
    """The cosine of the topic with the question of an answer, both as graphs."""

    search_index: SearchIndex = field(repr=False)
    lines: GraphLines

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        collection = self.search_index.collection
        parents = [collection.parent(hit.doc_id) or hit.doc_id for hit in hits]
        lines: dict[DocId, str] = {}
        for question_id in parents:
            if question_id not in lines:
                deadlines.check()
                post = collection.post(question_id)
                # A document has its title as its question.
                body = post.body if post.kind is PostKind.QUESTION else ()
                lines[question_id] = self._line(post.title, body)
        query = self._line(topic.title, topic.body)
        return self.lines.cosines(query, [lines[question_id] for question_id in parents])

    def _line(self, title: Content, body: Content) -> str:
        return self.lines.line(sentences((*title, "\n\n", *body))[:GRAPH_SENTENCES])

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return explained_values("cosine with the question as a graph", self.scores(topic, hits))


def _answer_scorer(search_index: SearchIndex) -> tuple[Scorer, int]:
    """Return what compares answers with a topic, and how many of them."""
    model = search_index.model(ModelRole.CROSS_ENCODER)
    if model is not None:
        return ProbabilityScorer(CrossEncoderScorer(search_index, model)), CROSS_DEPTH
    return VectorScorer(required_vectors(search_index), TextKind.ANSWER), DEPTH


def qq_qa(search_index: SearchIndex) -> Rerank:
    """The similarity of the question times that of the answer."""
    first = by_questions(search_index, required_vectors(search_index))
    scorer, depth = _answer_scorer(search_index)
    return Rerank(first, scorer, depth, Multiply(), is_prefix_stable=True)


def qq_qa_amr(search_index: SearchIndex) -> Ranker:
    """The same, with questions as graphs."""
    first = by_questions(search_index, required_vectors(search_index))
    graphs = GraphQuestionScorer(search_index, graph_lines(search_index))
    by_graphs = Rerank(first, graphs, GRAPH_DEPTH, Replace(), is_prefix_stable=True)
    scorer, depth = _answer_scorer(search_index)
    return Rerank(by_graphs, scorer, min(depth, GRAPH_DEPTH), Multiply(), is_prefix_stable=True)


def qq_votes(search_index: SearchIndex) -> Ranker:
    """The similarity of the question times the votes of the answer."""
    first = by_questions(search_index, required_vectors(search_index))
    return Rerank(first, VoteScorer(search_index), DEPTH, Multiply(), is_prefix_stable=True)


CROSS_ENCODER = (ModelRole.CROSS_ENCODER,)
QQ_QA = Maker(qq_qa, (VectorSpec(),), models=CROSS_ENCODER)
QQ_QA_AMR = Maker(qq_qa_amr, (VectorSpec(),), models=(ModelRole.CROSS_ENCODER, ModelRole.AMR))
QQ_VOTES = Maker(
    qq_votes,
    (VectorSpec(),),
    notes=lambda index: fact_notes("dprl-qq-votes", index, ["votes"]),
)
