"""``porism analyse times``: how long systems take for a topic, beside the papers' tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.collection import collection_option
from porism.cli.progress import with_progress
from porism.cli.tables import OutputTable, text_lines
from porism.cli.topic_files import topics_of_task

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
    type=click.Path(path_type=Path),
    help="Measure now, with this index; needs --task, --topics and --systems.",
)
@click.option("--task", type=click.Choice(["1", "2"]), help="1 finds answers, 2 finds formulas.")
@click.option(
    "--topics",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The lab's topics of that task, plain or gzip.",
)
@click.option(
    "--systems",
    metavar="NAME",
    multiple=True,
    help="The systems to measure; repeat, or put commas between.",
)
@click.option(
    "-k",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="How many results for each topic.",
)
@collection_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=click.Path(path_type=Path))
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
    """Tell the seconds a topic took in each RUN, or takes now, beside those of S1 and S4.

    RUN is a run, or the RUN.json that porism run has written beside it.
    """
    # Loads the engine, the parser and the formats, which --help can do without.
    from porism import catalog
    from porism.lab.retrieval_times import PAPER, read_times, summarised
    from porism.model import Task
    from porism.rank.runs import run_topics
    from porism.searchindex.index_folder import open_index

    names = [name.strip() for value in systems for name in value.split(",") if name.strip()]
    if index is None and not runs:
        raise click.UsageError("name a RUN, or say --index to measure systems now")
    found = [read_times(path) for path in runs]
    if index is not None:
        if task is None or topics is None or not names:
            raise click.UsageError("to measure, --index needs --task, --topics and --systems")
        asked = topics_of_task(topics, int(task))
        with open_index(index, collection) as library:
            rankers = {name: catalog.ranker(name, Task(int(task)), library) for name in names}
            for name, ranker in rankers.items():
                progress = partial(with_progress, what=f"topics by {name}")
                measured = run_topics(ranker, asked, k, progress)
                found.append(summarised(name, "measured", measured.milliseconds))
    elif names or task is not None or topics is not None:
        raise click.UsageError("--task, --topics and --systems need the --index to measure with")
    if as_json:
        click.echo(json.dumps({"times": _as_json(found), "papers": _as_json(PAPER)}))
        return
    click.echo("\n".join(text_lines(_table([*found, *PAPER]))))
    click.echo("S1 and S4 ranked over a million answers, on machines of their own", err=True)


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
        "Seconds for a topic",
    )


def _as_json(times: Iterable[RetrievalTimes]) -> list[dict[str, object]]:
    return [asdict(each) for each in times]
