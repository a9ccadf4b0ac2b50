"""Contributions of runs, and judgments without a team."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.pools.reusability import (
    PoolShare,
    pool_coverage,
    run_contributions,
    unique_candidates,
    without_team,
)
from porism.assess.records import Candidate, Pool, PoolContribution, PooledRun, RunKind
from porism.model import DocId, Qrels, Topic, TopicId

A1, B1 = TopicId("A.1"), TopicId("B.1")


def contributed_by(doc: str, *runs: str, topic: TopicId = A1, visual_id: str = "") -> Candidate:
    places = tuple(PoolContribution(run, 1) for run in runs)
    return Candidate(topic, DocId(doc), None, visual_id, "", places)


def pool_of(*candidates: Candidate) -> Pool:
    runs = tuple(
        PooledRun(name, team, RunKind.PRIMARY, False, 1, 9)
        for name, team in (("x1", "X"), ("x2", "X"), ("y", "Y"))
    )
    return Pool(1, (Topic(A1), Topic(B1)), candidates, runs)


ANSWERS = pool_of(
    contributed_by("of all", "x1", "x2", "y"),
    contributed_by("of x1", "x1"),
    contributed_by("of X", "x1", "x2"),
    contributed_by("of y", "y"),
    contributed_by("failed", "y"),
    contributed_by("added", "thread"),
)
GRADES = {"of all": 3, "of x1": 2, "of X": 0, "of y": 1, "failed": 5, "added": 3, "other": 3}
QRELS = Qrels({A1: {DocId(doc): grade for doc, grade in GRADES.items()}})


def test_contributions_by_run() -> None:
    assert run_contributions(ANSWERS) == (
        PoolShare("x1", "X", 3, 1, 2),
        PoolShare("x2", "X", 2, 0, 1),
        PoolShare("y", "Y", 3, 2, 2),
        PoolShare("thread", "(thread)", 1, 1, 1),
    )


def test_unique_candidates_by_run() -> None:
    unique = {
        name: [each.doc_id for each in candidates]
        for name, candidates in unique_candidates(ANSWERS).items()
    }
    assert unique == {"x1": ["of x1"], "x2": [], "y": ["of y", "failed"], "thread": ["added"]}
    assert all(not candidates for candidates in unique_candidates(FORMULAS).values())


def test_relevant_contributions_by_run() -> None:
    assert [
        (each.relevant, each.relevant_unique, each.relevant_unique_to_team)
        for each in run_contributions(ANSWERS, QRELS)
    ] == [(2, 1, 1), (1, 0, 0), (1, 0, 0), (1, 1, 1)]


def test_judgments_without_a_team_lack_its_unique_contributions() -> None:
    left = without_team(QRELS, ANSWERS, "X").grades[A1]
    assert set(left) == {"of all", "of y", "failed", "added", "other"}
    assert set(without_team(QRELS, ANSWERS, "Y").grades[A1]) == set(GRADES) - {"of y", "failed"}
    assert without_team(QRELS, ANSWERS, "nobody") == QRELS


FORMULAS = pool_of(
    contributed_by("1", "x1", topic=B1, visual_id="v"),
    contributed_by("2", "y", topic=B1, visual_id="v"),
    contributed_by("3", "x1", topic=B1, visual_id="w"),
    contributed_by("4", "x2", topic=B1, visual_id="w"),
)


@pytest.mark.parametrize(
    ("grades", "left"),
    [
        ({"1": 0, "2": 3, "3": 2, "4": 2}, {"1", "2"}),
        ({"v": 3, "w": 2}, {"v"}),
    ],
)
def test_contributions_of_formulas_count_by_visual_id(
    grades: dict[str, int], left: set[str]
) -> None:
    qrels = Qrels({B1: {DocId(doc): grade for doc, grade in grades.items()}})
    assert set(without_team(qrels, FORMULAS, "X").grades[B1]) == left
    x1, x2, y = run_contributions(FORMULAS, qrels)
    assert (x1.contributed, x1.unique, x1.unique_to_team, x1.relevant) == (2, 0, 1, 2)
    assert (x2.contributed, x2.relevant_unique_to_team) == (1, 1)
    assert (y.contributed, y.unique) == (1, 0)


def test_passed_over_instances_count_as_contributions() -> None:
    kept, passed_over = FORMULAS.candidates[:1], FORMULAS.candidates[1:2]
    pool = replace(FORMULAS, candidates=kept, passed_over=passed_over)
    for grades in ({DocId("1"): 3}, {DocId("v"): 3}):
        assert without_team(Qrels({B1: grades}), pool, "X").grades[B1] == grades
    assert [(each.name, each.contributed, each.unique) for each in run_contributions(pool)] == [
        ("x1", 1, 0),
        ("x2", 0, 0),
        ("y", 1, 0),
    ]
    assert unique_candidates(pool) == {"x1": (), "x2": (), "y": ()}
    assert pool_coverage(pool, Qrels({B1: {DocId("1"): 3}})).candidates == 1


def test_coverage_of_a_pool() -> None:
    part = pool_coverage(ANSWERS, QRELS)
    assert (part.topics, part.candidates) == (1, 6)
    assert [each.doc_id for each in part.unjudged] == ["failed"]
    assert part.share == pytest.approx(5 / 6)


def test_topics_without_judgments_do_not_count() -> None:
    part = pool_coverage(FORMULAS, QRELS)
    assert (part.topics, part.candidates, part.share) == (0, 0, 1.0)


def test_a_formula_can_be_judged_by_visual_id() -> None:
    part = pool_coverage(FORMULAS, Qrels({B1: {DocId("v"): 0}}))
    assert [each.doc_id for each in part.unjudged] == ["3", "4"]


# The visual id 7 is that of instance 900, and instance 7 has another visual id.
NUMBERS = pool_of(
    contributed_by("900", "x1", topic=B1, visual_id="7"),
    contributed_by("7", "y", topic=B1, visual_id="8"),
    contributed_by("901", "y", topic=B1),
)


def test_an_instance_is_not_confused_with_an_equal_visual_id() -> None:
    by_instance = Qrels({B1: {DocId("900"): 0, DocId("7"): 3, DocId("901"): 0}})
    assert without_team(by_instance, NUMBERS, "X").grades[B1] == {"7": 3, "901": 0}
    assert [(each.name, each.relevant) for each in run_contributions(NUMBERS, by_instance)] == [
        ("x1", 0),
        ("x2", 0),
        ("y", 1),
    ]
    without_900 = Qrels({B1: {DocId("7"): 3, DocId("901"): 0}})
    assert [each.doc_id for each in pool_coverage(NUMBERS, without_900).unjudged] == ["900"]


def test_a_visual_id_is_not_confused_with_an_equal_instance() -> None:
    by_visual_id = Qrels({B1: {DocId("7"): 3, DocId("8"): 0}})
    assert without_team(by_visual_id, NUMBERS, "Y").grades[B1] == {"7": 3}
    assert [each.doc_id for each in pool_coverage(NUMBERS, by_visual_id).unjudged] == ["901"]


def test_a_formula_without_visual_id_is_not_grouped_with_an_equal_visual_id() -> None:
    assert (
        contributed_by("7", "y", visual_id="").group_key
        != contributed_by("900", "y", visual_id="7").group_key
    )


@given(st.lists(st.sets(st.sampled_from(["x1", "x2", "y"]), min_size=1)))
def test_contributions_equal_slow_counts(finders: list[set[str]]) -> None:
    pool = pool_of(*(contributed_by(str(number), *runs) for number, runs in enumerate(finders)))
    for share in run_contributions(pool):
        mates = {"x1", "x2"} if share.name != "y" else {"y"}
        own = [runs for runs in finders if share.name in runs]
        assert share.contributed == len(own)
        assert share.unique == own.count({share.name})
        assert share.unique_to_team == sum(runs <= mates for runs in own)
