"""The overlap of rankings, and what each run adds to a pool."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.evaluation.run_overlap import (
    RunOverlap,
    UniqueContribution,
    common_pool,
    overlap,
    rank_biased_overlap,
)
from porism.model import DocId, Hit, Qrels, Run, TopicId, ranked

documents = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8).map(
    lambda result: [DocId(each) for each in result]
)


def run(name: str, **rankings: str) -> Run:
    """A run with letters as documents, best first, by topic."""
    return Run(
        name,
        {
            TopicId(topic): ranked(Hit(DocId(each), -place) for place, each in enumerate(letters))
            for topic, letters in rankings.items()
        },
    )


def rbo(first: str, second: str, persistence: float = 0.5) -> float:
    return rank_biased_overlap(list(map(DocId, first)), list(map(DocId, second)), persistence)


class TestOverlap:
    def test_two_topics_by_hand(self) -> None:
        first, second = run("x", A1="abcd", A2="ab"), run("y", A1="abxy", A2="cd")
        (result,) = overlap([first, second], depth=4)
        assert (result.first, result.second) == ("x", "y")
        assert result.shared == (2 / 4 + 0) / 2
        assert result.jaccard == (2 / 6 + 0) / 2

    def test_only_the_first_hits_count(self) -> None:
        (result,) = overlap([run("x", A1="abcd"), run("y", A1="bayz")], depth=2)
        assert (result.shared, result.jaccard) == (1, 1)
        (result,) = overlap([run("x", A1="abcd"), run("y", A1="bayz")], depth=1)
        assert (result.shared, result.jaccard, result.rank_biased) == (0, 0, 0)

    def test_the_longer_ranking_is_the_denominator(self) -> None:
        (result,) = overlap([run("x", A1="ab"), run("y", A1="abcd")])
        assert (result.shared, result.jaccard) == (0.5, 0.5)

    def test_a_topic_that_one_run_lacks_has_nothing_in_common(self) -> None:
        (result,) = overlap([run("x", A1="a", A2="b"), run("y", A1="a")])
        assert result == RunOverlap("x", "y", 0.5, 0.5, 0.5)

    def test_only_given_topics_count(self) -> None:
        runs = [run("x", A1="a", A2="b", A3="c"), run("y", A1="z", A2="b")]
        (result,) = overlap(runs, topics=[TopicId("A2"), TopicId("A9")])
        assert result == RunOverlap("x", "y", 1, 1, 1)

    def test_empty_runs_have_nothing_in_common(self) -> None:
        assert overlap([run("x"), run("y", A1="")]) == (RunOverlap("x", "y", 0, 0, 0),)

    def test_every_pair_once(self) -> None:
        result = overlap([run("x", A1="a"), run("y", A1="a"), run("z", A1="b")])
        assert [(each.first + each.second, each.shared) for each in result] == [
            ("xy", 1),
            ("xz", 0),
            ("yz", 0),
        ]


class TestRankBiased:
    @pytest.mark.parametrize(
        ("first", "second", "agreements"),
        [
            ("ab", "ab", (1, 1, 1)),
            ("ab", "ba", (0, 1, 1)),
            ("ab", "ac", (1, 1 / 2, 1 / 2)),
            ("ab", "cd", (0, 0, 0)),
            # The short one would have gone on as it began: wholly common.
            ("a", "ab", (1, 1, 1)),
            # It has nothing at its only rank; "b" of the other is never met.
            ("a", "bc", (0, 0, 0)),
            # At depth 2 "a" is common, and the short one would still have nothing.
            ("a", "ba", (0, 1 / 2, 1 / 2)),
        ],
    )
    def test_by_hand(self, first: str, second: str, agreements: tuple[float, ...]) -> None:
        """With persistence 1/2 the weights are 1/2, 1/4, and 1/4 for all deeper ranks."""
        weights = (1 / 2, 1 / 4, 1 / 4)
        expected = sum(w * agreement for w, agreement in zip(weights, agreements, strict=True))
        assert rbo(first, second) == pytest.approx(expected)
        assert rbo(second, first) == pytest.approx(expected)

    @given(documents, documents)
    def test_it_equals_the_infinite_sum(self, first: list[DocId], second: list[DocId]) -> None:
        """A reader with persistence 0.7 does not get to rank 200."""
        short, long = sorted((first, second), key=len)

        def agreement(depth: int) -> float:
            if depth > len(long):
                return agreement(len(long))
            common = len(set(short[:depth]) & set(long[:depth]))
            above = len(set(short) & set(long[: len(short)]))
            return (common + above * max(0, depth - len(short)) / len(short)) / depth

        expected = (
            sum(0.3 * 0.7 ** (depth - 1) * agreement(depth) for depth in range(1, 200))
            if short
            else 0
        )
        result = rank_biased_overlap(first, second, 0.7)
        assert result == pytest.approx(expected)
        assert result <= 1 + 1e-12

    @given(documents)
    def test_a_ranking_agrees_with_itself(self, result: list[DocId]) -> None:
        assert rank_biased_overlap(result, result) == pytest.approx(1 if result else 0)

    def test_early_ranks_weigh_more(self) -> None:
        assert rbo("abcd", "abdc") > rbo("abcd", "bacd")


class TestPool:
    first, second = run("x", A1="abcd", A2="ab"), run("y", A1="adxy", A2="b")

    def test_contributions_by_hand(self) -> None:
        """At depth 3 topic A1 has abc and adx, A2 has ab and b."""
        pool = common_pool([self.first, self.second], depth=3)
        assert pool.sizes == {"A1": 5, "A2": 2}
        assert (pool.documents, pool.mean_size) == (7, 3.5)
        assert pool.contributions == (
            UniqueContribution("x", 5, 3, None),
            UniqueContribution("y", 4, 2, None),
        )
        assert pool.judged_share is pool.relevant_share is None

    def test_judged_and_relevant_by_hand(self) -> None:
        """Grades 5 and 6 are not judgments; 2 and 3 are relevant; no run has topic A3."""
        grades = {"A1": {"a": 3, "b": 2, "c": 1, "d": 5, "y": 2}, "A2": {"a": 6}, "A3": {"q": 0}}
        qrels = Qrels(
            {TopicId(topic): {DocId(k): v for k, v in of.items()} for topic, of in grades.items()}
        )
        pool = common_pool([self.first, self.second], 3, qrels)
        assert pool.sizes == {"A1": 5, "A2": 2, "A3": 0}
        assert (pool.judged, pool.relevant) == (3, 2)
        assert pool.judged_share == 3 / 7
        assert pool.relevant_share == 2 / 3
        assert [each.unique_relevant for each in pool.contributions] == [1, 0]

    def test_unjudged_topics_are_ignored(self) -> None:
        qrels = Qrels({TopicId("A2"): {DocId("a"): 2}})
        pool = common_pool([self.first, self.second], 10, qrels)
        assert pool.sizes == {"A2": 2}
        assert pool.contributions == (
            UniqueContribution("x", 2, 1, 1),
            UniqueContribution("y", 1, 0, 0),
        )

    def test_no_runs_give_an_empty_pool(self) -> None:
        pool = common_pool([], 10, Qrels())
        assert (pool.documents, pool.mean_size, pool.judged_share) == (0, 0, 0)


def test_overlaps_need_no_optional_package() -> None:
    code = "import sys; import porism.evaluation.run_overlap; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
