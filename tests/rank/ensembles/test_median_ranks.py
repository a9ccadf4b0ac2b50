"""Fusion by median ranks, against a slow reference."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, TopicId
from porism.rank.ensembles.median_ranks import MedianRanks, fused_by_median
from porism.rank.explanations import NOT_FOUND, Explanation
from tests.rank.ensembles.slow_median_ranks import slow_median_order

TOPIC = Topic(TopicId("A.1"))


def ranking(doc_ids: Sequence[str]) -> Ranking:
    return tuple(Hit(DocId(doc_id), 100.0 - place) for place, doc_id in enumerate(doc_ids))


@dataclass(frozen=True)
class KnownOrder:
    """A system that knows one ranking."""

    doc_ids: str

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        allowed = None if within is None else within.documents
        return ranking([each for each in self.doc_ids if allowed is None or each in allowed])[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return [NOT_FOUND for _ in doc_ids]

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return (self.doc_ids,)


SYSTEM = MedianRanks((KnownOrder("abc"), KnownOrder("cb"), KnownOrder("bd")), ("x", "y", "z"), 10)


@given(
    st.lists(st.permutations("abcdefgh").map(lambda each: each[:5]), min_size=1, max_size=4),
    st.integers(min_value=1, max_value=6),
)
@settings(max_examples=60)
def test_order_and_scores_are_those_of_the_slow_reference(
    runs: list[list[str]], depth: int
) -> None:
    fused = fused_by_median([ranking(run) for run in runs], depth)
    expected = slow_median_order(runs, depth)
    assert [hit.doc_id for hit in fused] == [doc_id for doc_id, _ in expected]
    assert [hit.score for hit in fused] == pytest.approx([score for _, score in expected], abs=1e-5)


def test_equal_medians_are_ordered_by_the_number_of_rankings_that_have_the_document() -> None:
    # The medians of a, b and c over three rankings are all 10; a is in one, and b in one.
    fused = fused_by_median([ranking("a"), ranking("b"), ranking("")], 10)
    assert [hit.doc_id for hit in fused] == ["b", "a"]
    assert fused[1].score < fused[0].score == 0.0


def test_explanations_name_the_rank_in_each_system_and_sum_to_the_score() -> None:
    found = SYSTEM.rank(TOPIC, 10)
    explained = SYSTEM.explain(TOPIC, [*(hit.doc_id for hit in found), DocId("missing")])
    assert explained[-1] == NOT_FOUND
    for hit, each in zip(found, explained[:-1], strict=True):
        assert each.value == pytest.approx(hit.score, abs=1e-6)
    best = explained[0]
    assert (found[0].doc_id, best.label[:29]) == ("b", "median rank (x 2, y 2, z 1), ")
    assert "z not found" in explained[[hit.doc_id for hit in found].index(DocId("c"))].label


def test_filters_reach_every_system() -> None:
    within = Filter(documents=frozenset("bd"))
    assert [hit.doc_id for hit in SYSTEM.rank(TOPIC, 10, within)] == ["b", "d"]


def test_tokens_are_those_of_all_systems() -> None:
    assert SYSTEM.tokens(TOPIC) == ("abc", "cb", "bd")


def test_posts_of_formulas_are_kept() -> None:
    (hit,) = fused_by_median([(Hit(DocId("f1"), 1.0, DocId("p1")),)])
    assert hit.post_id == "p1"
