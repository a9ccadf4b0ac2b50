"""SVM-rank against scikit-learn's linear SVM over differences of pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from porism.lab.svm_rank import (
    ROUNDINGS,
    Matrix,
    PreferencePairs,
    preference_pairs,
    svm_rank_weights,
)


def objective(topics: list[PreferencePairs], weights: Matrix, c: float) -> float:
    """What the weights minimise, pair by pair."""
    value = float(weights @ weights) / 2
    for topic in topics:
        for row, better in enumerate(topic.better):
            for worse in np.flatnonzero(topic.shares[row]):
                difference = topic.table[better] - topic.table[worse]
                value += c * topic.shares[row, worse] * max(0.0, 1 - float(difference @ weights))
    return value


def by_scikit(topics: list[PreferencePairs], c: float) -> Matrix:
    """The weights of a classifier of the pairs, each in both orders, through the origin."""
    differences, shares = [], []
    for topic in topics:
        for row, better in enumerate(topic.better):
            for worse in np.flatnonzero(topic.shares[row]):
                differences.append(topic.table[better] - topic.table[worse])
                shares.append(topic.shares[row, worse] / 2)
    rows = np.array(differences)
    model = LinearSVC(loss="hinge", fit_intercept=False, C=c, max_iter=200_000, tol=1e-6)
    model.fit(
        np.vstack((rows, -rows)),
        np.repeat([1, -1], len(rows)),
        sample_weight=np.array(shares * 2),
    )
    weights: Matrix = model.coef_[0]
    return weights


def random_topics(seed: int, count: int, documents: int, features: int) -> list[PreferencePairs]:
    generator = np.random.default_rng(seed)
    best = generator.normal(size=features)
    topics = []
    for _ in range(count):
        table = generator.normal(size=(documents, features))
        scores = table @ best + generator.normal(size=documents)
        places = np.argsort(np.argsort(-scores))
        topics.append(preference_pairs(table, np.where(places < 2, 3 - places, 0)))
    return topics


@given(st.integers(0, 1000), st.integers(1, 4), st.integers(3, 8), st.integers(1, 4))
@settings(max_examples=12)
def test_no_worse_than_scikit_learn(seed: int, count: int, documents: int, features: int) -> None:
    topics = random_topics(seed, count, documents, features)
    for c in (0.2, 2.0):
        ours = objective(topics, svm_rank_weights(topics, c), c)
        theirs = objective(topics, by_scikit(topics, c), c)
        assert ours <= theirs * 1.001 + 1e-6


def test_the_loss_is_that_of_the_pairs_and_has_their_gradient() -> None:
    (topic,) = random_topics(7, 1, 9, 3)
    weights = np.array([0.3, -0.2, 0.5])
    value, _ = topic.loss(weights, 1e-9)
    assert value == pytest.approx(objective([topic], weights, 1.0) - weights @ weights / 2)
    for rounding in ROUNDINGS:
        rounded, gradient = topic.loss(weights, rounding)
        assert value <= rounded <= value + rounding / 8
        for place, step in enumerate(np.eye(3) * 1e-7):
            before, after = (topic.loss(weights + way * step, rounding)[0] for way in (-1, 1))
            assert (after - before) / 2e-7 == pytest.approx(gradient[place], abs=1e-3)


def test_pairs_are_of_different_grades_and_their_shares_sum_up_to_1() -> None:
    pairs = preference_pairs(np.zeros((4, 1)), np.array([0, 3, 1, 0]))
    assert pairs.better.tolist() == [1, 2]
    assert (pairs.shares > 0).tolist() == [[True, False, True, True], [True, False, False, True]]
    assert pairs.shares.sum() == pytest.approx(1.0)


def test_a_separating_feature_has_a_positive_weight_and_a_constant_one_none() -> None:
    table = np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    weights = svm_rank_weights([preference_pairs(table, np.array([2, 1, 0]))], c=10.0)
    assert weights.tolist() == pytest.approx([1.0, 0.0], abs=1e-3)


def test_the_same_pairs_give_the_same_weights() -> None:
    topics = random_topics(3, 3, 8, 4)
    assert svm_rank_weights(topics).tolist() == svm_rank_weights(topics).tolist()
