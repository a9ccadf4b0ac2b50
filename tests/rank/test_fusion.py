"""Fusion and re-ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import pytest

from porism.errors import PorismError
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, TopicId, ranked
from porism.rank.explanations import Explanation
from porism.rank.fusion import (
    CombMnz,
    CombSum,
    Fuse,
    ReciprocalRanks,
    min_max,
    z_scores,
)
from porism.rank.rerank import (
    Add,
    FirstScale,
    Replace,
    Rerank,
    Scores,
    descending,
    explained_values,
)

TOPIC = Topic(TopicId("A.1"))


@dataclass(frozen=True)
class Fixed:
    """A system that knows one ranking."""

    scores: tuple[tuple[str, float], ...]

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return ranked(Hit(DocId(name), score) for name, score in self.scores)[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        known = dict(self.scores)
        return [Explanation("fixed", known.get(doc_id, 0.0)) for doc_id in doc_ids]

    def tokens(self, topic: Topic) -> None:
        return None


ONE = Fixed((("a", 10.0), ("b", 6.0), ("c", 2.0)))
OTHER = Fixed((("c", 3.0), ("d", 2.0), ("b", 1.0)))


def scored(ranking: Ranking) -> dict[str, float]:
    return {hit.doc_id: round(hit.score, 6) for hit in ranking}


def test_reciprocal_ranks_sum_one_over_k_plus_rank() -> None:
    fused = Fuse((ONE, OTHER), by=ReciprocalRanks(k=60)).rank(TOPIC, 10)
    assert scored(fused) == {
        "a": round(1 / 61, 6),
        "b": round(1 / 62 + 1 / 63, 6),
        "c": round(1 / 63 + 1 / 61, 6),
        "d": round(1 / 62, 6),
    }
    assert [hit.doc_id for hit in fused] == ["c", "b", "a", "d"]


def test_combsum_adds_scores_from_0_to_1() -> None:
    fused = Fuse((ONE, OTHER), by=CombSum(min_max)).rank(TOPIC, 10)
    assert scored(fused) == {"a": 1.0, "b": 0.5, "c": 1.0, "d": 0.5}


def test_linear_combination_is_combsum_with_weights() -> None:
    fused = Fuse((ONE, OTHER), weights=(0.25, 0.75), by=CombSum(min_max)).rank(TOPIC, 10)
    assert scored(fused) == {
        "a": 0.25,
        "b": 0.125,
        "c": 0.75,
        "d": 0.375,
    }


def test_combmnz_multiplies_by_the_number_of_systems() -> None:
    fused = Fuse((ONE, OTHER), by=CombMnz(min_max)).rank(TOPIC, 10)
    assert scored(fused) == {"a": 1.0, "b": 1.0, "c": 2.0, "d": 0.5}


def test_z_scores_count_a_missing_document_as_the_last() -> None:
    fused = Fuse((ONE, OTHER), by=CombSum(z_scores)).rank(TOPIC, 10)
    deviation = (2 / 3) ** -0.5
    assert scored(fused)["a"] == pytest.approx(0.0, abs=1e-6)
    assert scored(fused)["d"] == pytest.approx(-deviation, abs=1e-6)


def test_equal_scores_and_empty_rankings_can_be_scaled() -> None:
    assert list(min_max([2.0, 2.0])) == [1.0, 1.0]
    assert list(z_scores([2.0, 2.0])) == [0.0, 0.0]
    assert list(min_max([])) == list(z_scores([])) == []
    assert Fuse((Fixed(()), Fixed(())), by=CombSum()).rank(TOPIC, 5) == ()


def test_weights_must_be_as_many_as_systems() -> None:
    with pytest.raises(PorismError, match="2 systems to fuse and 1 weights"):
        Fuse((ONE, OTHER), weights=(1.0,))


def test_a_fusion_describes_itself() -> None:
    assert repr(Fuse((ONE,), by=ReciprocalRanks(10))).startswith(
        "Fuse(rankers=(Fixed(scores=(('a', 10.0)"
    )


def test_a_fusion_can_be_fused() -> None:
    assert len(Fuse((Fuse((ONE,)), OTHER)).rank(TOPIC, 2)) == 2


@dataclass(frozen=True)
class ByName:
    """Scores by what comes last in the alphabet, a and b alike."""

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        return np.array([{"a": 0.0, "b": 0.0, "c": 5.0}[hit.doc_id] for hit in hits])

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return explained_values("by name", self.scores(topic, hits))


def test_reranking_keeps_the_order_of_equal_scores_and_puts_the_rest_below() -> None:
    assert [hit.doc_id for hit in Rerank(ONE, ByName()).rank(TOPIC, 10)] == ["c", "a", "b"]
    assert [hit.doc_id for hit in Rerank(ONE, ByName(), depth=2).rank(TOPIC, 10)] == ["a", "b", "c"]


def test_reranking_can_order_equal_scores_by_document_id() -> None:
    reranked = Rerank(ONE, ByName(), combine=Replace(is_stable=False)).rank(TOPIC, 10)
    assert [hit.doc_id for hit in reranked] == ["c", "b", "a"]


def test_new_scores_are_added_to_the_first_ones() -> None:
    by_best = Rerank(ONE, ByName(), combine=Add(weight=0.1)).rank(TOPIC, 10)
    assert scored(by_best) == {"a": 1.0, "c": 0.7, "b": 0.6}
    plain = Add(weight=2.0, scale=FirstScale.UNCHANGED)
    assert scored(Rerank(ONE, ByName(), combine=plain).rank(TOPIC, 2)) == {"c": 12.0, "a": 10.0}
    assert scored(Rerank(ONE, ByName(), depth=1, combine=plain).rank(TOPIC, 10)) == scored(
        ONE.rank(TOPIC, 10)
    )


def test_a_prefix_stable_first_stage_is_asked_once() -> None:
    calls: list[int] = []

    class Counting(Fixed):
        def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
            calls.append(k)
            return super().rank(topic, k, within)

    plain = Add(weight=2.0, scale=FirstScale.UNCHANGED)
    twice = Rerank(Counting(ONE.scores), ByName(), depth=2, combine=plain)
    once = replace(twice, is_prefix_stable=True)
    assert twice.rank(TOPIC, 3) == once.rank(TOPIC, 3)
    assert calls == [2, 3, 3]
    assert twice.rank(TOPIC, 1) == once.rank(TOPIC, 1)


def test_descending_scores_fall_strictly_even_where_they_are_infinite() -> None:
    hits = [(Hit(DocId(name), 0.0), score) for name, score in (("a", 1.0), ("b", 3.0), ("c", -inf))]
    ranking = descending(hits)
    assert [hit.doc_id for hit in ranking] == ["a", "b", "c"]
    assert ranking[0].score > ranking[1].score > ranking[2].score


def test_a_document_gains_nothing_from_a_ranking_that_lacks_it() -> None:
    alone, others = Fixed((("a", 4.0),)), Fixed((("b", 2.0), ("c", 1.0)))
    assert scored(Fuse((alone, others), by=CombSum(min_max)).rank(TOPIC, 10)) == {
        "a": 1.0,
        "b": 1.0,
        "c": 0.0,
    }
