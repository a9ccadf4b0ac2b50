"""``porism reproduce systems``: the systems on a collection, beside the papers' figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.lab.system_tables import ScoredSet, set_lines, set_record
from porism.cli.options.inputs import (
    duplicates_option,
    index_argument,
    index_collection_option,
    leave_out_option,
    qrels_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import FILE, FOLDER, json_option, output_option
from porism.cli.options.systems import results_option, systems_option
from porism.cli.progress import progress_reporter
from porism.errors import PorismError
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.lab.system_reproduction import CandidateSystem
    from porism.lab.topic_sets import TopicSet
    from porism.model import Run, Task
    from porism.rank.ranker import Ranker
    from porism.searchindex.index_folder import SearchIndex

BASELINE = "l8"
"""The system that others are compared with."""


@click.command(
    "reproduce systems",
    cls=PorismCommand,
    epilog="""
    porism reproduce systems arqmath/index --topics Topics_Task1_2021.xml \\
        --qrels qrel_task1_2021_official.tsv
    porism reproduce systems arqmath/index --systems l8,approach0,msm-ensemble \\
        --topics Topics_Task1_2020.xml --qrels qrel_task1_2020_official.tsv \\
        --topics Topics_Task2_2020.xml --qrels qrel_task2_2020_visual_id_v3.tsv -o scores.tsv
    porism reproduce systems unlinked --topics links/topics_task1.xml \\
        --qrels links/qrels_task1.tsv --leave-out links/own_posts.tsv -o scores.tsv
    """,
)
@systems_option("The systems to run; repeatable, or separated by commas. All if not given.")
@topics_option("Topics of Task 1 or 2; repeat for several sets.", multiple=True, required=True)
@qrels_option("Judgments, one file per file of topics, in the same order.", multiple=True)
@topic_formulas_option(
    "The lab's LaTeX of the topics' formulas (TSV), one file per file of topics.", multiple=True
)
@leave_out_option(
    "Posts not to find (TSV: topic, post), for any of the topics; repeatable.", multiple=True
)
@duplicates_option("for the system linked.")
@results_option()
@output_option(
    "FILE",
    "Write the scores as TSV; rows of other systems and sets that FILE has are kept.",
    FILE,
)
@click.option(
    "--runs",
    metavar="FOLDER",
    type=FOLDER,
    help="Also write every run, such as FOLDER/task1-2020/SYSTEM.tsv.",
)
@index_collection_option
@json_option
@index_argument
def reproduce_systems(
    index: Path,
    systems: tuple[str, ...],
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    topic_formulas: tuple[Path, ...],
    leave_out: tuple[Path, ...],
    duplicates: Path | None,
    k: int,
    output: Path | None,
    runs: Path | None,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Run every system that INDEX can serve on judged topics, beside the papers' figures.

    Notes say why figures cannot be compared: another collection, another model, or weights that
    were learned from these topics. Systems that the index cannot serve, or that fail, are listed
    with the reason.
    """
    # Loads the engine, the parser and the formats, which --help does not need.
    with needs_extra("lab"):
        from porism.lab.system_reproduction import SystemFailure, scored_systems
    from porism.catalog import SYSTEMS, system
    from porism.formats.topic_links import read_topic_links
    from porism.lab.system_scores import SystemScore, written_scores
    from porism.searchindex.index_folder import open_index

    names = tuple(dict.fromkeys(systems)) or tuple(SYSTEMS)
    for name in names:
        system(name)
    sets = list(_sets(topics, qrels, topic_formulas, leave_out))
    links = read_topic_links(duplicates) if duplicates else {}
    done: list[ScoredSet] = []
    with open_index(index, collection, links) as search_index, progress_reporter() as watch:
        for task, topic_set in sets:
            candidates = list(_candidates(names, task, search_index, bool(duplicates)))
            scores: list[SystemScore] = []
            failures: list[SystemFailure] = []
            keep = partial(_write_run, runs, task, topic_set)
            for each in scored_systems(
                candidates, topic_set, task, search_index, BASELINE, watch, k, keep
            ):
                if isinstance(each, SystemFailure):
                    failures.append(each)
                    continue
                scores.append(each)
                if output is not None:  # after every system, so that nothing is lost
                    written_scores(output, [each])
            order = {name: place for place, name in enumerate(SYSTEMS)}
            scores.sort(key=lambda score: order[score.system])
            done.append(ScoredSet(task, topic_set, tuple(scores), tuple(failures)))
    if not any(each.scores for each in done):
        reasons = "; ".join(f"{each.system}: {each.reason}" for each in done[0].failures)
        raise PorismError(f"no system could be run on {index}: {reasons}")
    if as_json:
        click.echo(json.dumps([set_record(each) for each in done], ensure_ascii=False))
    else:
        click.echo("\n\n".join("\n".join(set_lines(each)) for each in done))


