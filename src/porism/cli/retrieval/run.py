"""``porism run``: rank the topics of a file with a system."""

from __future__ import annotations

import dataclasses
import json
import statistics
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from porism import __version__
from porism.cli.command import PorismCommand
from porism.cli.options.generation import generator_options
from porism.cli.options.inputs import (
    PATH,
    duplicates_option,
    index_argument,
    index_collection_option,
    leave_out_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import FILE, json_option, output_option, run_name_option
from porism.cli.options.systems import results_option, system_option, task_option
from porism.cli.progress import with_progress
from porism.generation.settings import GeneratorSettings
from porism.pages.plurals import count_of

FORMS = ("arqmath", "trec")


@click.command(
    cls=PorismCommand,
    epilog="""
    porism run arqmath/index --system l8 --task 1 --topics Topics_Task1_2022.xml -o l8-task1.tsv
    porism run arqmath/index --system formula-base --task 2 --topics Topics_Task2_2022.xml -o f.tsv
    porism run unlinked --system l8 --task 1 --topics links/topics_task1.xml \\
        --leave-out links/own_posts.tsv -o l8-links.tsv
    porism run arqmath/index --system extract --task 3 --topics Topics_Task1_2022.xml -o e.tsv
    porism run arqmath/index --system generate --task 3 --model model.gguf \\
        --topics Topics_Task1_2022.xml -o g.tsv
    porism run arqmath/index --system approach0-manual --task 3 --queries queries.tsv \\
        --topics Topics_Task1_2022.xml -o a.tsv
    """,
)
@system_option(required=True)
@task_option(
    "1 finds answers, 2 finds formulas, 3 gives short answers.", ("1", "2", "3"), required=True
)
@topics_option(required=True)
@topic_formulas_option()
@duplicates_option("for the system linked.")
@leave_out_option(
    "Posts not to find (TSV: topic, post), such as own_posts.tsv of porism topics links."
)
@output_option("RUN", "The run; RUN.json beside it records how it was made.", FILE, required=True)
@click.option(
    "--run-format",
    type=click.Choice(FORMS),
    default=FORMS[0],
    show_default=True,
    help="The columns of the lab, or those of trec_eval.",
)
@run_name_option("the system's if not given")
@results_option()
@generator_options
@click.option(
    "--queries",
    metavar="FILE",
    type=PATH,
    help="Queries written by hand (TSV: topic, query), for the system approach0-manual.",
)
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
    leave_out: Path | None,
    output: Path,
    run_format: str,
    run_name: str | None,
    k: int,
    language_model: GeneratorSettings,
    queries: Path | None,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Rank or answer all topics of a file on INDEX, and write a run.

    The topics of Task 3 are those of Task 1.
    """
    # Loads the engine, the parser and the formats, which --help does not need.
    from porism import catalog
    from porism.answer.answerer import AnswerTools, answer_topics
    from porism.answer.extracts.manual_queries import read_queries
    from porism.errors import PorismError
    from porism.formats.answer_runs import write_answer_run
    from porism.formats.byte_streams import replaced_file
    from porism.formats.runs import RunForm, write_run
    from porism.formats.topic_links import read_topic_links
    from porism.generation.models import open_generator
    from porism.lab.pools.topic_posts import (
        ExcludedPosts,
        RankerWithoutPosts,
        check_posts_of_topics,
        read_topic_posts,
    )
    from porism.lab.topic_sets import read_topics_of_task
    from porism.model import AnswerRun, Run, Task, TopicId
    from porism.rank.runs import run_topics
    from porism.searchindex.index_folder import open_index

    number = Task(int(task))
    if number is Task.SHORT_ANSWERS and run_format == "trec":
        raise click.UsageError("--run-format trec: short answers have only the columns of the lab")
    if number is Task.SHORT_ANSWERS and leave_out is not None:
        raise click.UsageError("--leave-out: not available for --task 3")
    chosen = catalog.system(system)
    if chosen.needs_queries and queries is None:
        raise click.UsageError(f"{system} needs --queries: a query for each topic, written by hand")
    by_hand = read_queries(queries) if queries else {}
    topic_list = read_topics_of_task(topics, number, topic_formulas)
    excluded = ExcludedPosts(read_topic_posts(leave_out))
    check_posts_of_topics(
        leave_out, excluded.posts, [topic.id for topic in topic_list], topics.name
    )
    links = read_topic_links(duplicates) if duplicates else {}
    progress = partial(with_progress, what="topics")
    failures: dict[TopicId, str] = {}
    is_stopped = False
    name = run_name or system
    with ExitStack() as opened:
        search_index = opened.enter_context(open_index(index, collection, links))
        generator = None
        if chosen.needs_generator and language_model.is_named:
            generator = open_generator(language_model)
            opened.callback(generator.close)
        elif language_model.is_named:
            click.echo(f"Note: {system} uses no language model", err=True)
        fingerprint = search_index.fingerprint
        model = catalog.vector_model(system, number, search_index)
        models = catalog.models_used(system, number, search_index)
        for note in catalog.ranking_notes(system, number, search_index):
            click.echo(f"Note: {note}", err=True)
        if number is Task.SHORT_ANSWERS:
            tools = AnswerTools(generator, by_hand)
            answerer = catalog.answerer(system, search_index, tools)
            answered = answer_topics(answerer, topic_list, progress)
            description, milliseconds = repr(answerer), answered.milliseconds
            failures, is_stopped = answered.failures, answered.is_stopped
            results = len(answered.for_run)
            write = partial(write_answer_run, output, AnswerRun(name, answered.for_run))
        else:
            ranker = catalog.ranker(system, number, search_index)
            done = run_topics(RankerWithoutPosts(ranker, excluded), topic_list, k, progress)
            description, milliseconds = repr(ranker), done.milliseconds
            results = sum(map(len, done.rankings.values()))
            form = RunForm.TREC if run_format == "trec" else RunForm(f"task{task}")
            write = partial(write_run, output, Run(name, done.rankings), form)
    if not results:
        needs_links = chosen.is_oracle and not duplicates
        hint = f"; the system {system} needs --duplicates" if needs_links else ""
        raise PorismError(f"{system} returned nothing for any topic of {topics}{hint}")
    write()
    record = {
        "run": name,
        "system": system,
        "task": int(task),
        "ranker": description,
        "index": fingerprint,
        "model": None if model is None else dataclasses.asdict(model),
        "models": models,
        "language_model": None if generator is None else generator.name,
        "queries": queries.name if queries else None,
        "porism": __version__,
        "topics": topics.name,
        "topic_formulas": topic_formulas.name if topic_formulas else None,
        "duplicates": duplicates.name if duplicates else None,
        "leave_out": leave_out.name if leave_out else None,
        "k": k,
        "results": results,
        "failures": failures,
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
        counts = f"{count_of(results, 'result')} for {count_of(len(topic_list), 'topic')}"
        click.echo(f"{output}: {counts}")
    if failures:
        for topic_id, message in failures.items():
            click.echo(f"{topic_id}: {message}", err=True)
        rest = "; topics after these were not tried" if is_stopped else ""
        failed = count_of(len(failures), "topic")
        raise PorismError(f"the language model failed for {failed}{rest}")
