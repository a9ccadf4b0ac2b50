"""Weights of features of answers, learned for ``dprl-svm`` and ``linear-regression``.

``dprl-svm`` learns from judged topics, by a linear SVM-rank (``svm_rank``) over features that are
scaled to deviate by 1. ``linear-regression`` fits the grades of all candidates by least squares.
Candidates without a judgment count as not relevant: most are, and without them the weights only
tell near misses apart. Nothing is random.

Without judged topics both can learn from the links of a collection: the answers to a linked
question are taken as relevant to it, those to a duplicate more than those to a related one. These
are the mock assessments of MathDowsers 2020, who had no judgments. They used tags and votes for
them, too, which are features here, so that a model of them would explain itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.lab.pools.topic_posts import ExcludedPosts, RankerWithoutPosts
from porism.lab.svm_rank import preference_pairs, svm_rank_weights
from porism.lab.topic_sets import TopicSet
from porism.lab.topics.link_topics import link_topics, topic_records
from porism.lab.tuning import Folds
from porism.model import DocId, Hit, Qrels, Ranking, TopicId, ranked
from porism.rank.question_matching.learned_rankers import (
    DPRL_SVM,
    LINEAR_REGRESSION,
    regression_features,
    svm_candidates,
    svm_features,
)
from porism.rank.question_matching.ranker_weights import REGRESSION, SVM
from porism.rank.question_matching.similar_questions import DEPTH
from porism.rank.ranker import Maker, Ranker
from porism.rank.structure.ltr import CandidateFeatures
from porism.rank.systems.tangent_l import TANGENT_L_2020
from porism.searchindex.index_folder import SearchIndex

Matrix = NDArray[np.float64]

MIN_TOPICS = 10
"""Topics with a relevant answer among their candidates that learning needs."""

MIN_SCORE = 0.01
"""The least weight of the first score in a regression, relative to the largest of the others."""

DIGITS = 4
"""Decimals of learned weights."""

LINKS = "links"
"""The name of the set of topics that links make."""


@dataclass(frozen=True, slots=True)
class CandidateTopic:
    """The candidates of a judged topic, best first, with their features and grades.

    ``first_scores`` are those of the first stage, divided by the highest; ``grades`` are 0 for
    candidates that are not judged.
    """

    set_name: str
    topic_id: TopicId
    doc_ids: tuple[DocId, ...]
    first_scores: Matrix
    table: Matrix
    grades: NDArray[np.int64]


Fit = Callable[[Sequence[CandidateTopic]], Matrix]


@dataclass(frozen=True, slots=True)
class LearnedRanker:
    """A ranker to learn weights for: its first stage, its features, and how they are fitted.

    ``baseline`` is the name of the first stage. One that ``adds_to_first`` adds the weighted
    features to its scores.
    """

    maker: Maker[Ranker]
    baseline: str
    candidates: Callable[[SearchIndex], Ranker]
    features: Callable[[SearchIndex], CandidateFeatures]
    fit: Fit
    adds_to_first: bool


def fitted_svm(topics: Sequence[CandidateTopic]) -> Matrix:
    """Return the weights of the columns by SVM-rank."""
    scale = _deviations(np.concatenate([topic.table for topic in topics]))
    pairs = [preference_pairs(topic.table / scale, topic.grades) for topic in topics]
    return svm_rank_weights(pairs) / scale


def fitted_regression(topics: Sequence[CandidateTopic]) -> Matrix:
    """Return the weights of the columns, relative to that of the first score, by least squares.

    All topics count the same, however many candidates they have.
    """
    rows: list[Matrix] = []
    grades: list[Matrix] = []
    for topic in topics:
        share = len(topic.doc_ids) ** -0.5
        ones = np.ones(len(topic.doc_ids))
        rows.append(share * np.column_stack((ones, topic.first_scores, topic.table)))
        grades.append(share * topic.grades)
    # Of features that say the same, or nothing, it takes the smallest weights.
    _, score, *others = np.linalg.lstsq(np.concatenate(rows), np.concatenate(grades), rcond=None)[0]
    largest = max(map(abs, others))
    return np.array(others) / (max(score, MIN_SCORE * largest) or 1.0)


def _deviations(table: Matrix) -> Matrix:
    deviations: Matrix = table.std(axis=0)
    deviations[deviations == 0] = 1.0
    return deviations


RANKERS = {
    SVM: LearnedRanker(
        DPRL_SVM,
        "minilm-questions",
        svm_candidates,
        svm_features,
        fitted_svm,
        adds_to_first=False,
    ),
    REGRESSION: LearnedRanker(
        LINEAR_REGRESSION,
        "tangent-l-2020",
        TANGENT_L_2020.make,
        regression_features,
        fitted_regression,
        adds_to_first=True,
    ),
}
"""The rankers whose weights can be learned."""


def link_topic_set(search_index: SearchIndex) -> TopicSet:
    """Return the topics that the links of a collection make, without the topics' own answers."""
    collection = search_index.collection
    made = link_topics(collection)
    return TopicSet(
        LINKS,
        tuple(topic_records(collection, made)),
        Qrels({each.id: each.grades for each in made.topics}),
        ExcludedPosts({each.id: each.own_posts for each in made.topics}),
    )


