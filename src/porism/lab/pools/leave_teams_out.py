"""How runs would have scored, had their teams not contributed to the pool that was judged.

A test collection can be used again if runs that did not take part are scored as if they had. S3
section 6.3 scores a team without what only that team found, for this reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from porism.assess.pools.reusability import judged_id, without_team
from porism.assess.records import Pool, PooledRun
from porism.errors import PorismError
from porism.evaluate.formulas import visual_qrels, visual_run
from porism.evaluate.measures import DEFAULT_MEASURES, parse_measures
from porism.evaluate.scoring import evaluate
from porism.model import DocId, Qrels, Run, Task


@dataclass(frozen=True, slots=True)
class LeaveOutScores:
    """A run's scores by all judgments, and by those without its team's own; means by measure.

    ``judgments_lost`` is how many judgments were the team's alone.
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
    """Each run scored twice. Formulas are scored by visual id, as far as the pool has theirs.

    The means are over the topics of the judgments both times: a topic of which nothing is left
    counts 0, since the team alone had found what was judged there.
    """
    name = judged_id(qrels, pool)
    shown = [each for each in pool.candidates if each.visual_id]
    by_look = {each.doc_id: DocId(each.visual_id) for each in (*shown, *pool.passed_over)}
    judged_look = {name(each): DocId(each.visual_id) for each in shown}
    found = []
    for pooled, run in runs:
        if pool.task == pooled.task == Task.SHORT_ANSWERS:
            continue  # one answer a topic is no ranking
        left = without_team(qrels, pool, pooled.team)
        scored = visual_run(run, by_look) if pool.task == Task.FORMULAS else run
        before = _means(scored, _by_look(qrels, judged_look), measures)
        after = _means(scored, _by_look(left, judged_look), measures)
        lost = _judgments(qrels) - _judgments(left)
        found.append(LeaveOutScores(pooled.name, pooled.team, before, after, lost))
    if not found:
        raise PorismError("there is no run of the pool to score: expected rankings")
    return tuple(found)


def _by_look(qrels: Qrels, judged_look: dict[DocId, DocId]) -> Qrels:
    """Judgments by visual id, given the look of each name that they have."""
    return visual_qrels(qrels, judged_look) if judged_look else qrels


def _judgments(qrels: Qrels) -> int:
    return sum(map(len, qrels.grades.values()))


def _means(run: Run, qrels: Qrels, measures: Sequence[str]) -> dict[str, float]:
    if not any(qrels.grades.values()):  # one team had found everything
        return {str(measure): 0.0 for measure in parse_measures(measures)}
    evaluation = evaluate([run], qrels, measures)
    scores = evaluation.runs[0]
    return {measure: scores.mean(measure) for measure in evaluation.measures}
