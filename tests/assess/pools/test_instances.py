"""Which instances are judged: S2's rules on its own example, votes, and ties."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.pools.instances import InstancePolicy, with_limited_instances
from porism.assess.records import Candidate, Pool, PoolContribution
from porism.errors import PorismError
from porism.model import DocId, Topic, TopicId

TOPIC = TopicId("B.1")

# S2's figure 3 in small: thread 1 has the formula in the answers A, C and G, others in fewer.
FIGURE = {"A": "1", "C": "1", "G": "1", "B": "2", "D": "3", "E": "3", "F": "4"}


def pool_of(*candidates: Candidate, seed: int = 0) -> Pool:
    return Pool(2, (Topic(TOPIC),), candidates, seed=seed)


def in_post(post: str, doc: str = "", rank: int = 1) -> Candidate:
    contributions = (PoolContribution("r", rank),)
    return Candidate(TOPIC, DocId(doc or f"f{post}"), DocId(post), "v", "", contributions)


def thread_of(candidate: Candidate) -> str:
    return FIGURE[candidate.post_id or ""]


def posts(limit: int, seed: int, answers: str = "ABCDEFG") -> list[str]:
    pool = pool_of(*map(in_post, answers), seed=seed)
    chosen = with_limited_instances(pool, limit, InstancePolicy.THREADS, thread_of)
    return [each.post_id or "" for each in chosen.candidates]


SEEDS = range(200)


class TestThreads:
    @pytest.mark.parametrize("limit", [7, 8])
    def test_all_posts_are_taken_up_to_the_limit(self, limit: int) -> None:
        assert posts(limit, seed=0) == list("ABCDEFG")

    def test_one_post_per_thread_then_any_if_threads_are_few(self) -> None:
        chosen = [posts(5, seed) for seed in SEEDS]
        assert all(len(each) == 5 for each in chosen)
        assert all({FIGURE[post] for post in each} == {"1", "2", "3", "4"} for each in chosen)
        # The fifth is any of the rest: a second of thread 1 (two left) or of thread 3 (one left).
        fifth = Counter(
            Counter(FIGURE[post] for post in each).most_common(1)[0][0] for each in chosen
        )
        assert set(fifth) == {"1", "3"}
        assert 100 < fifth["1"] < 165  # 133 are expected, with a deviation below 7

    def test_one_post_per_thread_if_threads_exceed_the_limit(self) -> None:
        chosen = [posts(2, seed) for seed in SEEDS]
        assert all(len({FIGURE[post] for post in each}) == 2 for each in chosen)
        threads = Counter(FIGURE[post] for each in chosen for post in each)
        # Each thread in half of the draws, however many answers it has.
        assert all(70 < threads[thread] < 130 for thread in "1234")
        of_first = Counter(post for each in chosen for post in each if FIGURE[post] == "1")
        assert set(of_first) == {"A", "C", "G"}
        assert min(of_first.values()) > 15

    def test_one_post_per_thread_if_threads_equal_the_limit(self) -> None:
        assert sorted(FIGURE[post] for post in posts(4, seed=3)) == ["1", "2", "3", "4"]

    def test_other_posts_are_equally_likely(self) -> None:
        # Two answers in one thread and eleven in another; one of each, and one of the other eleven.
        instances = [in_post(post) for post in ("p1", "p2", *(f"q{n}" for n in range(11)))]
        both = 0
        for seed in range(600):
            pool = pool_of(*instances, seed=seed)
            chosen = with_limited_instances(
                pool, 3, InstancePolicy.THREADS, lambda each: (each.post_id or "")[0]
            )
            both += sum((each.post_id or "")[0] == "p" for each in chosen.candidates) == 2
        assert 38 < both < 75  # 600 / 11 are expected, with a deviation of 7

    def test_a_post_has_its_best_ranked_instance(self) -> None:
        pool = pool_of(in_post("A", "f1", rank=9), in_post("A", "f2", rank=2), in_post("B", "f3"))
        candidates = with_limited_instances(pool, 5, InstancePolicy.THREADS, thread_of).candidates
        assert [each.doc_id for each in candidates] == ["f2", "f3"]

    def test_the_policy_threads_needs_threads(self) -> None:
        with pytest.raises(PorismError, match="needs to know the threads"):
            with_limited_instances(pool_of(in_post("A")), 1, InstancePolicy.THREADS)


def ranked_in(doc: str, **ranks: int) -> Candidate:
    places = tuple(PoolContribution(run, rank) for run, rank in ranks.items())
    return Candidate(TOPIC, DocId(doc), None, "v", "", places)


def kept_ids(pool: Pool, limit: int, policy: InstancePolicy) -> set[str]:
    return {each.doc_id for each in with_limited_instances(pool, limit, policy).candidates}


MANY_LOW = ranked_in("many", a=40, b=50, c=60)
FEW_HIGH = ranked_in("high", a=1)
TWO = ranked_in("two", a=9, b=8)


class TestVotes:
    def test_the_policy_runs_prefers_instances_of_more_runs(self) -> None:
        assert kept_ids(pool_of(FEW_HIGH, MANY_LOW, TWO), 1, InstancePolicy.RUNS) == {"many"}
        assert kept_ids(pool_of(FEW_HIGH, MANY_LOW, TWO), 2, InstancePolicy.RUNS) == {"many", "two"}

    def test_the_policy_reciprocal_ranks_prefers_the_larger_sum(self) -> None:
        # 1/1, then 1/9 + 1/8 = 0.236, then 1/40 + 1/50 + 1/60 = 0.062.
        pool = pool_of(MANY_LOW, TWO, FEW_HIGH)
        assert kept_ids(pool, 1, InstancePolicy.RECIPROCAL_RANKS) == {"high"}
        assert kept_ids(pool, 2, InstancePolicy.RECIPROCAL_RANKS) == {"high", "two"}

    @pytest.mark.parametrize("policy", [InstancePolicy.RUNS, InstancePolicy.RECIPROCAL_RANKS])
    def test_ties_are_broken_by_the_seed(self, policy: InstancePolicy) -> None:
        equal = [ranked_in(doc, a=2) for doc in "xyz"]
        first = [kept_ids(pool_of(*equal, seed=seed), 1, policy) for seed in range(30)]
        assert set().union(*first) == {"x", "y", "z"}
        again = [kept_ids(pool_of(*equal[::-1], seed=seed), 1, policy) for seed in range(30)]
        assert first == again

    def test_sums_are_exact_so_that_ties_are_ties(self) -> None:
        # 1/2 = 1/3 + 1/6, which floating point numbers need not agree with.
        equal = (ranked_in("one", a=2), ranked_in("two", b=3, c=6))
        chosen = [
            kept_ids(pool_of(*equal, seed=seed), 1, InstancePolicy.RECIPROCAL_RANKS)
            for seed in range(30)
        ]
        assert set().union(*chosen) == {"one", "two"}


def test_visual_ids_and_topics_are_limited_separately() -> None:
    candidates = [
        Candidate(TopicId(topic), DocId(f"{visual_id}{number}"), None, visual_id)
        for topic in ("B.1", "B.2")
        for visual_id in ("v", "w")
        for number in range(3)
    ]
    pool = Pool(2, (Topic(TopicId("B.1")), Topic(TopicId("B.2"))), tuple(candidates))
    limited = with_limited_instances(pool, 2, InstancePolicy.RUNS)
    assert Counter((each.topic_id, each.visual_id) for each in limited.candidates) == {
        (topic, visual_id): 2 for topic in ("B.1", "B.2") for visual_id in ("v", "w")
    }
    assert limited.settings == {"instances": "2", "policy": "runs"}


def test_passed_over_instances_keep_their_runs() -> None:
    limited = with_limited_instances(pool_of(FEW_HIGH, MANY_LOW, TWO), 2, InstancePolicy.RUNS)
    assert limited.passed_over == (FEW_HIGH,)
    assert with_limited_instances(limited, 1, InstancePolicy.RUNS).passed_over == (FEW_HIGH, TWO)
    assert with_limited_instances(pool_of(FEW_HIGH, TWO), 2, InstancePolicy.RUNS).passed_over == ()


def test_a_limit_of_0_is_refused() -> None:
    with pytest.raises(PorismError, match="expected 1 or more"):
        with_limited_instances(pool_of(FEW_HIGH), 0, InstancePolicy.RUNS)


@given(
    st.dictionaries(st.sampled_from("ABCDEFG"), st.integers(1, 5), min_size=1),
    st.integers(1, 8),
    st.sampled_from(InstancePolicy),
    st.integers(0, 5),
)
def test_all_policies_keep_as_many_as_the_limit_allows(
    ranks: dict[str, int], limit: int, policy: InstancePolicy, seed: int
) -> None:
    pool = pool_of(*(in_post(post, rank=rank) for post, rank in ranks.items()), seed=seed)
    chosen = with_limited_instances(pool, limit, policy, thread_of).candidates
    assert len(chosen) == min(limit, len(ranks))
    assert list(chosen) == [each for each in pool.candidates if each in chosen]
    if policy is InstancePolicy.THREADS:
        threads = {thread_of(each) for each in pool.candidates}
        assert len({thread_of(each) for each in chosen}) == min(limit, len(threads))
    if policy is InstancePolicy.RECIPROCAL_RANKS:
        worst = max(ranks[each.post_id or ""] for each in chosen)
        assert sum(rank < worst for rank in ranks.values()) < limit