def candidate_topics(
    sets: Sequence[TopicSet], search_index: SearchIndex, ranker: LearnedRanker, watch: Watch
) -> list[CandidateTopic]:
    """Return the topics of sets with the candidates of the ranker, by the ranker's own code.

    It is an error if too few of them have a relevant document among their candidates.
    """
    first, features = ranker.candidates(search_index), ranker.features(search_index)
    total = sum(len(each.topics) for each in sets)
    topics: list[CandidateTopic] = []
    for each in sets:
        without_own = RankerWithoutPosts(first, each.leave_out)
        for topic in each.topics:
            hits = without_own.rank(topic, DEPTH)
            doc_ids = tuple(hit.doc_id for hit in hits)
            scores = np.array([hit.score for hit in hits])
            grades = each.qrels.grades.get(topic.id, {})
            topics.append(
                CandidateTopic(
                    each.name,
                    topic.id,
                    doc_ids,
                    scores / max(float(scores.max(initial=0.0)), 1e-9),
                    features.of(topic, doc_ids),
                    np.array([grades.get(doc_id, 0) for doc_id in doc_ids], np.int64),
                )
            )
            watch(StepProgress("features of topics", len(topics), total, len(topics)))
    _check_enough(topics)
    return topics


def _check_enough(topics: Sequence[CandidateTopic]) -> None:
    useful = sum(bool(topic.grades.any()) for topic in topics)
    if useful < MIN_TOPICS:
        raise PorismError(
            f"too little to learn from: {useful} of {len(topics)} topics have a relevant answer "
            f"among their candidates, and at least {MIN_TOPICS} must; give more topics with "
            "--topics and --qrels"
        )


def learned_weights(
    topics: Sequence[CandidateTopic], ranker: LearnedRanker, names: Sequence[str]
) -> dict[str, float]:
    """Return the weights of the named features that fit best."""
    fitted = ranker.fit([topic for topic in topics if topic.grades.any()])
    return {
        name: round(float(weight), DIGITS) + 0.0  # no negative zero
        for name, weight in zip(names, fitted, strict=True)
    }


def weighted_candidates(
    topic: CandidateTopic, ranker: LearnedRanker, weights: Mapping[str, float]
) -> Ranking:
    """Return the candidates of a topic as they rank with these weights."""
    scores = topic.table @ np.array(list(weights.values()))
    if ranker.adds_to_first:
        scores = scores + topic.first_scores
    return ranked(map(Hit, topic.doc_ids, scores.tolist()))


@dataclass(frozen=True, slots=True)
class LearnedRankings:
    """Weights learned from all topics, and rankings of the topics to measure them by.

    ``first`` are those of the first stage. ``held_out`` are by weights that were learned without
    the topic's fold, ``other_sets`` by weights that were learned without the topic's whole set;
    these are empty if there is only one.
    """

    weights: Mapping[str, float]
    first: Mapping[TopicId, Ranking]
    held_out: Mapping[TopicId, Ranking]
    other_sets: Mapping[TopicId, Ranking]


def learn_ranker(
    topics: Sequence[CandidateTopic], ranker: LearnedRanker, names: Sequence[str], folds: Folds
) -> LearnedRankings:
    """Learn weights from all topics, and rank each topic by weights learned without it."""

    def held_out(parts: Folds) -> dict[TopicId, Ranking]:
        rankings: dict[TopicId, Ranking] = {}
        for part in parts.values():
            excluded = set(part)
            others = [topic for topic in topics if topic.topic_id not in excluded]
            _check_learnable(others)
            weights = learned_weights(others, ranker, names)
            rankings |= {
                topic.topic_id: weighted_candidates(topic, ranker, weights)
                for topic in topics
                if topic.topic_id in excluded
            }
        return rankings

    sets: dict[str, list[TopicId]] = {}
    for topic in topics:
        sets.setdefault(topic.set_name, []).append(topic.topic_id)
    useful = {topic.set_name for topic in topics if topic.grades.any()}
    return LearnedRankings(
        learned_weights(topics, ranker, names),
        {
            topic.topic_id: ranked(map(Hit, topic.doc_ids, topic.first_scores.tolist()))
            for topic in topics
        },
        held_out(folds),
        held_out(sets) if len(useful) > 1 else {},
    )


def _check_learnable(topics: Sequence[CandidateTopic]) -> None:
    if not any(topic.grades.any() for topic in topics):
        raise PorismError(
            "nothing to learn from without one of the folds: no other topic has a relevant answer "
            "among its candidates; give more topics, or another number of --folds"
        )
