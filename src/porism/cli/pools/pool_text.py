"""Pools as text and JSON: size, contributions, coverage, and missing candidates."""

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

MAX_LISTED = 50
"""Candidates listed as text; JSON has all."""


def size_line(pool: Pool) -> str:
    """The size of a pool in a sentence."""
    sizes = _sizes(pool)
    line = f"{count_of(len(pool.candidates), 'candidate')} for {count_of(len(sizes), 'topic')}"
    if not sizes:
        return line
    line += f", {_mean(sizes):.1f} per topic ({min(sizes.values())} to {max(sizes.values())})"
    if pool.task == Task.FORMULAS:
        count = len({(each.topic_id, each.group_key) for each in pool.candidates})
        line += (
            f"; {count_of(count, 'visually distinct formula')}, {count / len(sizes):.1f} per topic"
        )
    return line


def _sizes(pool: Pool) -> dict[str, int]:
    counts = Counter(each.topic_id for each in pool.candidates)
    return {topic.id: counts[topic.id] for topic in pool.topics}


def _mean(sizes: dict[str, int]) -> float:
    return sum(sizes.values()) / len(sizes)


def shares_table(pool: Pool, shares: Sequence[PoolShare]) -> OutputTable:
    """A row per run: its depth and contributions, formulas counted by visual id."""
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
            share.unique,
            share.unique_to_team,
        )
        judged = (share.relevant, share.relevant_unique, share.relevant_unique_to_team)
        rows.append((*row, *judged) if is_judged else row)
    columns = ("run", "team", "kind", "mode", "depth", "contributed", "alone", "of team alone")
    judged_columns = ("relevant", "rel. alone", "rel. of team alone")
    what = "visually distinct formulas" if pool.task == Task.FORMULAS else "candidates"
    return OutputTable(
        (*columns, *judged_columns) if is_judged else columns,
        tuple(rows),
        f"What each run contributed, in {what}",
    )


def coverage_lines(coverage: PoolCoverage) -> list[str]:
    """The coverage in a sentence, and the unjudged candidates."""
    judged = coverage.candidates - len(coverage.unjudged)
    share = f"{judged:,} of {count_of(coverage.candidates, 'candidate')}"
    line = f"Judged: {share} of {count_of(coverage.topics, 'topic')} ({coverage.share:.2%})"
    return [line, *candidate_lines("Not judged", coverage.unjudged)]


def candidate_lines(title: str, candidates: Sequence[Candidate]) -> list[str]:
    """Candidates with the runs and ranks that contributed them; empty without candidates."""
    if not candidates:
        return []
    rows = tuple(
        (each.topic_id, each.doc_id, _contributions(each)) for each in candidates[:MAX_LISTED]
    )
    lines = ["", *text_lines(OutputTable(("topic", "document", "from (rank)"), rows, title))]
    if len(candidates) > MAX_LISTED:
        lines.append(f"and {len(candidates) - MAX_LISTED:,} more, which --json lists")
    return lines


def _contributions(candidate: Candidate) -> str:
    return ", ".join(f"{each.run} ({each.rank})" for each in candidate.contributions)


def left_out_table(scores: Sequence[LeaveOutScores]) -> OutputTable:
    """Each run's scores by all judgments, and without those that only its team contributed."""
    measures = tuple(scores[0].scores)
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
        for each in scores
    ]
    return OutputTable(
        ("run", "team", "judgments", *columns),
        tuple(rows),
        "Scores, and scores without the judgments that only the team contributed",
    )


def pool_record(pool: Pool, shares: Sequence[PoolShare]) -> dict[str, object]:
    """The same as JSON."""
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
    """Candidates as JSON."""
    return [
        {
            "topic": each.topic_id,
            "document": each.doc_id,
            "contributions": {place.run: place.rank for place in each.contributions},
        }
        for each in candidates
    ]
