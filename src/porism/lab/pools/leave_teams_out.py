"""Scores of runs as if their teams had not contributed to the judged pool.

A test collection is reusable if runs that did not contribute are scored as if they had. S3 section
6.3 scores a team without the answers that only this team contributed, for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from porism.assess.pools.reusability import judged_id, without_team
from porism.assess.records import Pool, PooledRun
from porism.errors import PorismError
from porism.evaluation.formulas import visual_qrels, visual_run
from porism.evaluation.measures import DEFAULT_MEASURES, parse_measures
from porism.evaluation.scoring import evaluate
from porism.model import DocId, Qrels, Run, Task


@dataclass(frozen=True, slots=True)
class LeaveOutScores:
    """The means of a run by measure, with all judgments and without those unique to its team.

    ``judgments_lost`` is the number of judgments unique to the team.
    """

    run: str
    team: str
    scores: dict[str, float]
    scores_without: dict[str, float]
    judgments_lost: int


def leave_teams_out(
    pool: Pool,
    runs: Iterable[tuple[PooledRun, Run]],
    qrels: Qrels,
    measures: Sequence[str] = DEFAULT_MEASURES,
) -> tuple[LeaveOutScores, ...]:
    """Each run scored twice; formulas by visual id, where the pool has one.

    Means are over the topics of all judgments both times: a topic without remaining judgments
    counts 0, since all of them were unique to the team.
    """
    name = judged_id(qrels, pool)
    identified = [each for each in pool.candidates if each.visual_id]
    visual_ids = {each.doc_id: DocId(each.visual_id) for each in (*identified, *pool.passed_over)}
    judged_visual_ids = {name(each): DocId(each.visual_id) for each in identified}
    results = []
    for pooled, run in runs:
        if pool.task == pooled.task == Task.SHORT_ANSWERS:
            continue  # one answer per topic is not a ranking
        remaining = without_team(qrels, pool, pooled.team)
        scored = visual_run(run, visual_ids) if pool.task == Task.FORMULAS else run
        before = _means(scored, _by_visual_id(qrels, judged_visual_ids), measures)
        after = _means(scored, _by_visual_id(remaining, judged_visual_ids), measures)
        lost = _judgments(qrels) - _judgments(remaining)
        results.append(LeaveOutScores(pooled.name, pooled.team, before, after, lost))
    if not results:
        raise PorismError("the pool has no run to score: expected rankings")
    return tuple(results)


def _by_visual_id(qrels: Qrels, visual_ids: dict[DocId, DocId]) -> Qrels:
    return visual_qrels(qrels, visual_ids) if visual_ids else qrels


def _judgments(qrels: Qrels) -> int:
    return sum(map(len, qrels.grades.values()))


def _means(run: Run, qrels: Qrels, measures: Sequence[str]) -> dict[str, float]:
    if not any(qrels.grades.values()):  # all judgments were unique to one team
        return {str(measure): 0.0 for measure in parse_measures(measures)}
    evaluation = evaluate([run], qrels, measures)
    scores = evaluation.runs[0]
    return {measure: scores.mean(measure) for measure in evaluation.measures}