def _write_run(folder: Path | None, task: Task, topics: TopicSet, run: Run) -> None:
    """Write a run to the folder of its set, if runs are wanted."""
    from porism.formats.runs import RunForm, write_run
    from porism.lab.system_reproduction import set_label

    if folder is not None:
        place = folder / f"task{task}-{Path(set_label(topics)).stem}"
        place.mkdir(parents=True, exist_ok=True)
        form = RunForm.TASK1 if task == 1 else RunForm.TASK2
        write_run(place / f"{run.name}.tsv", run, form)


def _sets(
    topics: Sequence[Path],
    qrels: Sequence[Path],
    formulas: Sequence[Path],
    leave_out: Sequence[Path],
) -> Iterator[tuple[Task, TopicSet]]:
    """The sets of topics with their tasks, in the order of the files."""
    from porism.formats.topics import read_topics
    from porism.lab.topic_sets import TopicSetFiles, read_topic_sets
    from porism.model import Task

    if len(topics) != len(qrels):
        raise click.UsageError("expected one file of --qrels per file of --topics")
    if formulas and len(formulas) != len(topics):
        raise click.UsageError(
            "expected one file of --topic-formulas per file of --topics, or none"
        )
    files = list(map(TopicSetFiles, topics, qrels, formulas or (None,) * len(topics)))
    tasks = [
        Task.ANSWERS if next(iter(read_topics(each.topics))).focus is None else Task.FORMULAS
        for each in files
    ]
    by_task = {
        task: iter(
            read_topic_sets(
                [each for each, other in zip(files, tasks, strict=True) if other is task],
                task,
                # The posts of topics for answers; those of formulas alone if there are no others.
                leave_out if task is min(tasks) else (),
            )
        )
        for task in set(tasks)
    }
    for task in tasks:
        yield task, next(by_task[task])


def _candidates(
    names: Sequence[str], task: Task, search_index: SearchIndex, has_duplicates: bool
) -> Iterator[CandidateSystem]:
    from porism import catalog
    from porism.lab.system_reproduction import CandidateSystem

    for name in names:
        chosen = catalog.system(name)
        if task in chosen.makers:
            is_blind = chosen.is_oracle and not has_duplicates
            yield CandidateSystem(
                name,
                _refused if is_blind else partial(catalog.ranker, name, task, search_index),
                partial(_described, name, task, search_index),
            )


def _refused() -> Ranker:
    """Refuse an oracle that has not been given what it knows."""
    raise PorismError("it needs --duplicates")


def _described(name: str, task: Task, search_index: SearchIndex) -> tuple[str, str, str]:
    """The models by which a system ranks, what was trained for it, and what it lacks."""
    from porism import catalog

    chosen = catalog.system(name)
    vectors = catalog.vector_model(name, task, search_index)
    models = catalog.models_used(name, task, search_index)
    used = [
        *([] if vectors is None else [Path(vectors.name).name]),
        *(f"{role} {Path(model).name}" for role, model in models.items()),
    ]
    trained = [
        each.text.removeprefix("trained ")
        for each in chosen.requirements
        if each.kind is catalog.RequirementKind.TRAINING and not each.is_optional
    ]
    if chosen.learned_on:
        trained.append(f"weights on {', '.join(chosen.learned_on)}")
    notes = "; ".join(catalog.ranking_notes(name, task, search_index))
    # A table may be copied to where these paths mean nothing.
    for place, label in (
        (search_index.folder, "INDEX"),
        (search_index.collection_path, "COLLECTION"),
    ):
        if place.is_absolute():  # a short relative path may be any word
            notes = notes.replace(str(place), label)
    return ", ".join(used), "; ".join(trained), notes
