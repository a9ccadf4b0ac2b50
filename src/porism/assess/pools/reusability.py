"""Contributions of runs to a pool, and what judgments would lack without a run or a team.

Formulas are counted by visual id, as they are scored: a visual id is unique to a run if no other
run contributed an instance of it, judged or passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from porism.assess.pools.visual_groups import VisualGroupKey, visual_groups
from porism.assess.records import RELEVANT_GRADE, UNGRADED_CODES, Candidate, Pool
from porism.model import DocId, Qrels, TopicId

JudgedId = Callable[[Candidate], DocId]
"""The id under which judgments have a candidate."""


@dataclass(frozen=True, slots=True)
class PoolShare:
    """The contribution of a run; ``name`` may also be an enrichment of the pool.

    ``unique`` counts what no other run contributed, ``unique_to_team`` what no run of another team
    did. The counts of relevant ones are None without judgments.
    """

    name: str
    team: str
    contributed: int
    unique: int
    unique_to_team: int
    relevant: int | None = None
    relevant_unique: int | None = None
    relevant_unique_to_team: int | None = None


def run_contributions(pool: Pool, qrels: Qrels | None = None) -> tuple[PoolShare, ...]:
    """The contribution of each run, in the order of the pool's runs, then of enrichments."""
    teams = _teams(pool)
    counts = {name: Counter[str]() for name in teams}
    judgments = qrels or Qrels()
    for (topic_id, _), source in _sources(pool, teams, judgments).items():
        is_relevant = _grade(source.names, judgments.grades.get(topic_id, {})) >= RELEVANT_GRADE
        of_team = {teams[name] for name in source.runs}
        for name in source.runs:
            count = counts[name]
            for what, counts_here in (
                ("contributed", True),
                ("unique", len(source.runs) == 1),
                ("unique_to_team", len(of_team) == 1),
            ):
                count[what] += counts_here
                count[f"relevant {what}"] += counts_here and is_relevant
    return tuple(_share(name, teams[name], counts[name], qrels is not None) for name in teams)


def _share(name: str, team: str, count: Counter[str], is_judged: bool) -> PoolShare:
    relevant = (
        count[f"relevant {what}"] if is_judged else None
        for what in ("contributed", "unique", "unique_to_team")
    )
    return PoolShare(
        name, team, count["contributed"], count["unique"], count["unique_to_team"], *relevant
    )


def unique_candidates(pool: Pool) -> dict[str, tuple[Candidate, ...]]:
    """The candidates that only one run contributed, by run, in the order of the pool.

    For a formula these are all instances of its visual id.
    """
    teams = _teams(pool)
    sources = _sources(pool, teams, Qrels())
    unique: dict[str, list[Candidate]] = {name: [] for name in teams}
    for each in pool.candidates:
        runs = sources[each.topic_id, each.group_key].runs
        if len(runs) == 1:
            unique[next(iter(runs))].append(each)
    return {name: tuple(candidates) for name, candidates in unique.items()}


def judged_id(qrels: Qrels, pool: Pool) -> JudgedId:
    """Whether judgments have candidates by instance or by visual id.

    Both are numbers, and the same number may be both, so it is whichever matches more candidates.
    """
    known: dict[TopicId, tuple[set[str], set[str]]] = {}
    for each in pool.candidates:
        instances, visual_ids = known.setdefault(each.topic_id, (set(), set()))
        instances.add(each.doc_id)
        visual_ids.add(each.group_key)
    by_instance = by_visual_id = 0
    for topic_id, (instances, visual_ids) in known.items():
        judged_here = qrels.grades.get(topic_id, {}).keys()
        by_instance += len(judged_here & instances)
        by_visual_id += len(judged_here & visual_ids)
    return _visual_id if by_visual_id > by_instance else _instance


def _visual_id(candidate: Candidate) -> DocId:
    return DocId(candidate.group_key)


def _instance(candidate: Candidate) -> DocId:
    return candidate.doc_id


def without_team(qrels: Qrels, pool: Pool, team: str) -> Qrels:
    """The judgments as they would be had the team not taken part (as in S3 section 6.3).

    Candidates that only runs of the team contributed are removed, by instance or by visual id.
    Topics stay, even without any judgments left.
    """
    teams = _teams(pool)
    removed: dict[TopicId, set[DocId]] = {}
    for (topic_id, _), source in _sources(pool, teams, qrels).items():
        if {teams[run] for run in source.runs} == {team}:
            removed.setdefault(topic_id, set()).update(source.names)
    return Qrels(
        {
            topic_id: {
                doc_id: grade
                for doc_id, grade in grades.items()
                if doc_id not in removed.get(topic_id, ())
            }
            for topic_id, grades in qrels.grades.items()
        }
    )


@dataclass(frozen=True, slots=True)
class PoolCoverage:
    """How much of a pool is judged, over the topics that have judgments.

    Codes are not judgments here. ``unjudged`` are in the order of the pool.
    """

    topics: int
    candidates: int
    unjudged: tuple[Candidate, ...]

    @property
    def share(self) -> float:
        """From 0 to 1; 1 without candidates."""
        return 1 - len(self.unjudged) / self.candidates if self.candidates else 1.0


def pool_coverage(pool: Pool, qrels: Qrels) -> PoolCoverage:
    """The coverage of a pool by judgments, which are by document or, for formulas, by visual id."""
    name = judged_id(qrels, pool)
    candidates = [each for each in pool.candidates if each.topic_id in qrels.grades]
    unjudged = tuple(
        each for each in candidates if _grade((name(each),), qrels.grades[each.topic_id]) < 0
    )
    return PoolCoverage(len({each.topic_id for each in candidates}), len(candidates), unjudged)


def _grade(names: Iterable[DocId], grades: Mapping[DocId, int]) -> int:
    """The highest grade under these names; -1 if none is judged."""
    given = (grades.get(name, -1) for name in names)
    return max((grade for grade in given if grade not in UNGRADED_CODES), default=-1)


@dataclass(frozen=True, slots=True)
class _Sources:
    runs: frozenset[str]
    names: frozenset[DocId]


def _sources(pool: Pool, teams: Mapping[str, str], qrels: Qrels) -> dict[VisualGroupKey, _Sources]:
    """The runs that contributed each visual id or document of each topic, and its judged names."""
    name = judged_id(qrels, pool)
    others = visual_groups(pool.passed_over)
    return {
        key: _Sources(
            frozenset(
                place.run
                for each in (*judged_here, *others.get(key, ()))
                for place in each.contributions
                if place.run in teams
            ),
            frozenset(map(name, judged_here)),
        )
        for key, judged_here in visual_groups(pool.candidates).items()
    }


def _teams(pool: Pool) -> dict[str, str]:
    """The team of each run; an enrichment is a team by itself."""
    teams = {run.name: run.team for run in pool.runs}
    others = {place.run for each in pool.candidates for place in each.contributions} - teams.keys()
    return teams | {name: f"({name})" for name in sorted(others)}
