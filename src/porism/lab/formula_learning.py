"""Weights of features of formulas, learned from judged topics for ``ltr`` and ``formula-graph``.

The model is a pairwise logistic one, as linear as SVM-rank: of two candidates of a topic the one
with the higher grade should score higher. The loss is the mean over topics of the mean over their
pairs of ``log(1 + exp(-difference of scores))``, plus ``PENALTY`` times the squared weights of
features that are scaled to deviate by 1. Candidates without a judgment count as not relevant: most
are, and without them the weights only tell near misses apart. Nothing is random.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.evaluation.measures import RELEVANT
from porism.lab.topic_sets import TopicSet
from porism.lab.tuning import Folds
from porism.lab.visual_ids import CollectionVisualIds, judged_in_collection
from porism.model import DocId, Hit, Qrels, Ranking, Run, TopicId, ranked
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.rank.structure.ltr import (
    ALL_FEATURES,
    DEPTH,
    CandidateFeatures,
    FormulaWeights,
    formula_features,
)
from porism.rank.structure.pair_features import TREE_FEATURES
from porism.rank.structure.tangent_s import TangentS
from porism.searchindex.index_folder import SearchIndex

Matrix = NDArray[np.float64]

PENALTY = 1e-3
"""The penalty of squared weights; a tenth of it changes nothing, ten times as much is worse."""

DIGITS = 4
"""Decimals of learned weights."""


@dataclass(frozen=True, slots=True)
class FormulaTopic:
    """The candidates of a judged topic with their features.

    ``doc_ids`` are visual ids as in the judgments, the best first, with the scores of the first
    stage; ``grades`` are 0 for candidates that are not judged. ``names`` are those of the
    columns of the table.
    """

    set_name: str
    topic_id: TopicId
    doc_ids: tuple[DocId, ...]
    first_scores: Matrix
    names: tuple[str, ...]
    table: Matrix
    grades: NDArray[np.int64]


def judged_formulas_here(topic_set: TopicSet, collection: Collection) -> TopicSet:
    """Return a set with the judgments of formulas that a collection has.

    Those of others would count as relevant formulas that no ranking finds. Topics without a
    relevant formula are left out.
    """
    here = judged_in_collection(topic_set.qrels, collection)
    grades: dict[TopicId, dict[DocId, int]] = {}
    for topic_id, of_topic in topic_set.qrels.grades.items():
        known = {doc_id: grade for doc_id, grade in of_topic.items() if doc_id in here}
        if any(grade >= RELEVANT for grade in known.values()):
            grades[topic_id] = known
    judged = tuple(topic for topic in topic_set.topics if topic.id in grades)
    left_out = len(topic_set.topics) - len(judged)
    return replace(
        topic_set, topics=judged, qrels=Qrels(grades), unjudged=topic_set.unjudged + left_out
    )


@dataclass(frozen=True, slots=True)
class FeatureStage:
    """A second stage to learn weights for: the first ``depth`` formulas of a ranker by features."""

    ranker: Ranker
    features: CandidateFeatures
    depth: int


def ltr_stage(search_index: SearchIndex) -> FeatureStage:
    """Return the second stage of ``ltr``."""
    return FeatureStage(TangentS(search_index), formula_features(search_index), DEPTH)


def formula_topics(
    sets: Sequence[TopicSet], search_index: SearchIndex, stage: FeatureStage, watch: Watch
) -> list[FormulaTopic]:
    """Return the topics of sets with the candidates of a first stage, and their features.

    They are found and compared by the rankers' own code.
    """
    first, features = FirstOccurrences(search_index, stage.ranker), stage.features
    instances = search_index.collection.instance
    total = sum(len(each.topics) for each in sets)
    topics: list[FormulaTopic] = []
    for each in sets:
        visual_ids = CollectionVisualIds(search_index.collection, each.qrels)
        for topic in each.topics:
            hits = first.rank(topic, stage.depth)
            # The place of a formula as its score shows which one an id in the judgments is.
            places = (Hit(hit.doc_id, -place) for place, hit in enumerate(hits))
            run = visual_ids.run(Run("candidates", {topic.id: ranked(places)})) if hits else None
            by_place = (
                {-int(at): doc_id for doc_id, at in run.scores[topic.id].items()} if run else {}
            )
            kept = sorted(by_place)
            grades = visual_ids.qrels.grades.get(topic.id, {})
            own_ids = [DocId(instances(hits[place].doc_id).effective_visual_id) for place in kept]
            doc_ids = tuple(by_place[place] for place in kept)
            topics.append(
                FormulaTopic(
                    each.name,
                    topic.id,
                    doc_ids,
                    np.array([hits[place].score for place in kept]),
                    features.names,
                    features.of(topic, own_ids),
                    np.array([grades.get(doc_id, 0) for doc_id in doc_ids], np.int64),
                )
            )
            watch(StepProgress("features of topics", len(topics), total, len(topics)))
    return topics


def learned_formula_weights(
    topics: Sequence[FormulaTopic], names: Sequence[str]
) -> dict[str, float]:
    """Return the weights of the named features that order the candidates of the topics best."""
    useful = [topic for topic in topics if topic.grades.any()]
    if not useful:
        raise PorismError(
            f"nothing to learn from: none of {len(topics)} topics has a relevant formula among its "
            "candidates; more topics, or fewer folds, may help"
        )
    tables = [_columns(topic, names) for topic in useful]
    scale = np.concatenate(tables).std(axis=0)
    scale[scale == 0] = 1.0
    parts = [(table / scale, *_pairs(topic)) for table, topic in zip(tables, useful, strict=True)]

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        value, gradient = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for table, better, shares in parts:
            scores = table @ weights
            differences = scores[better][:, None] - scores
            value += float((shares * np.logaddexp(0, -differences)).sum()) / len(parts)
            slopes = shares * expit(-differences) / len(parts)
            gradient = gradient - slopes.sum(axis=1) @ table[better] + slopes.sum(axis=0) @ table
        return value, gradient

    fitted = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B").x / scale
    return {name: round(float(weight), DIGITS) for name, weight in zip(names, fitted, strict=True)}


def _columns(topic: FormulaTopic, names: Sequence[str]) -> Matrix:
    return topic.table[:, [topic.names.index(name) for name in names]]


def _pairs(topic: FormulaTopic) -> tuple[NDArray[np.int64], Matrix]:
    """Return the relevant candidates of a topic, and the shares of pairs in its loss.

    A pair is of a relevant candidate (rows) and one of a lower grade (columns); their shares are
    equal, and sum up to 1.
    """
    better = np.flatnonzero(topic.grades > 0)
    is_pair = topic.grades[better][:, None] > topic.grades
    return better, is_pair / max(1, is_pair.sum())


def weighted_formulas(topic: FormulaTopic, weights: Mapping[str, float]) -> Ranking:
    """Return the candidates of a topic as they rank with these weights."""
    scores = _columns(topic, tuple(weights)) @ np.array(list(weights.values()))
    return ranked(map(Hit, topic.doc_ids, scores.tolist()))


def held_out_formulas(topics: Sequence[FormulaTopic], folds: Folds) -> dict[TopicId, Ranking]:
    """Return for each topic the ranking by weights that were learned without its fold.

    All features count that the topics have.
    """
    rankings: dict[TopicId, Ranking] = {}
    for held_out in folds.values():
        excluded = set(held_out)
        weights = learned_formula_weights(
            [topic for topic in topics if topic.topic_id not in excluded], topics[0].names
        )
        rankings |= {
            topic.topic_id: weighted_formulas(topic, weights)
            for topic in topics
            if topic.topic_id in excluded
        }
    return rankings


@dataclass(frozen=True, slots=True)
class LearnedFormulaWeights:
    """Weights learned from all topics, and rankings of the topics to measure them by.

    ``first`` are those of the first stage. ``held_out`` are by weights that were learned without
    the topic's fold, ``other_sets`` by weights that were learned without the topic's whole set;
    they are empty if there is only one.
    """

    weights: FormulaWeights
    first: Mapping[TopicId, Ranking]
    held_out: Mapping[TopicId, Ranking]
    other_sets: Mapping[TopicId, Ranking]


def learn_formula_weights(
    topics: Sequence[FormulaTopic], own: FormulaWeights, folds: Folds
) -> LearnedFormulaWeights:
    """Learn weights from all topics, and rank each topic by weights learned without it.

    ``own`` are the weights of the index, which stay for vectors if it has none.
    """
    has_vectors = topics[0].names == ALL_FEATURES
    weights = FormulaWeights(
        learned_formula_weights(topics, ALL_FEATURES) if has_vectors else own.with_vectors,
        learned_formula_weights(topics, TREE_FEATURES),
    )
    sets: dict[str, list[TopicId]] = {}
    for topic in topics:
        sets.setdefault(topic.set_name, []).append(topic.topic_id)
    useful = {topic.set_name for topic in topics if topic.grades.any()}
    return LearnedFormulaWeights(
        weights,
        {
            topic.topic_id: ranked(map(Hit, topic.doc_ids, topic.first_scores.tolist()))
            for topic in topics
        },
        held_out_formulas(topics, folds),
        held_out_formulas(topics, sets) if len(useful) > 1 else {},
    )
