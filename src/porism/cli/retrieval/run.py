"""``porism run``: a system answers the topics of a file."""

from __future__ import annotations

import json
import statistics
from functools import partial
from pathlib import Path

import click

from porism import __version__
from porism.cli.command import PorismCommand
from porism.cli.options.collection import collection_option
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
@click.option(
    "--system",
    metavar="NAME",
    required=True,
    help="The system that ranks, as porism systems lists them.",
)
@click.option(
    "--task",
    type=click.Choice(["1", "2"]),
    required=True,
    help="1 finds answers, 2 finds formulas.",
)
@click.option(
    "--topics",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="The lab's topics of that task, plain or gzip.",
)
@click.option(
    "--topic-formulas",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The lab's LaTeX of the topics' formulas (TSV), which is used instead of the topics' own.",
)
@click.option(
    "--duplicates",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Which questions the topics repeat (TSV: topic, question), for the system linked.",
)
@click.option(
    "-o",
    "--output",
    metavar="RUN",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File of the run; RUN.json beside it says how it was made.",
)
@click.option(
    "--run-format",
    type=click.Choice(FORMS),
    default=FORMS[0],
    show_default=True,
    help="The columns: those of the lab, or those of trec_eval.",
)
@click.option(
    "--run-name", metavar="NAME", help="Name of the run in its last column; the system's if none."
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
@click.option("--json", "as_json", is_flag=True, help="Print what RUN.json says, too.")
@click.argument("index", type=click.Path(path_type=Path))
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
    """Answer all topics of a file from INDEX, and write a run as the lab has it."""
    # Loads the engine, the parser and the formats, which --help can do without.
    from porism import catalog
    from porism.errors import PorismError
    from porism.formats.byte_streams import replaced_file
    from porism.formats.runs import RunForm, write_run
    from porism.formats.topic_links import read_topic_links
    from porism.model import Run, Task
    from porism.rank.runs import run_topics
    from porism.searchindex.index_folder import open_index

    form = RunForm.TREC if run_format == "trec" else RunForm(f"task{task}")
    asked = topics_of_task(topics, int(task), topic_formulas)
    links = read_topic_links(duplicates) if duplicates else {}
    with open_index(index, collection, links) as library:
        ranker = catalog.ranker(system, Task(int(task)), library)
        done = run_topics(ranker, asked, k, partial(with_progress, what="topics"))
        fingerprint = library.fingerprint
    rankings, milliseconds = done.rankings, done.milliseconds
    if not any(rankings.values()):
        hint = "" if duplicates else "; a system that goes by duplicates needs --duplicates"
        raise PorismError(f"{system} found nothing for any topic of {topics}{hint}")
    write_run(output, Run(run_name or system, rankings), form)
    told = {
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
    if output.is_file():  # beside a pipe or a device there is no place for a second file
        with replaced_file(output.with_name(f"{output.name}.json")) as out:
            out.write(json.dumps(told, indent=2, ensure_ascii=False).encode() + b"\n")
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        topics_told = "1 topic" if len(asked) == 1 else f"{len(asked):,} topics"
        click.echo(f"{output}: {told['results']:,} results for {topics_told}")
