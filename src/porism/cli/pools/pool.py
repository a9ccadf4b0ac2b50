"""``porism pool``: draw a pool from runs by the rules of the lab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import (
    PATH,
    answers_option,
    collection_option,
    duplicates_option,
    leave_out_option,
    run_list_option,
    task1_qrels_option,
    topics_option,
)
from porism.cli.options.outputs import json_option, output_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.systems import task_option
from porism.cli.progress import with_progress
from porism.cli.tables import text_lines
from porism.cli.terminal import harmless
from porism.errors import PorismError
from porism.model import Task
from porism.pages.plurals import count_of

if TYPE_CHECKING:
    from porism.assess.pools.pooling import DrawnPool
    from porism.assess.records import Pool
    from porism.collection.store import Collection
    from porism.lab.pools.pool_draw import PoolRequest


@click.command(
    cls=PorismCommand,
    epilog="""
    porism pool --task 1 --runs runs.tsv --preset 2020 --topics Topics_Task1_2020.xml -o pool
    porism pool --task 1 --runs runs.tsv --depths primary=50,alternate=20,baseline=50 -o pool
    porism pool --task 2 --runs runs.tsv --preset 2022 --collection arqmath -o formula-pool
    porism pool --task 3 --runs runs.tsv --preset 2022 --answers answer_ids.tsv -o mixed-pool
    """,
)
@task_option(
    "1 answers, 2 formulas, 3 short answers, mixed with the runs of Task 1 in the list.",
    ("1", "2", "3"),
    required=True,
)
@run_list_option(
    "The runs (TSV): file, team, kind, mode, and optionally name, task, depth.", required=True
)
@click.option(
    "--preset",
    type=click.Choice(["2020", "2021", "2022"]),
    help="The depths of that year's lab and, in Task 2, its choice of instances.",
)
@click.option(
    "--depths",
    metavar="KIND=N,...",
    help="Depths of primary, alternate, manual and baseline runs; override the preset's.",
)
@topics_option("The topics; those of the runs if not given.")
@collection_option("The collection of the runs, to check candidates and look up formulas.")
@click.option(
    "--visual-ids",
    metavar="PATH",
    type=PATH,
    help="Visual ids (Task 2): formula files, or a map; the collection's if not given.",
)
@task1_qrels_option(
    "Judgments of Task 1: formulas in relevant posts are pooled from any rank (Task 2)."
)
@click.option(
    "--relevant",
    metavar="GRADE",
    type=click.IntRange(1, 3),
    default=2,
    show_default=True,
    help="The lowest grade that is relevant in --task1-qrels.",
)
@click.option(
    "--instances",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="Most instances of a formula to judge (Task 2).",
)
@click.option(
    "--policy",
    type=click.Choice(["threads", "runs", "reciprocal-ranks"]),
    help="Prefer instances of many threads, of many runs, or of high ranks.",
)
@answers_option("Ids of the short answers (Task 3): run, topic, answer id; generated if not given.")
@click.option(
    "--threads",
    metavar="FILE",
    type=PATH,
    help="The topics' own questions (TSV: topic, question), for assessors to open; in Task 1 their "
    "answers are added.",
)
@duplicates_option("whose answers are added.")
@leave_out_option(
    "Posts not to judge (TSV: topic, post), such as own_posts.tsv of porism topics draw."
)
@click.option(
    "--active",
    "is_active",
    is_flag=True,
    help="Show likely relevant candidates first, learning from judgments; biases the pool.",
)
@seed_option(
    "Random seed of the order, and of the choice between equal instances.", click.IntRange(0)
)
@output_option("POOL", "Folder to create: pool.json, candidates.jsonl, topics.xml.", required=True)
@json_option
def pool(task: str, output: Path, as_json: bool, collection: Path | None, **given: object) -> None:
    """Draw a pool from runs: the top documents of each, merged, in random order."""
    # Loads the formats and the store, which --help does not need.
    from porism.assess.pools.pool_folder import write_pool
    from porism.assess.pools.reusability import run_contributions
    from porism.cli.pools.pool_text import pool_record, shares_table, size_line
    from porism.lab.pools.pool_draw import PoolRequest

    request = PoolRequest(int(task), **given)  # type: ignore[arg-type]  # click has no types
    _check(request, collection)
    drawn = _drawn(request, collection)
    if not drawn.pool.candidates:
        message = f"the runs of {request.runs} contribute nothing: are all depths 0"
        if request.leave_out is not None:
            message += f", or does {request.leave_out} leave out everything"
        raise PorismError(f"{message}?")
    write_pool(output, drawn.pool)
    for note in drawn.notes:
        click.echo(harmless(f"Note: {note}"), err=True)
    shares = run_contributions(drawn.pool)
    if as_json:
        record = {"pool": str(output), **pool_record(drawn.pool, shares), "notes": drawn.notes}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    lines = [f"{output}: {size_line(drawn.pool)}", ""]
    lines += text_lines(shares_table(drawn.pool, shares))
    click.echo(harmless("\n".join(lines)))


def _check(request: PoolRequest, collection: Path | None) -> None:
    """Refuse options of another task, and options without what they need."""
    of_formulas = ("visual_ids", "task1_qrels", "instances", "policy")
    others = {
        Task.ANSWERS: (*of_formulas, "answers"),
        Task.FORMULAS: ("answers", "duplicates"),
        Task.SHORT_ANSWERS: of_formulas,
    }[Task(request.task)]
    if unusable := [name for name in others if getattr(request, name) is not None]:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in unusable)
        raise click.UsageError(f"{options}: not available for --task {request.task}")
    if collection is None:
        if request.task == Task.FORMULAS and request.visual_ids is None:
            raise click.UsageError(
                "--task 2 needs the visual ids of formulas: --visual-ids or --collection"
            )
        if request.policy == "threads":
            raise click.UsageError("--policy threads needs a --collection with the threads")
        if request.threads or request.duplicates:
            raise click.UsageError("--threads and --duplicates need a --collection")
    if request.policy is not None and request.instances is None and request.preset is None:
        raise click.UsageError("--policy needs --instances or a --preset")


def _drawn(request: PoolRequest, path: Path | None) -> DrawnPool:
    """The pool, with notes about candidates missing from the collection."""
    from porism.lab.pools.pool_draw import draw_pool
    from porism.lab.topic_sets import read_topics_of_task

    topics = None
    if request.topics is not None:
        task = Task.FORMULAS if request.task == Task.FORMULAS else Task.ANSWERS
        topics = read_topics_of_task(request.topics, task)
    with _collection(path) as collection:
        drawn = draw_pool(request, topics, collection, lambda runs: with_progress(runs, "runs"))
        if collection is None:
            return drawn
        return replace(drawn, notes=(*drawn.notes, *_missing(drawn.pool, collection)))


@contextmanager
def _collection(path: Path | None) -> Iterator[Collection | None]:
    from porism.collection.store import open_collection

    if path is None:
        yield None
        return
    with open_collection(path) as collection:
        yield collection


def _missing(pool: Pool, collection: Collection) -> Iterator[str]:
    from porism.pages.candidates import missing_candidates

    if absent := missing_candidates(pool, collection):
        few = ", ".join(f"{each.doc_id} ({each.topic_id})" for each in absent[:3])
        yield (
            f"{count_of(len(absent), 'candidate')} not in the collection, such as {few}; porism "
            "analyse pool lists them"
        )
