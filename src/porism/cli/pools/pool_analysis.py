"""``porism analyse pool``: who contributed what, how well it is judged, and what that is worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.pools.pool_text import (
    candidate_lines,
    candidate_records,
    judged_lines,
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

PATH = click.Path(path_type=Path)


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
@click.option(
    "--qrels",
    metavar="FILE",
    type=PATH,
    help="Judgments: how much of the pool is judged, and which relevant ones are whose.",
)
@click.option(
    "--runs",
    metavar="FILE",
    type=PATH,
    help="The list of runs that the pool was drawn from, to score each without its team's own.",
)
@click.option(
    "--measures",
    metavar="NAMES",
    multiple=True,
    help="Measures for that, as porism evaluate has them; repeat, or use commas.",
)
@click.option(
    "--collection",
    metavar="DIR",
    type=PATH,
    help="A collection that has to have all candidates; ends with status 1 if it has not.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
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
    """Tell what POOL is made of, and what each run alone brought to it.

    Relevant is what is judged medium or high. Formulas count by look.
    """
    if (runs or measures) and not (runs and qrels):
        raise click.UsageError(
            "scores without a team need --runs and --qrels; --measures are theirs"
        )
    # Loads the formats and the store, which --help can do without.
    from porism.assess.pools.pool_folder import read_pool
    from porism.assess.pools.reusability import (
        pool_coverage,
        run_contributions,
        unique_candidates,
    )
    from porism.formats.qrels import read_qrels

    pool = read_pool(folder)
    if not pool.candidates:
        raise PorismError(f"{folder} is a pool without candidates: draw it again, from other runs")
    judgments = None if qrels is None else read_qrels(qrels)
    found = run_contributions(pool, judgments)
    record = pool_record(pool, found)
    record["alone"] = {
        run: candidate_records(each) for run, each in unique_candidates(pool).items()
    }
    lines = [f"{folder}: {size_line(pool)}", "", *text_lines(shares_table(pool, found))]
    if judgments is not None:
        part = pool_coverage(pool, judgments)
        if not part.candidates:
            raise PorismError(
                f"{qrels} judges none of the topics of {folder}: are they of one year?"
            )
        record["judged"] = {
            "topics": part.topics,
            "candidates": part.candidates,
            "share": part.share,
            "unjudged": candidate_records(part.unjudged),
        }
        lines += ["", *judged_lines(part)]
        if runs is not None:
            left = _left_out(pool, runs, judgments, measures)
            record["without_team"] = [asdict(each) for each in left]
            lines += ["", *text_lines(left_out_table(left))]
    absent: Sequence[Candidate] = ()
    if collection is not None:
        absent, told = _absence(pool, collection)
        record["absent"] = candidate_records(absent)
        lines += ["", told, *candidate_lines("Not in the collection", absent)]
    click.echo(json.dumps(record, ensure_ascii=False) if as_json else harmless("\n".join(lines)))
    context.exit(1 if absent else 0)


def _left_out(
    pool: Pool, path: Path, qrels: Qrels, measures: tuple[str, ...]
) -> tuple[LeaveOutScores, ...]:
    from porism.assess.pools.depths import PoolDepths
    from porism.assess.pools.listed_runs import read_listed_runs
    from porism.assess.pools.run_list import read_run_list
    from porism.cli.evaluation.scored_runs import measure_names
    from porism.evaluate.measures import DEFAULT_MEASURES
    from porism.lab.pools.leave_teams_out import leave_teams_out

    known = {run.name: run for run in pool.runs if run.task != Task.SHORT_ANSWERS}
    listed = [run for run in read_run_list(path) if run.name in known]
    if not listed:
        raise PorismError(f"{path} has no ranking that the pool was drawn from: is it the list?")
    # The depths are those of the pool, and nothing is drawn here.
    task = Task.FORMULAS if pool.task == Task.FORMULAS else Task.ANSWERS
    read = read_listed_runs(listed, task, PoolDepths(0, 0, 0, 0))
    entries = ((known[pooled.name], run) for pooled, run in read)
    return leave_teams_out(pool, entries, qrels, measure_names(measures) or DEFAULT_MEASURES)


def _absence(pool: Pool, path: Path) -> tuple[tuple[Candidate, ...], str]:
    """What a collection lacks, and whether its posts are those that the pool was drawn with."""
    from porism.collection.store import open_collection
    from porism.lab.pools.pool_posts import has_changed_posts
    from porism.pages.candidates import missing_candidates

    with open_collection(path) as collection:
        absent = missing_candidates(pool, collection)
        if not pool.collection:
            told = "the pool was drawn without a collection, so changes cannot be seen"
        elif has_changed_posts(pool, collection):
            told = "some of its posts have changed since the pool was drawn"
        else:
            told = "its posts are those that the pool was drawn with"
    has = len(pool.candidates) - len(absent)
    return absent, f"{path} has {has:,} of {len(pool.candidates):,} candidates; {told}"
