"""Weights of the features of ``porism`` for answers, learned from judged topics.

The model is a logistic one over whole rankings: with scores s, a document d is the one that a
reader picks with probability exp(s(d)) / sum of exp(s) over all candidates of the topic. Weights
are chosen so that picks fall on relevant documents, the higher the grade the more: the sum over
topics of the mean log-probability of their relevant documents is maximised, less ``PENALTY`` times
the squared weights. Weights are not negative. Every set of topics counts the same, and every topic
of a set, however many topics or judgments there are.

Only the order of documents depends on the weights, not their common factor. So they are returned
relative to that of the lexical score (see ``rank.answer_weights``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.evaluation.measures import RELEVANT
from porism.lab.pools.topic_posts import RankerWithoutPosts
from porism.lab.topic_sets import TopicSet
from porism.lab.tuning import Folds
from porism.model import DocId, Hit, Ranking, TopicId, ranked
from porism.rank.answer_weights import FeatureWeights
from porism.rank.systems.porism_answers import AnswerFeatures, FeatureTable
from porism.rank.vector_ranking import usable_vectors
from porism.searchindex.index_folder import SearchIndex

Matrix = NDArray[np.float64]

PENALTY = 0.003
"""The penalty of squared weights; a third or three times as much changes little."""

ROUNDS = 3
"""How often the share of tuples is learned; it changes the scale of lexical scores a little."""

START = 0.08
"""The share of tuples to begin with."""


@dataclass(frozen=True, slots=True)
class TrainingTopic:
    """The candidates of a judged topic, their features, and which of them are relevant.

    ``picks`` is the probability with which a document should be picked.
    """

    set_name: str
    topic_id: TopicId
    table: FeatureTable
    picks: Matrix


def training_topics(
    sets: Sequence[TopicSet], search_index: SearchIndex, watch: Watch
) -> list[TrainingTopic]:
    """Return the topics of sets with the features of their candidates, by the rankers' own code.

    A topic without a relevant document among its candidates says nothing, but is still ranked.
    """
    total = sum(len(each.topics) for each in sets)
    topics: list[TrainingTopic] = []
    for each in sets:
        features = AnswerFeatures(search_index, usable_vectors(search_index))
        ranker = RankerWithoutPosts(features.first, each.leave_out)
        for topic in each.topics:
            table = features.of(topic, ranker.rank(topic, features.depth))
            picks = _picks(table.doc_ids, each.qrels.grades.get(topic.id, {}))
            topics.append(TrainingTopic(each.name, topic.id, table, picks))
            watch(StepProgress("features of topics", len(topics), total, len(topics)))
    return topics


def _picks(doc_ids: Sequence[DocId], grades: Mapping[DocId, int]) -> Matrix:
    known = np.array([grades.get(doc_id, 0) for doc_id in doc_ids])
    worth = np.where(known >= RELEVANT, known - RELEVANT + 1.0, 0.0)
    picks: Matrix = worth / max(1.0, worth.sum())
    return picks


def learned_weights(topics: Sequence[TrainingTopic], with_vectors: bool) -> FeatureWeights:
    """Return the weights that fit best."""
    useful = [topic for topic in topics if topic.picks.any()]
    if not useful:
        raise PorismError(
            "nothing to learn from: no topic has a relevant document among its candidates"
        )
    share = START
    for _ in range(ROUNDS):
        split = [topic.table.columns(share, with_vectors, True) for topic in useful]
        words, tuples, *_ = _fit(useful, split)
        both = (1 - share) * words + share * tuples
        share = float(share * tuples / both) if both else START
    joined = [topic.table.columns(share, with_vectors, False) for topic in useful]
    lexical, *others = _fit(useful, joined)
    if not lexical:
        raise PorismError("the topics say that words and tuples count for nothing: are they right?")
    return FeatureWeights(share, *(float(weight / lexical) for weight in others))


def _fit(topics: Sequence[TrainingTopic], tables: Sequence[Matrix]) -> Matrix:
    """Return the weight of each column of the tables, one for each topic."""
    sizes = Counter(topic.set_name for topic in topics)
    counts = [1 / (len(sizes) * sizes[topic.set_name]) for topic in topics]

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        value, gradient = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for table, topic, count in zip(tables, topics, counts, strict=True):
            scores = table @ weights
            scores -= scores.max()
            odds = np.exp(scores)
            value -= count * float(topic.picks @ (scores - np.log(odds.sum())))
            gradient = gradient - count * (topic.picks - odds / odds.sum()) @ table
        return value, gradient

    start = np.ones(tables[0].shape[1])
    fitted: Matrix = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start)
    ).x
    return fitted


def weighted_ranking(topic: TrainingTopic, weights: FeatureWeights) -> Ranking:
    """Return the candidates of a topic as ``porism`` ranks them with these weights."""
    with_vectors = bool(weights.question_vector or weights.answer_vector)
    table = topic.table.columns(weights.tuples, with_vectors, False)
    values = [1.0, weights.formulas]
    if with_vectors:
        values += [weights.question_vector, weights.answer_vector]
    return ranked(map(Hit, topic.table.doc_ids, (table @ np.array(values)).tolist()))


def held_out_rankings(
    topics: Sequence[TrainingTopic], folds: Folds, with_vectors: bool
) -> dict[TopicId, Ranking]:
    """Return for each topic the ranking by weights that were learned without its fold."""
    rankings: dict[TopicId, Ranking] = {}
    for held_out in folds.values():
        excluded = set(held_out)
        weights = learned_weights(
            [topic for topic in topics if topic.topic_id not in excluded], with_vectors
        )
        rankings |= {
            topic.topic_id: weighted_ranking(topic, weights)
            for topic in topics
            if topic.topic_id in excluded
        }
    return rankings
