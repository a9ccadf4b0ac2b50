"""``porism analyse times``: retrieval times beside those of the papers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import PATH, index_collection_option, runs_argument, topics_option
from porism.cli.options.outputs import json_option
from porism.cli.options.systems import results_option, systems_option, task_option
from porism.cli.progress import with_progress
from porism.cli.tables import OutputTable, text_lines

if TYPE_CHECKING:
    from porism.lab.retrieval_times import RetrievalTimes


@click.command(
    cls=PorismCommand,
    epilog="""
    porism analyse times l8-task1.tsv porism-task1.tsv.json
    porism analyse times --index sample/index --task 1 --topics topics.xml --systems l8,tfidf
    """,
)
@click.option(
    "--index",
    metavar="INDEX",
    type=PATH,
    help="Measure on this index; needs --task, --topics and --systems.",
)
@task_option()
@topics_option()
@systems_option("The systems to measure; repeat, or separate by commas.")
@results_option()
@index_collection_option
@json_option
@runs_argument("[RUN]...")
def times(
    runs: tuple[Path, ...],
    index: Path | None,
    task: str | None,
    topics: Path | None,
    systems: tuple[str, ...],
    k: int,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Print the seconds per topic of each RUN, or of systems measured now, beside S1 and S4.

    RUN is a run, or the RUN.json that porism run wrote beside it.
    """
    # Loads the engine, the parser and the formats, which --help does not need.
    from porism import catalog
    from porism.lab.retrieval_times import PAPER, read_times, summarised
    from porism.lab.topic_sets import read_topics_of_task
    from porism.model import Task
    from porism.rank.runs import run_topics
    from porism.searchindex.index_folder import open_index

    if index is None and not runs:
        raise click.UsageError("expected a RUN, or --index to measure systems")
    times_list = [read_times(path) for path in runs]
    if index is not None:
        if task is None or topics is None or not systems:
            raise click.UsageError("--index needs --task, --topics and --systems")
        topic_list = read_topics_of_task(topics, int(task))
        with open_index(index, collection) as search_index:
            rankers = {
                name: catalog.ranker(name, Task(int(task)), search_index) for name in systems
            }
            for name, ranker in rankers.items():
                progress = partial(with_progress, what=f"topics by {name}")
                measured = run_topics(ranker, topic_list, k, progress)
                times_list.append(summarised(name, "measured", measured.milliseconds))
    elif systems or task is not None or topics is not None:
        raise click.UsageError("--task, --topics and --systems need --index")
    if as_json:
        click.echo(json.dumps({"times": _as_json(times_list), "papers": _as_json(PAPER)}))
        return
    click.echo("\n".join(text_lines(_table([*times_list, *PAPER]))))
    click.echo("S1 and S4 ranked over a million answers, on other machines", err=True)


def _table(times: list[RetrievalTimes]) -> OutputTable:
    return OutputTable(
        ("system", "from", "min", "topic", "max", "topic", "mean", "deviation"),
        tuple(
            (
                each.system,
                each.source,
                each.minimum,
                each.minimum_topic,
                each.maximum,
                each.maximum_topic,
                each.mean,
                each.deviation,
            )
            for each in times
        ),
        "Seconds per topic",
    )


def _as_json(times: Iterable[RetrievalTimes]) -> list[dict[str, object]]:
    return [asdict(each) for each in times]
