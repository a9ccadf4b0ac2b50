"""Weights of the features of ``porism`` for answers, learned from judged topics.

The model is a logistic one over whole rankings: with scores s, a document d is the one that a
reader picks with probability exp(s(d)) / sum of exp(s) over all candidates of the topic. Weights
are chosen so that picks fall on relevant documents, the higher the grade the more: the sum over
topics of the mean log-probability of their relevant documents is maximised, less ``PENALTY`` times
the squared weights. Weights are not negative. Every set of topics counts the same, and every topic
of a set, however many topics or judgments there are.

The share of tuples in the lexical score is no such weight, because all lexical scores of a topic
are divided by the highest. A few shares are tried, and the one with the highest mean average
precision on the same topics is used.

Only the order of documents depends on the weights, not their common factor. So they are returned
relative to that of the lexical score (see ``rank.systems.answer_weights``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.evaluation.measures import RELEVANT
from porism.lab.topic_sets import TopicSet
from porism.lab.tuning import Folds
from porism.model import DocId, Hit, Qrels, Ranking, TopicId, ranked
from porism.rank.systems.answer_weights import AnswerWeights, FeatureWeights
from porism.rank.systems.porism_answers import AnswerFeatures, FeatureTable
from porism.rank.vector_ranking import usable_vectors
from porism.searchindex.index_folder import SearchIndex

Matrix = NDArray[np.float64]

PENALTY = 0.01
"""The penalty of squared weights; a third or three times as much changes little."""

SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3)
"""The shares of tuples in the lexical score that are tried."""

MIN_LEXICAL = 0.01
"""The least weight of the lexical score, relative to the largest: few topics may give it none."""


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
    features = AnswerFeatures(search_index, usable_vectors(search_index))
    total = sum(len(each.topics) for each in sets)
    topics: list[TrainingTopic] = []
    for each in sets:
        for topic in each.topics:
            candidates = features.first.rank(topic, features.depth)
            left = (hit for hit in candidates if not each.leave_out.has(topic.id, hit.doc_id))
            table = features.of(topic, tuple(left))
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
            f"nothing to learn from: none of {len(topics)} topics has a relevant document among "
            "its candidates; more topics, or fewer folds, may help"
        )
    tried = [_fitted(useful, share, with_vectors) for share in SHARES]
    return max(tried, key=lambda weights: mean_average_precision(useful, weights))


def _fitted(topics: Sequence[TrainingTopic], share: float, with_vectors: bool) -> FeatureWeights:
    """Return the weights that fit best with a given share of tuples."""
    tables = [topic.table.columns(share, with_vectors) for topic in topics]
    lexical, *others = _fit(topics, tables)
    lexical = max(lexical, MIN_LEXICAL * max(others)) or 1.0
    return FeatureWeights(share, *(round(float(weight / lexical), 4) for weight in others))


def mean_average_precision(topics: Sequence[TrainingTopic], weights: FeatureWeights) -> float:
    """Return the mean over sets of the mean average precision of their topics."""
    by_set: dict[str, list[float]] = {}
    for topic in topics:
        order = np.argsort(-_scores(topic, weights), kind="stable")
        ranks = 1 + np.flatnonzero(topic.picks[order] > 0)
        precision = np.arange(1, len(ranks) + 1) / ranks
        by_set.setdefault(topic.set_name, []).append(float(precision.mean()))
    return fmean(map(fmean, by_set.values()))


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
    return ranked(map(Hit, topic.table.doc_ids, _scores(topic, weights).tolist()))


def _scores(topic: TrainingTopic, weights: FeatureWeights) -> Matrix:
    with_vectors = bool(weights.question_vector or weights.answer_vector)
    values = [1.0, weights.formulas]
    if with_vectors:
        values += [weights.question_vector, weights.answer_vector]
    scores: Matrix = topic.table.columns(weights.tuples, with_vectors) @ np.array(values)
    return scores


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


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights learned from all topics, and rankings of the topics to measure them by.

    ``unchanged`` are by the weights that the index has. ``held_out`` are by weights that were
    learned without the topic's fold, ``other_sets`` by weights that were learned without the
    topic's whole set; they are empty if there is only one to learn from.
    """

    weights: AnswerWeights
    unchanged: Mapping[TopicId, Ranking]
    held_out: Mapping[TopicId, Ranking]
    other_sets: Mapping[TopicId, Ranking]


def learn_answer_weights(
    topics: Sequence[TrainingTopic], own: AnswerWeights, folds: Folds
) -> LearnedWeights:
    """Learn weights with vectors, if the topics have their features, and without.

    ``own`` are the weights of the index, which stay for vectors if it has none. Rankings use
    vectors if they can.
    """
    with_vectors = all(topic.table.question_vector is not None for topic in topics)
    without = learned_weights(topics, with_vectors=False)
    weights = AnswerWeights(
        learned_weights(topics, with_vectors=True) if with_vectors else own.with_vectors, without
    )
    before = own.with_vectors if with_vectors else own.without_vectors
    sets: dict[str, list[TopicId]] = {}
    for topic in topics:
        sets.setdefault(topic.set_name, []).append(topic.topic_id)
    useful = {topic.set_name for topic in topics if topic.picks.any()}
    return LearnedWeights(
        weights,
        {topic.topic_id: weighted_ranking(topic, before) for topic in topics},
        held_out_rankings(topics, folds, with_vectors),
        held_out_rankings(topics, sets, with_vectors) if len(useful) > 1 else {},
    )


def judged_here(topic_set: TopicSet, search_index: SearchIndex) -> TopicSet:
    """Return a set with the judgments of documents that an index has.

    Those of others would count as relevant documents that no ranking finds. Topics without a
    relevant document are left out.
    """
    grades: dict[TopicId, dict[DocId, int]] = {}
    for topic_id, of_topic in topic_set.qrels.grades.items():
        doc_ids = list(of_topic)
        here = search_index.answers.allowed(doc_ids)
        known = {doc: of_topic[doc] for doc, is_here in zip(doc_ids, here, strict=True) if is_here}
        if any(grade >= RELEVANT for grade in known.values()):
            grades[topic_id] = known
    judged = tuple(topic for topic in topic_set.topics if topic.id in grades)
    left_out = len(topic_set.topics) - len(judged)
    return replace(
        topic_set,
        topics=judged,
        qrels=Qrels(grades),
        unjudged=topic_set.unjudged + left_out,
    )
