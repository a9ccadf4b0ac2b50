"""Who contributed what, and judgments without a team."""

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


def found_by(doc: str, *runs: str, topic: TopicId = A1, look: str = "") -> Candidate:
    places = tuple(PoolContribution(run, 1) for run in runs)
    return Candidate(topic, DocId(doc), None, look, "", places)


def pool_of(*candidates: Candidate) -> Pool:
    runs = tuple(
        PooledRun(name, team, RunKind.PRIMARY, False, 1, 9)
        for name, team in (("x1", "X"), ("x2", "X"), ("y", "Y"))
    )
    return Pool(1, (Topic(A1), Topic(B1)), candidates, runs)


ANSWERS = pool_of(
    found_by("of all", "x1", "x2", "y"),
    found_by("of x1", "x1"),
    found_by("of X", "x1", "x2"),
    found_by("of y", "y"),
    found_by("failed", "y"),
    found_by("added", "thread"),
)
GRADES = {"of all": 3, "of x1": 2, "of X": 0, "of y": 1, "failed": 5, "added": 3, "other": 3}
QRELS = Qrels({A1: {DocId(doc): grade for doc, grade in GRADES.items()}})


def test_the_shares_of_runs() -> None:
    assert run_contributions(ANSWERS) == (
        PoolShare("x1", "X", 3, 1, 2),
        PoolShare("x2", "X", 2, 0, 1),
        PoolShare("y", "Y", 3, 2, 2),
        PoolShare("thread", "(thread)", 1, 1, 1),
    )


def test_what_a_run_alone_contributed() -> None:
    found = {
        name: [each.doc_id for each in candidates]
        for name, candidates in unique_candidates(ANSWERS).items()
    }
    assert found == {"x1": ["of x1"], "x2": [], "y": ["of y", "failed"], "thread": ["added"]}
    assert all(not candidates for candidates in unique_candidates(LOOKS).values())


def test_the_relevant_ones_among_them() -> None:
    assert [
        (each.relevant, each.relevant_unique, each.relevant_unique_to_team)
        for each in run_contributions(ANSWERS, QRELS)
    ] == [(2, 1, 1), (1, 0, 0), (1, 0, 0), (1, 1, 1)]


def test_judgments_without_a_team_lack_what_only_it_found() -> None:
    left = without_team(QRELS, ANSWERS, "X").grades[A1]
    assert set(left) == {"of all", "of y", "failed", "added", "other"}
    assert set(without_team(QRELS, ANSWERS, "Y").grades[A1]) == set(GRADES) - {"of y", "failed"}
    assert without_team(QRELS, ANSWERS, "nobody") == QRELS


LOOKS = pool_of(
    found_by("1", "x1", topic=B1, look="v"),
    found_by("2", "y", topic=B1, look="v"),
    found_by("3", "x1", topic=B1, look="w"),
    found_by("4", "x2", topic=B1, look="w"),
)


@pytest.mark.parametrize(
    ("grades", "left"),
    [
        ({"1": 0, "2": 3, "3": 2, "4": 2}, {"1", "2"}),
        ({"v": 3, "w": 2}, {"v"}),
    ],
)
def test_formulas_count_by_look(grades: dict[str, int], left: set[str]) -> None:
    qrels = Qrels({B1: {DocId(doc): grade for doc, grade in grades.items()}})
    assert set(without_team(qrels, LOOKS, "X").grades[B1]) == left
    x1, x2, y = run_contributions(LOOKS, qrels)
    assert (x1.contributed, x1.unique, x1.unique_to_team, x1.relevant) == (2, 0, 1, 2)
    assert (x2.contributed, x2.relevant_unique_to_team) == (1, 1)
    assert (y.contributed, y.unique) == (1, 0)


def test_who_found_an_instance_that_was_passed_over_has_found_its_look() -> None:
    kept, passed_over = LOOKS.candidates[:1], LOOKS.candidates[1:2]
    pool = replace(LOOKS, candidates=kept, passed_over=passed_over)
    for grades in ({DocId("1"): 3}, {DocId("v"): 3}):
        assert without_team(Qrels({B1: grades}), pool, "X").grades[B1] == grades
    assert [(each.name, each.contributed, each.unique) for each in run_contributions(pool)] == [
        ("x1", 1, 0),
        ("x2", 0, 0),
        ("y", 1, 0),
    ]
    assert unique_candidates(pool) == {"x1": (), "x2": (), "y": ()}
    assert pool_coverage(pool, Qrels({B1: {DocId("1"): 3}})).candidates == 1


def test_how_much_is_judged() -> None:
    part = pool_coverage(ANSWERS, QRELS)
    assert (part.topics, part.candidates) == (1, 6)
    assert [each.doc_id for each in part.unjudged] == ["failed"]
    assert part.share == pytest.approx(5 / 6)


def test_topics_without_judgments_do_not_count() -> None:
    part = pool_coverage(LOOKS, QRELS)
    assert (part.topics, part.candidates, part.share) == (0, 0, 1.0)


def test_a_formula_is_judged_by_its_look() -> None:
    part = pool_coverage(LOOKS, Qrels({B1: {DocId("v"): 0}}))
    assert [each.doc_id for each in part.unjudged] == ["3", "4"]


# The look 7 is of the instance 900, and the instance 7 has another look.
NUMBERS = pool_of(
    found_by("900", "x1", topic=B1, look="7"),
    found_by("7", "y", topic=B1, look="8"),
    found_by("901", "y", topic=B1),
)


def test_an_instance_is_not_taken_for_the_look_of_its_number() -> None:
    by_instance = Qrels({B1: {DocId("900"): 0, DocId("7"): 3, DocId("901"): 0}})
    assert without_team(by_instance, NUMBERS, "X").grades[B1] == {"7": 3, "901": 0}
    assert [(each.name, each.relevant) for each in run_contributions(NUMBERS, by_instance)] == [
        ("x1", 0),
        ("x2", 0),
        ("y", 1),
    ]
    without_900 = Qrels({B1: {DocId("7"): 3, DocId("901"): 0}})
    assert [each.doc_id for each in pool_coverage(NUMBERS, without_900).unjudged] == ["900"]


def test_a_look_is_not_taken_for_the_instance_of_its_number() -> None:
    by_look = Qrels({B1: {DocId("7"): 3, DocId("8"): 0}})
    assert without_team(by_look, NUMBERS, "Y").grades[B1] == {"7": 3}
    assert [each.doc_id for each in pool_coverage(NUMBERS, by_look).unjudged] == ["901"]


def test_a_formula_without_a_look_is_not_shown_with_the_look_of_its_number() -> None:
    assert found_by("7", "y", look="").group_key != found_by("900", "y", look="7").group_key


@given(st.lists(st.sets(st.sampled_from(["x1", "x2", "y"]), min_size=1)))
def test_shares_equal_slow_counts(finders: list[set[str]]) -> None:
    pool = pool_of(*(found_by(str(number), *runs) for number, runs in enumerate(finders)))
    for share in run_contributions(pool):
        mates = {"x1", "x2"} if share.name != "y" else {"y"}
        own = [runs for runs in finders if share.name in runs]
        assert share.contributed == len(own)
        assert share.unique == own.count({share.name})
        assert share.unique_to_team == sum(runs <= mates for runs in own)
