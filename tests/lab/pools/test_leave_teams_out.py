"""Scores of runs without the judgments unique to their teams."""

import pytest

from porism.assess.pools.instances import InstancePolicy, with_limited_instances
from porism.assess.pools.pooling import PooledInstance, draw_answers, draw_formulas
from porism.assess.records import PooledRun, RunKind
from porism.errors import PorismError
from porism.lab.pools.leave_teams_out import leave_teams_out
from porism.model import DocId, Hit, Qrels, Run, TopicId, ranked

TOPIC = TopicId("A.1")


def entry(name: str, team: str, documents: str, task: int = 1) -> tuple[PooledRun, Run]:
    hits = (Hit(DocId(each), -place, DocId("p")) for place, each in enumerate(documents))
    pooled = PooledRun(name, team, RunKind.PRIMARY, False, task, 9)
    return pooled, Run(name, {TOPIC: ranked(hits)})


def qrels(**grades: int) -> Qrels:
    return Qrels({TOPIC: {DocId(doc): grade for doc, grade in grades.items()}})


X = entry("x", "X", "ab")
Y = entry("y", "Y", "cb")


def test_a_run_loses_the_judgments_unique_to_its_team() -> None:
    pool = draw_answers([X, Y]).pool
    results = leave_teams_out(pool, [X, Y], qrels(a=3, b=0, c=0), ["P'@1"])
    assert [(each.run, each.scores, each.scores_without) for each in results] == [
        ("x", {"P'@1": 1.0}, {"P'@1": 0.0}),  # a is gone, and b comes first
        ("y", {"P'@1": 0.0}, {"P'@1": 0.0}),
    ]
    assert [each.judgments_lost for each in results] == [1, 1]


def test_contributions_of_another_run_of_the_team_are_unique_to_the_team() -> None:
    mate = entry("x2", "X", "a")
    pool = draw_answers([X, Y, mate]).pool
    (results,) = leave_teams_out(pool, [mate], qrels(a=3, b=0), ["P'@1"])
    assert (results.scores, results.scores_without) == ({"P'@1": 1.0}, {"P'@1": 0.0})


def test_a_single_team_loses_all_judgments() -> None:
    (results,) = leave_teams_out(draw_answers([X]).pool, [X], qrels(a=3, b=2), ["P'@1", "MAP'"])
    assert results.scores_without == {"P'@1": 0.0, "MAP'": 0.0}
    assert results.judgments_lost == 2


@pytest.mark.parametrize("judgments", [qrels(a=3, b=3, c=0), qrels(v=3, w=0)])
def test_formulas_are_scored_by_visual_id(judgments: Qrels) -> None:
    # a and b share visual id v, so v is not unique to X although a is.
    x, y = entry("x", "X", "ac", task=2), entry("y", "Y", "b", task=2)
    pool = draw_formulas([x, y], lambda doc: PooledInstance("w" if doc == "c" else "v")).pool
    results = leave_teams_out(pool, [x, y], judgments, ["P'@1"])
    assert [each.scores_without for each in results] == [{"P'@1": 1.0}, {"P'@1": 1.0}]
    assert [each.judgments_lost for each in results] == [1, 0]


def test_passed_over_instances_count_as_contributions() -> None:
    # Two runs of X have a, and Y has b with the same visual id: with one instance each, a is kept.
    x, mate, y = (
        entry(*names, task=2) for names in (("x", "X", "a"), ("x2", "X", "a"), ("y", "Y", "b"))
    )
    whole = draw_formulas([x, mate, y], lambda doc: PooledInstance("v")).pool
    pool = with_limited_instances(whole, 1, InstancePolicy.RUNS)
    assert [each.doc_id for each in pool.candidates] == ["a"]
    results = leave_teams_out(pool, [x, y], qrels(a=3), ["P'@1"])
    assert [each.judgments_lost for each in results] == [0, 0]
    # Y is scored by the visual id of b.
    assert [each.scores for each in results] == [{"P'@1": 1.0}, {"P'@1": 1.0}]
    assert [each.scores_without for each in results] == [{"P'@1": 1.0}, {"P'@1": 1.0}]


def test_an_instance_id_is_not_mistaken_for_a_visual_id() -> None:
    # The visual id of a is b, that of b is c: only b is judged, as an instance.
    x, y = entry("x", "X", "a", task=2), entry("y", "Y", "b", task=2)
    pool = draw_formulas([x, y], lambda doc: PooledInstance("b" if doc == "a" else "c")).pool
    results = leave_teams_out(pool, [x, y], qrels(a=0, b=3), ["P'@1"])
    assert [(each.scores["P'@1"], each.scores_without["P'@1"]) for each in results] == [
        (0.0, 0.0),
        (1.0, 0.0),
    ]
    assert [each.judgments_lost for each in results] == [1, 1]


def test_no_run_to_score_is_refused() -> None:
    with pytest.raises(PorismError, match="no run to score"):
        leave_teams_out(draw_answers([X]).pool, [], qrels(a=1))
