"""The weighted sum of features, and its explanation."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from porism.lab.parameters import parameters, with_parameters
from porism.model import DocId, Hit, Ranking, Topic, TopicId
from porism.rank.explanations import Explanation
from porism.rank.rerank import Scores, explained_values
from porism.rank.weighted_scorers import WeightedScorer, WeightedScorers

TOPIC = Topic(TopicId("A.1"))
HITS = tuple(Hit(DocId(doc_id), 0.0) for doc_id in "abc")


@dataclass(frozen=True)
class Fixed:
    """Has these scores, and counts how often it is used."""

    label: str
    values: dict[str, float]
    uses: list[str] = field(default_factory=list, repr=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        self.uses.append("scores")
        return np.array([self.values[hit.doc_id] for hit in hits], float)

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return explained_values(self.label, self.scores(topic, hits))


ONE = Fixed("one", {"a": 1.0, "b": 0.5, "c": 0.0})
TWO = Fixed("two", {"a": 0.0, "b": -0.25, "c": 0.0})


def test_scores_are_weighted_sums() -> None:
    both = WeightedScorers((WeightedScorer("one", ONE, 2.0), WeightedScorer("two", TWO, 4.0)))
    assert both.scores(TOPIC, HITS).tolist() == [2.0, 0.0, 0.0]
    assert both.scores(TOPIC, ()).tolist() == []


def test_explanations_are_the_weighted_parts_that_are_not_0() -> None:
    both = WeightedScorers((WeightedScorer("one", ONE, 2.0), WeightedScorer("two", TWO, 4.0)))
    explained = both.explain(TOPIC, HITS)
    assert [each.value for each in explained] == both.scores(TOPIC, HITS).tolist()
    assert [[part.label for part in each.details] for each in explained] == [
        ["one, weight 2"],
        ["one, weight 2", "two, weight 4"],
        [],
    ]
    assert list(both.explain(TOPIC, ())) == []


def test_a_feature_without_weight_is_not_computed() -> None:
    unused = Fixed("unused", {})
    scorers = WeightedScorers((WeightedScorer("unused", unused, 0.0),))
    assert scorers.scores(TOPIC, HITS).tolist() == [0.0] * 3
    assert [each.value for each in scorers.explain(TOPIC, HITS)] == [0.0] * 3
    assert not unused.uses
    assert WeightedScorers(()).scores(TOPIC, HITS).tolist() == [0.0] * 3


def test_weights_are_parameters_that_can_be_tuned() -> None:
    scorers = WeightedScorers((WeightedScorer("one", ONE, 2.0),))
    assert parameters(scorers) == {"parts.0.weight": 2.0}
    tuned = with_parameters(scorers, {"parts.0.weight": 3})
    assert tuned.scores(TOPIC, HITS).tolist() == pytest.approx([3.0, 1.5, 0.0])
