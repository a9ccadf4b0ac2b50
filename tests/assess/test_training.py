"""Training rounds from earlier qrels."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.records import Candidate
from porism.assess.training import (
    RoundSettings,
    available_judgments,
    round_results,
    training_round,
)
from porism.errors import PorismError
from porism.model import DocId, Formula, Qrels, Topic, TopicId
from tests.assess.judgment_samples import by_two, judged

TOPICS = [Topic(TopicId(f"A.{number}")) for number in range(1, 9)]
GRADES = (3, 3, 2, 1, 1, 0, 0, 0, 0, 0, 5, 6)
QRELS = Qrels(
    {
        topic.id: {DocId(f"{topic.id}-{place}"): grade for place, grade in enumerate(GRADES)}
        for topic in TOPICS
    }
)


def grade_of(candidate: Candidate) -> int:
    return QRELS.grades[candidate.topic_id][candidate.doc_id]


@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(1, 10))
def test_all_grades_are_drawn_evenly(seed: int, topics: int, candidates: int) -> None:
    pool = training_round(TOPICS, QRELS, RoundSettings(topics, candidates, seed))
    assert len(pool.topics) == topics
    for topic in pool.topics:
        drawn = [each for each in pool.candidates if each.topic_id == topic.id]
        assert len({each.doc_id for each in drawn}) == candidates
        counts = Counter(map(grade_of, drawn))
        assert set(counts) <= {0, 1, 2, 3}  # no system failures
        if candidates >= 4:
            assert len(counts) == 4
        # Grades differ by at most one, unless one is used up.
        for grade, available in Counter(GRADES).items():
            if grade <= 3 and counts[grade] < available:
                assert max(counts.values()) - counts[grade] <= 1


def test_the_same_seed_draws_the_same_round() -> None:
    form = RoundSettings(seed=7)
    assert training_round(TOPICS, QRELS, form) == training_round(TOPICS, QRELS, form)
    others = [training_round(TOPICS, QRELS, RoundSettings(seed=seed)) for seed in range(5)]
    assert len({pool.candidates for pool in others}) == 5


def test_the_order_does_not_depend_on_the_grades() -> None:
    def drawn(*grades: int) -> tuple[Candidate, ...]:
        judged_so = {DocId(str(number)): grade for number, grade in enumerate(grades)}
        everything = RoundSettings(topics=1, candidates=len(grades), seed=3)
        return training_round(TOPICS[:1], Qrels({TOPICS[0].id: judged_so}), everything).candidates

    assert drawn(3, 3, 2, 2, 1, 1, 0, 0) == drawn(0, 0, 1, 1, 2, 2, 3, 3)
    assert drawn(3, 3, 2, 2, 1, 1, 0, 0) == drawn(3, 0, 0, 0, 0, 0, 2, 1)


def test_only_available_judgments_are_kept() -> None:
    judged_here = Qrels({TopicId("A.1"): {DocId("1"): 3, DocId("2"): 0}})
    one, other = TOPICS[:2]
    available = available_judgments([one, other], judged_here, lambda doc_id: doc_id == "2")
    assert (available.absent, available.judged) == (1, 2)
    assert available.qrels.grades == {"A.1": {"2": 0}, "A.2": {}}
    assert available_judgments([other], judged_here, lambda _: False).judged == 0
    with pytest.raises(PorismError, match="has none of the 2 judged documents, such as 1"):
        available_judgments([one], judged_here, lambda _: False)


def test_the_pool_does_not_reveal_grades() -> None:
    first_four = set()
    for seed in range(20):
        pool = training_round(TOPICS, QRELS, RoundSettings(topics=1, candidates=8, seed=seed))
        first_four.add(len(set(map(grade_of, pool.candidates[:4]))))
        assert all(each.contributions == () for each in pool.candidates)
    assert len(first_four) > 1  # not grouped by grade


def test_used_topics_are_not_drawn_again() -> None:
    first = training_round(TOPICS, QRELS, RoundSettings())
    used = {topic.id for topic in first.topics}
    second = training_round(TOPICS, QRELS, RoundSettings(), used)
    assert used.isdisjoint(topic.id for topic in second.topics)
    with pytest.raises(PorismError, match=r"unused topics .* found 0, expected at least 4"):
        training_round(TOPICS, QRELS, RoundSettings(), [topic.id for topic in TOPICS])


def test_topics_with_missing_grades_are_drawn_only_if_allowed() -> None:
    poor = Qrels({TopicId("A.1"): {DocId("1"): 3, DocId("2"): 0}})
    form = RoundSettings(topics=1, candidates=2)
    with pytest.raises(PorismError, match="all grades: found 0, expected at least 1"):
        training_round(TOPICS, poor, form)
    pool = training_round(TOPICS, poor, RoundSettings(topics=1, candidates=2, missing_grades=2))
    assert {each.doc_id for each in pool.candidates} == {"1", "2"}


@pytest.mark.parametrize("form", [RoundSettings(topics=0), RoundSettings(candidates=0)])
def test_empty_rounds_are_refused(form: RoundSettings) -> None:
    with pytest.raises(PorismError, match="at least one topic"):
        training_round(TOPICS, QRELS, form)


def test_formula_candidates_have_their_post_and_visual_id() -> None:
    topics = [Topic(topic.id, focus=Formula("q_1", "x^2")) for topic in TOPICS]
    pool = training_round(
        topics,
        QRELS,
        RoundSettings(),
        candidate_of=lambda topic, doc: Candidate(topic, doc, DocId("99"), "v"),
    )
    assert pool.task == 2
    assert {(each.post_id, each.visual_id) for each in pool.candidates} == {("99", "v")}


def test_results_are_by_round() -> None:
    first = by_two("HN", "NN", batch="round 1")
    second = [
        judged(10 + each.number, each.assessor, each.doc_id, letter, batch="round 2")
        for each, letter in zip(first, "HNHN", strict=True)
    ]
    earlier = Qrels({TopicId("A.1"): {DocId("1"): 3}})
    one, two = round_results([*second, *first], {"round 1": earlier})
    assert (one.batch, two.batch) == ("round 1", "round 2")
    assert (one.agreement.fleiss_four_way, two.agreement.fleiss_four_way) == (-1 / 3, 1.0)
    assert [each.doc_id for each in one.disagreements] == ["1"]
    assert one.grades == {("A.1", "1"): 3}
    assert two.disagreements == ()
