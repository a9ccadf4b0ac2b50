"""Random samples of judged answers to annotate, of both kinds."""

from hypothesis import given
from hypothesis import strategies as st

from porism.assess.annotation_sample import annotation_sample
from porism.assess.judgments.final_grades import CandidateKey, FinalChoice, FinalChoiceReason
from porism.assess.records import Candidate, Choice, Pool
from porism.model import DocId, TopicId

A1 = TopicId("A.1")
FINAL = FinalChoice(Choice.LOW, FinalChoiceReason.ALONE, ("Ann",))


def pool_of(posts: int, short: int) -> Pool:
    candidates = [Candidate(A1, DocId(f"post {number}")) for number in range(posts)]
    candidates += [Candidate(A1, DocId(f"short {n}"), text="x") for n in range(short)]
    return Pool(1, (), tuple(candidates))


def judged(pool: Pool) -> dict[CandidateKey, FinalChoice]:
    return {(each.topic_id, each.doc_id): FINAL for each in pool.candidates}


def test_half_are_short_answers_if_there_are_enough() -> None:
    pool = pool_of(50, 50)
    drawn = annotation_sample(pool, judged(pool), 20)
    assert sum(bool(each.text) for each in drawn) == 10
    few = pool_of(50, 3)
    assert sum(bool(each.text) for each in annotation_sample(few, judged(few), 20)) == 3


def test_only_judged_candidates_are_drawn() -> None:
    assert annotation_sample(pool_of(5, 5), {}, 20) == ()


def test_another_seed_draws_another_sample() -> None:
    pool = pool_of(50, 0)
    drawn = [annotation_sample(pool, judged(pool), 10, seed) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 30))
def test_a_sample_has_its_size_and_the_order_of_the_pool(posts: int, short: int, size: int) -> None:
    pool = pool_of(posts, short)
    drawn = annotation_sample(pool, judged(pool), size)
    assert len(drawn) == min(size, posts + short)
    places = [pool.candidates.index(each) for each in drawn]
    assert places == sorted(places)
