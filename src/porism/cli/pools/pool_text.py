"""Pools told to people and programs: how large, from whom, how well judged, what is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from porism.cli.tables import Cell, OutputTable, text_lines
from porism.model import Task
from porism.pages.plurals import count_of

if TYPE_CHECKING:
    from porism.assess.pools.reusability import PoolCoverage, PoolShare
    from porism.assess.records import Candidate, Pool
    from porism.lab.pools.leave_teams_out import LeaveOutScores

MOST_LISTED = 50
"""So many candidates are listed for people; JSON has all."""


def size_line(pool: Pool) -> str:
    """How large a pool is, in a sentence."""
    sizes = _sizes(pool)
    told = f"{count_of(len(pool.candidates), 'candidate')} for {count_of(len(sizes), 'topic')}"
    if not sizes:
        return told
    told += f", {_mean(sizes):.1f} a topic ({min(sizes.values())} to {max(sizes.values())})"
    if pool.task == Task.FORMULAS:
        looks = len({(each.topic_id, each.group_key) for each in pool.candidates})
        told += f"; {count_of(looks, 'look')}, {looks / len(sizes):.1f} a topic"
    return told


def _sizes(pool: Pool) -> dict[str, int]:
    counts = Counter(each.topic_id for each in pool.candidates)
    return {topic.id: counts[topic.id] for topic in pool.topics}


def _mean(sizes: dict[str, int]) -> float:
    return sum(sizes.values()) / len(sizes)


def shares_table(pool: Pool, shares: Sequence[PoolShare]) -> OutputTable:
    """A row for each run: how deep it was pooled and what it contributed, of formulas by look."""
    known = {run.name: run for run in pool.runs}
    is_judged = any(share.relevant is not None for share in shares)
    rows = []
    for share in shares:
        run = known.get(share.name)
        row = (
            share.name,
            share.team,
            str(run.kind) if run else "added",
            ("manual" if run.is_manual else "automatic") if run else None,
            run.depth if run else None,
            share.contributed,
            share.alone,
            share.of_team_alone,
        )
        judged = (share.relevant, share.relevant_alone, share.relevant_of_team_alone)
        rows.append((*row, *judged) if is_judged else row)
    columns = ("run", "team", "kind", "mode", "depth", "contributed", "alone", "of team alone")
    judged_columns = ("relevant", "rel. alone", "rel. of team alone")
    what = "visually distinct formulas" if pool.task == Task.FORMULAS else "candidates"
    return OutputTable(
        (*columns, *judged_columns) if is_judged else columns,
        tuple(rows),
        f"What each run contributed, in {what}",
    )


def judged_lines(judged: PoolCoverage) -> list[str]:
    """How much is judged, in a sentence, and then what is not."""
    done = judged.candidates - len(judged.unjudged)
    told = f"{done:,} of {count_of(judged.candidates, 'candidate')}"
    line = f"Judged: {told} of {count_of(judged.topics, 'topic')} ({judged.share:.2%})"
    return [line, *candidate_lines("Not judged", judged.unjudged)]


def candidate_lines(title: str, candidates: Sequence[Candidate]) -> list[str]:
    """Candidates with the runs and ranks that brought them; nothing where there are none."""
    if not candidates:
        return []
    rows = tuple(
        (each.topic_id, each.doc_id, _contributions(each)) for each in candidates[:MOST_LISTED]
    )
    lines = ["", *text_lines(OutputTable(("topic", "document", "from (rank)"), rows, title))]
    if len(candidates) > MOST_LISTED:
        lines.append(f"and {len(candidates) - MOST_LISTED:,} more, which --json lists")
    return lines


def _contributions(candidate: Candidate) -> str:
    return ", ".join(f"{each.run} ({each.rank})" for each in candidate.contributions)


def left_out_table(found: Sequence[LeaveOutScores]) -> OutputTable:
    """Each run's means by all judgments, and by those without what only its team found."""
    measures = tuple(found[0].scores)
    columns = [column for measure in measures for column in (measure, f"{measure} without")]
    rows: list[tuple[Cell, ...]] = [
        (
            each.run,
            each.team,
            each.judgments_lost,
            *(
                value
                for measure in measures
                for value in (each.scores[measure], each.scores_without[measure])
            ),
        )
        for each in found
    ]
    return OutputTable(
        ("run", "team", "judgments", *columns),
        tuple(rows),
        "Scores, and those without the judgments that the team alone contributed",
    )


def pool_record(pool: Pool, shares: Sequence[PoolShare]) -> dict[str, object]:
    """The same for programs."""
    from porism.assess.pools.pool_folder import pool_digest
    from porism.cli.tables import records

    sizes = _sizes(pool)
    return {
        "digest": pool_digest(pool),
        "task": pool.task,
        "seed": pool.seed,
        "settings": dict(pool.settings),
        "topics": sizes,
        "candidates": len(pool.candidates),
        "mean": round(_mean(sizes), 3),
        "runs": records(shares_table(pool, shares)),
    }


def candidate_records(candidates: Sequence[Candidate]) -> list[dict[str, object]]:
    """Candidates for programs."""
    return [
        {
            "topic": each.topic_id,
            "document": each.doc_id,
            "contributions": {place.run: place.rank for place in each.contributions},
        }
        for each in candidates
    ]
