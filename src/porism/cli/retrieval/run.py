"""``porism run``: rank the topics of a file with a system."""

from __future__ import annotations

import json
import statistics
from functools import partial
from pathlib import Path

import click

from porism import __version__
from porism.cli.command import PorismCommand
from porism.cli.options.inputs import (
    duplicates_option,
    index_argument,
    index_collection_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import FILE, json_option, output_option
from porism.cli.options.systems import results_option, system_option, task_option
from porism.cli.progress import with_progress
from porism.cli.topic_files import topics_of_task

FORMS = ("arqmath", "trec")


@click.command(
    cls=PorismCommand,
    epilog="""
    porism run arqmath/index --system l8 --task 1 --topics Topics_Task1_2022.xml -o l8-task1.tsv
    porism run arqmath/index --system formula-base --task 2 --topics Topics_Task2_2022.xml -o f.tsv
    """,
)
@system_option(required=True)
@task_option(required=True)
@topics_option(required=True)
@topic_formulas_option()
@duplicates_option("for the system linked.")
@output_option("RUN", "The run; RUN.json beside it records how it was made.", FILE, required=True)
@click.option(
    "--run-format",
    type=click.Choice(FORMS),
    default=FORMS[0],
    show_default=True,
    help="The columns of the lab, or those of trec_eval.",
)
@click.option(
    "--run-name", metavar="NAME", help="Name in the last column; the system's if not given."
)
@results_option()
@index_collection_option
@json_option
@index_argument
def run(
    index: Path,
    system: str,
    task: str,
    topics: Path,
    topic_formulas: Path | None,
    duplicates: Path | None,
    output: Path,
    run_format: str,
    run_name: str | None,
    k: int,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Rank all topics of a file on INDEX, and write a run."""
    # Loads the engine, the parser and the formats, which --help does not need.
    from porism import catalog
    from porism.errors import PorismError
    from porism.formats.byte_streams import replaced_file
    from porism.formats.runs import RunForm, write_run
    from porism.formats.topic_links import read_topic_links
    from porism.model import Run, Task
    from porism.rank.runs import run_topics
    from porism.searchindex.index_folder import open_index

    form = RunForm.TREC if run_format == "trec" else RunForm(f"task{task}")
    topic_list = topics_of_task(topics, int(task), topic_formulas)
    links = read_topic_links(duplicates) if duplicates else {}
    with open_index(index, collection, links) as search_index:
        ranker = catalog.ranker(system, Task(int(task)), search_index)
        done = run_topics(ranker, topic_list, k, partial(with_progress, what="topics"))
        fingerprint = search_index.fingerprint
    rankings, milliseconds = done.rankings, done.milliseconds
    if not any(rankings.values()):
        hint = "" if duplicates else "; the system linked needs --duplicates"
        raise PorismError(f"{system} returned nothing for any topic of {topics}{hint}")
    write_run(output, Run(run_name or system, rankings), form)
    record = {
        "run": run_name or system,
        "system": system,
        "task": int(task),
        "ranker": repr(ranker),
        "index": fingerprint,
        "porism": __version__,
        "topics": topics.name,
        "topic_formulas": topic_formulas.name if topic_formulas else None,
        "duplicates": duplicates.name if duplicates else None,
        "k": k,
        "results": sum(map(len, rankings.values())),
        "seconds": round(sum(milliseconds.values()) / 1000, 3),
        "milliseconds": {
            "mean": round(statistics.fmean(milliseconds.values()), 3),
            "median": round(statistics.median(milliseconds.values()), 3),
            "max": max(milliseconds.values()),
            "topics": milliseconds,
        },
    }
    if output.is_file():  # not beside a pipe or a device
        with replaced_file(output.with_name(f"{output.name}.json")) as out:
            out.write(json.dumps(record, indent=2, ensure_ascii=False).encode() + b"\n")
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        count = "1 topic" if len(topic_list) == 1 else f"{len(topic_list):,} topics"
        click.echo(f"{output}: {record['results']:,} results for {count}")
