"""``porism analyse pool``: contributions to a pool, its coverage by judgments, and reusability."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import PATH, collection_option, qrels_option, run_list_option
from porism.cli.options.outputs import json_option
from porism.cli.options.scoring import measures_option
from porism.cli.pools.pool_text import (
    candidate_lines,
    candidate_records,
    coverage_lines,
    left_out_table,
    pool_record,
    shares_table,
    size_line,
)
from porism.cli.tables import text_lines
from porism.cli.terminal import harmless
from porism.errors import PorismError
from porism.model import Task

if TYPE_CHECKING:
    from porism.assess.records import Candidate, Pool
    from porism.lab.pools.leave_teams_out import LeaveOutScores
    from porism.model import Qrels


@click.command(
    "pool",
    cls=PorismCommand,
    epilog="""
    porism analyse pool pool
    porism analyse pool pool --qrels qrel_task1_2020_official.tsv
    porism analyse pool pool --qrels qrels.tsv --runs runs.tsv --measures "nDCG',MAP'"
    porism analyse pool pool --collection arqmath
    """,
)
@qrels_option("Judgments, for the judged share of the pool and relevant contributions.")
@run_list_option(
    "The list of runs of the pool, to score each without its team's unique contributions."
)
@measures_option("Measures for that, as in porism evaluate; repeat, or separate by commas.")
@collection_option("A collection that must have all candidates; exit status 1 if it has not.")
@json_option
@click.argument("folder", metavar="POOL", type=PATH)
@click.pass_context
def pool_analysis(
    context: click.Context,
    folder: Path,
    qrels: Path | None,
    runs: Path | None,
    measures: tuple[str, ...],
    collection: Path | None,
    as_json: bool,
) -> None:
    """Print the size of POOL, and what each run contributed, alone or not.

    Medium and high grades are relevant. Formulas count by visual id.
    """
    if (runs or measures) and not (runs and qrels):
        raise click.UsageError(
            "scores without a team need --runs and --qrels; --measures is for these scores"
        )
    # Loads the formats and the store, which --help does not need.
    from porism.assess.pools.pool_folder import read_pool
    from porism.assess.pools.reusability import (
        pool_coverage,
        run_contributions,
        unique_candidates,
    )
    from porism.formats.qrels import read_qrels

    pool = read_pool(folder)
    if not pool.candidates:
        raise PorismError(f"{folder} is a pool without candidates: draw it again from other runs")
    judgments = None if qrels is None else read_qrels(qrels)
    shares = run_contributions(pool, judgments)
    record = pool_record(pool, shares)
    record["alone"] = {
        run: candidate_records(each) for run, each in unique_candidates(pool).items()
    }
    lines = [f"{folder}: {size_line(pool)}", "", *text_lines(shares_table(pool, shares))]
    if judgments is not None:
        coverage = pool_coverage(pool, judgments)
        if not coverage.candidates:
            raise PorismError(
                f"{qrels} judges none of the topics of {folder}: are they of the same year?"
            )
        record["judged"] = {
            "topics": coverage.topics,
            "candidates": coverage.candidates,
            "share": coverage.share,
            "unjudged": candidate_records(coverage.unjudged),
        }
        lines += ["", *coverage_lines(coverage)]
        if runs is not None:
            left = _left_out(pool, runs, judgments, measures)
            record["without_team"] = [asdict(each) for each in left]
            lines += ["", *text_lines(left_out_table(left))]
    absent: Sequence[Candidate] = ()
    if collection is not None:
        absent, summary = _absence(pool, collection)
        record["absent"] = candidate_records(absent)
        lines += ["", summary, *candidate_lines("Not in the collection", absent)]
    click.echo(json.dumps(record, ensure_ascii=False) if as_json else harmless("\n".join(lines)))
    context.exit(1 if absent else 0)


def _left_out(
    pool: Pool, path: Path, qrels: Qrels, measures: tuple[str, ...]
) -> tuple[LeaveOutScores, ...]:
    from porism.assess.pools.depths import PoolDepths
    from porism.assess.pools.listed_runs import read_listed_runs
    from porism.assess.pools.run_list import read_run_list
    from porism.cli.evaluation.scored_runs import measure_names
    from porism.evaluation.measures import DEFAULT_MEASURES
    from porism.lab.pools.leave_teams_out import leave_teams_out

    known = {run.name: run for run in pool.runs if run.task != Task.SHORT_ANSWERS}
    listed = [run for run in read_run_list(path) if run.name in known]
    if not listed:
        raise PorismError(f"{path} has no ranking that the pool was drawn from: is it its list?")
    # The depths are those of the pool; nothing is drawn here.
    task = Task.FORMULAS if pool.task == Task.FORMULAS else Task.ANSWERS
    read = read_listed_runs(listed, task, PoolDepths(0, 0, 0, 0))
    entries = ((known[pooled.name], run) for pooled, run in read)
    return leave_teams_out(pool, entries, qrels, measure_names(measures) or DEFAULT_MEASURES)


def _absence(pool: Pool, path: Path) -> tuple[tuple[Candidate, ...], str]:
    """The candidates missing from a collection, and a summary with changes of posts."""
    from porism.collection.store import open_collection
    from porism.lab.pools.pool_posts import has_changed_posts
    from porism.pages.candidates import missing_candidates

    with open_collection(path) as collection:
        absent = missing_candidates(pool, collection)
        if not pool.collection:
            posts = "the pool was drawn without a collection, so changes cannot be detected"
        elif has_changed_posts(pool, collection):
            posts = "some posts have changed since the pool was drawn"
        else:
            posts = "its posts are the same as when the pool was drawn"
    count = len(pool.candidates) - len(absent)
    return absent, f"{path} has {count:,} of {len(pool.candidates):,} candidates; {posts}"
