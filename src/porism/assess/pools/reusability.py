"""Who contributed what to a pool, and what judgments would lack without a run or a team.

Formulas are counted by look, as they are scored: what only one run found is a visual id of which
no other run contributed an instance, be it one that is judged or one that was passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from porism.assess.pools.visual_groups import VisualGroupKey, visual_groups
from porism.assess.records import RELEVANT_GRADE, UNGRADED_CODES, Candidate, Pool
from porism.model import DocId, Qrels, TopicId

JudgedId = Callable[[Candidate], DocId]
"""Tells under which name judgments have a candidate."""


@dataclass(frozen=True, slots=True)
class PoolShare:
    """What a run contributed, alone or not; ``name`` may also be what enriched the pool.

    ``unique_candidates`` counts what no other run contributed, ``of_team_alone`` what no run of another team
    did. The relevant ones among them are None without judgments.
    """

    name: str
    team: str
    contributed: int
    alone: int
    of_team_alone: int
    relevant: int | None = None
    relevant_alone: int | None = None
    relevant_of_team_alone: int | None = None


def run_contributions(pool: Pool, qrels: Qrels | None = None) -> tuple[PoolShare, ...]:
    """The share of each run, in the order of the pool's runs, and then of what enriched it."""
    teams = _teams(pool)
    counts = {name: Counter[str]() for name in teams}
    judgments = qrels or Qrels()
    for (topic_id, _), found in _finders(pool, teams, judgments).items():
        is_relevant = _grade(found.names, judgments.grades.get(topic_id, {})) >= RELEVANT_GRADE
        of_team = {teams[name] for name in found.runs}
        for name in found.runs:
            count = counts[name]
            for what, counts_here in (
                ("contributed", True),
                ("alone", len(found.runs) == 1),
                ("of_team_alone", len(of_team) == 1),
            ):
                count[what] += counts_here
                count[f"relevant {what}"] += counts_here and is_relevant
    return tuple(_share(name, teams[name], counts[name], qrels is not None) for name in teams)


def _share(name: str, team: str, count: Counter[str], is_judged: bool) -> PoolShare:
    relevant = (
        count[f"relevant {what}"] if is_judged else None
        for what in ("contributed", "alone", "of_team_alone")
    )
    return PoolShare(
        name, team, count["contributed"], count["alone"], count["of_team_alone"], *relevant
    )


def unique_candidates(pool: Pool) -> dict[str, tuple[Candidate, ...]]:
    """What a pool would lack without a run: the candidates that it alone contributed.

    They are in the order of the pool; of a formula they are all instances of a look.
    """
    teams = _teams(pool)
    finders = _finders(pool, teams, Qrels())
    found: dict[str, list[Candidate]] = {name: [] for name in teams}
    for each in pool.candidates:
        runs = finders[each.topic_id, each.group_key].runs
        if len(runs) == 1:
            found[next(iter(runs))].append(each)
    return {name: tuple(candidates) for name, candidates in found.items()}


def judged_id(qrels: Qrels, pool: Pool) -> JudgedId:
    """Under which names judgments have candidates: all by instance, or all by visual id.

    It is whichever more of the judged names are in the pool, since nothing else tells: ids of
    formulas and of looks are both numbers, and the same number may be both.
    """
    known: dict[TopicId, tuple[set[str], set[str]]] = {}
    for each in pool.candidates:
        instances, looks = known.setdefault(each.topic_id, (set(), set()))
        instances.add(each.doc_id)
        looks.add(each.group_key)
    by_instance = by_look = 0
    for topic_id, (instances, looks) in known.items():
        judged_here = qrels.grades.get(topic_id, {}).keys()
        by_instance += len(judged_here & instances)
        by_look += len(judged_here & looks)
    return _look if by_look > by_instance else _instance


def _look(candidate: Candidate) -> DocId:
    return DocId(candidate.group_key)


def _instance(candidate: Candidate) -> DocId:
    return candidate.doc_id


def without_team(qrels: Qrels, pool: Pool, team: str) -> Qrels:
    """The judgments that there would be had the team not taken part (S3 section 6.3 has it so).

    What only runs of the team contributed is taken out, in judgments by instance or by visual id.
    Topics stay, also those that are left without any.
    """
    teams = _teams(pool)
    gone: dict[TopicId, set[DocId]] = {}
    for (topic_id, _), found in _finders(pool, teams, qrels).items():
        if {teams[run] for run in found.runs} == {team}:
            gone.setdefault(topic_id, set()).update(found.names)
    return Qrels(
        {
            topic_id: {
                doc_id: grade
                for doc_id, grade in grades.items()
                if doc_id not in gone.get(topic_id, ())
            }
            for topic_id, grades in qrels.grades.items()
        }
    )


@dataclass(frozen=True, slots=True)
class PoolCoverage:
    """How much of a pool is judged, over the topics that have judgments.

    The lab's codes for no judgment are none here. ``unjudged`` are in the order of the pool.
    """

    topics: int
    candidates: int
    unjudged: tuple[Candidate, ...]

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where there is nothing to judge."""
        return 1 - len(self.unjudged) / self.candidates if self.candidates else 1.0


def pool_coverage(pool: Pool, qrels: Qrels) -> PoolCoverage:
    """What of a pool is in judgments, which are by document or, of formulas, by visual id."""
    name = judged_id(qrels, pool)
    candidates = [each for each in pool.candidates if each.topic_id in qrels.grades]
    unjudged = tuple(
        each for each in candidates if _grade((name(each),), qrels.grades[each.topic_id]) < 0
    )
    return PoolCoverage(len({each.topic_id for each in candidates}), len(candidates), unjudged)


def _grade(names: Iterable[DocId], grades: Mapping[DocId, int]) -> int:
    """The highest grade of what has these names; -1 where none is judged."""
    found = (grades.get(name, -1) for name in names)
    return max((grade for grade in found if grade not in UNGRADED_CODES), default=-1)


@dataclass(frozen=True, slots=True)
class _Finders:
    runs: frozenset[str]
    names: frozenset[DocId]


def _finders(pool: Pool, teams: Mapping[str, str], qrels: Qrels) -> dict[VisualGroupKey, _Finders]:
    """Which runs contributed each look of each topic, or each document, and its judged names."""
    name = judged_id(qrels, pool)
    others = visual_groups(pool.passed_over)
    return {
        look: _Finders(
            frozenset(
                place.run
                for each in (*judged_here, *others.get(look, ()))
                for place in each.contributions
                if place.run in teams
            ),
            frozenset(map(name, judged_here)),
        )
        for look, judged_here in visual_groups(pool.candidates).items()
    }


def _teams(pool: Pool) -> dict[str, str]:
    """The team of each run; what enriched a pool is a team by itself."""
    teams = {run.name: run.team for run in pool.runs}
    others = {place.run for each in pool.candidates for place in each.contributions} - teams.keys()
    return teams | {name: f"({name})" for name in sorted(others)}
