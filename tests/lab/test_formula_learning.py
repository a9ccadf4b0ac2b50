"""Pairwise learning: weights order candidates by grade, and the same topics give the same."""

import numpy as np
import pytest

from porism.errors import PorismError
from porism.lab.formula_learning import (
    FormulaTopic,
    held_out_formulas,
    learn_formula_weights,
    learned_formula_weights,
    weighted_formulas,
)
from porism.model import DocId, TopicId
from porism.rank.structure.ltr import ALL_FEATURES, FormulaWeights
from porism.rank.structure.pair_features import TREE_FEATURES

OWN = FormulaWeights(dict.fromkeys(ALL_FEATURES, 0.5), dict.fromkeys(TREE_FEATURES, 0.5))


def drawn_topics(count: int, names: tuple[str, ...] = TREE_FEATURES) -> list[FormulaTopic]:
    """Topics whose grades follow from the first feature and, less, the second."""
    generator = np.random.default_rng(3)
    topics = []
    for number in range(count):
        table = generator.random((40, len(names)))
        truth = table[:, 0] + 0.3 * table[:, 1]
        grades = np.digitize(truth, np.quantile(truth, [0.8, 0.9, 0.95]))
        topics.append(
            FormulaTopic(
                f"set {number % 2}",
                TopicId(f"B.{number}"),
                tuple(DocId(str(place)) for place in range(40)),
                np.linspace(1, 0, 40),
                names,
                table,
                grades.astype(np.int64),
            )
        )
    return topics


def precision(topic: FormulaTopic, weights: dict[str, float]) -> float:
    best = weighted_formulas(topic, weights)[:8]
    return sum(bool(topic.grades[int(hit.doc_id)]) for hit in best) / 8


def test_features_that_matter_get_the_weights() -> None:
    topics = drawn_topics(30)
    weights = learned_formula_weights(topics, TREE_FEATURES)
    ordered = sorted(weights, key=lambda name: -weights[name])
    assert ordered[:2] == list(TREE_FEATURES[:2])
    assert np.mean([precision(topic, weights) for topic in drawn_topics(10)]) > 0.9


def test_the_same_topics_give_the_same_weights() -> None:
    assert learned_formula_weights(drawn_topics(6), TREE_FEATURES) == learned_formula_weights(
        drawn_topics(6), TREE_FEATURES
    )


def test_a_topic_is_ranked_without_its_own_grades() -> None:
    topics = drawn_topics(6)
    folds = {"1": ("B.0", "B.1", "B.2"), "2": ("B.3", "B.4", "B.5")}
    ids = {name: tuple(map(TopicId, fold)) for name, fold in folds.items()}
    rankings = held_out_formulas(topics, ids)
    without = learned_formula_weights(topics[3:], TREE_FEATURES)
    assert rankings[TopicId("B.0")] == weighted_formulas(topics[0], without)
    assert set(rankings) == {topic.topic_id for topic in topics}


def test_weights_for_vectors_are_learned_only_with_vectors() -> None:
    folds = {"1": (TopicId("B.0"),), "2": (TopicId("B.1"),)}
    learned = learn_formula_weights(drawn_topics(2), OWN, folds)
    assert learned.weights.with_vectors == OWN.with_vectors
    assert learned.weights.without_vectors != OWN.without_vectors
    assert set(learned.other_sets) == {"B.0", "B.1"}
    learned = learn_formula_weights(drawn_topics(2, ALL_FEATURES), OWN, folds)
    assert set(learned.weights.with_vectors) == set(ALL_FEATURES)
    assert learned.weights.with_vectors != OWN.with_vectors


def test_topics_without_relevant_candidates_teach_nothing() -> None:
    topics = drawn_topics(2)
    for topic in topics:
        topic.grades[:] = 0
    with pytest.raises(PorismError, match="nothing to learn from"):
        learned_formula_weights(topics, TREE_FEATURES)
