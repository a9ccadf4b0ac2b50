"""``porism tune``: tune the parameters of a system by cross-validation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.lab.judged_sets import chosen_measure, made_folds, topic_sets
from porism.cli.lab.learn import LearnOptions, learn_weights
from porism.cli.lab.tune_text import (
    TuningOutput,
    parameters_table,
    trials_table,
    tuning_json,
    tuning_lines,
)
from porism.cli.options.inputs import (
    index_argument,
    index_collection_option,
    leave_out_option,
    qrels_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import FILE, json_option, output_option
from porism.cli.options.parameter_values import named_values
from porism.cli.options.sampling import folds_option, seed_option
from porism.cli.options.systems import results_option, system_option, task_option
from porism.cli.output import open_output
from porism.cli.progress import progress_reporter
from porism.cli.tables import text_lines, tsv_lines
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.evaluation.comparison import Comparison
    from porism.lab.parameters import ParameterValue
    from porism.lab.topic_sets import TopicSet
    from porism.lab.tuning import TuningSetup
    from porism.model import Task, TopicId
    from porism.rank.ranker import Ranker
    from porism.searchindex.index_folder import SearchIndex

OBJECTIVES = ("sets", "topics")
FUSIONS = ("rrf", "combsum", "combmnz")


@click.command(
    cls=PorismCommand,
    epilog="""
    porism tune arqmath/index --system l8 --task 1 --list
    porism tune arqmath/index --system l8 --task 1 --topics Topics_2020.xml --qrels qrel_2020.tsv \\
        --set alpha=0.1:0.5:0.05
    porism tune arqmath/index --system l8 --system bm25 --task 1 --set weights.0=0:2:0.25 \\
        --topics Topics_2020.xml --qrels qrel_2020.tsv \\
        --topics Topics_2021.xml --qrels qrel_2021.tsv --folds years
    porism tune unlinked --system l8 --task 1 --set alpha=0.1:0.5:0.05 --measure MAP \\
        --topics Topics_2020.xml --qrels qrel_2020.tsv --topics links/topics_task1.xml \\
        --qrels links/qrels_task1.tsv --leave-out links/own_posts.tsv
    """,
)
@system_option(
    "The system; several are fused, and their weights tuned. Not needed with --learn.",
    multiple=True,
)
@click.option(
    "--by",
    type=click.Choice(FUSIONS),
    default=FUSIONS[0],
    show_default=True,
    help="Fusion of several systems: by reciprocal ranks, or by scores scaled to 0 to 1.",
)
@task_option()
@topics_option("The lab's topics of that task; repeat for several years.", multiple=True)
@qrels_option("Judgments, one file per file of topics, in the same order.", multiple=True)
@topic_formulas_option(
    "The lab's LaTeX of the topics' formulas (TSV), one file per file of topics.", multiple=True
)
@leave_out_option(
    "Posts not to find (TSV: topic, post), for any of the topics; repeatable.", multiple=True
)
@click.option(
    "--set",
    "grid",
    metavar="PARAMETER=VALUES",
    multiple=True,
    help="Values to try: V1,V2,... or LOW:HIGH:STEP. Repeat for several parameters.",
)
@click.option(
    "--learn",
    is_flag=True,
    help="Learn the weights of porism's features for answers, and write them with -o.",
)
@output_option("FILE", "With --learn: a file for the weights, as JSON.", FILE)
@click.option("--list", "is_list", is_flag=True, help="List the parameters and exit.")
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure to maximise; if not given, nDCG', or MAP if the judgments of a set name no "
    "document that is not relevant.",
)
@click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default=OBJECTIVES[0],
    show_default=True,
    help="Maximise the mean of the means of all files of topics, or the mean over all topics.",
)
@folds_option
@seed_option("Random seed of the folds.")
@results_option()
@click.option(
    "--trials",
    metavar="FILE",
    help="Write every setting that was tried with its score as TSV; - to print it.",
)
@index_collection_option
@json_option
@index_argument
def tune(
    index: Path,
    system: tuple[str, ...],
    by: str,
    task: str | None,
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    topic_formulas: tuple[Path, ...],
    leave_out: tuple[Path, ...],
    grid: tuple[str, ...],
    learn: bool,
    output: Path | None,
    is_list: bool,
    measure: str | None,
    objective: str,
    folds: str,
    seed: int,
    k: int,
    trials: str | None,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Tune the parameters of a system on INDEX, and report the held-out score.

    Topics are split into folds. The values for a fold are chosen on the other folds, so that
    held-out scores are of unseen topics. With --learn, the weights of porism's features are fitted
    instead; porism index --weights uses them.
    """
    if learn:
        if system or grid or is_list or task not in (None, "1"):
            raise click.UsageError(
                "--learn fits the weights of porism for answers: it takes no --system, --set or "
                "--list, and no task but 1"
            )
        files = (*topics, *qrels, *topic_formulas, *leave_out)
        learn_weights(
            index,
            collection,
            topic_sets(topics, qrels, topic_formulas, leave_out, 1),
            LearnOptions(measure, folds, seed, output, as_json, files),
        )
        return
    if output is not None:
        raise click.UsageError("-o is for the weights of --learn; --trials writes settings")
    if not system or task is None:
        raise click.UsageError("expected --system and --task, or --learn")
    # Loads the engine, the parser and the formats, which --help does not need.
    from porism.evaluation.records import Evaluation, RunScores
    from porism.lab.parameters import parameters
    from porism.lab.tuning import tune as tune_parameters
    from porism.model import Task
    from porism.searchindex.index_folder import open_index

    with open_index(index, collection) as search_index:
        ranker = _ranker(system, by, Task(int(task)), search_index)
        own = parameters(ranker)
        listed = "\n".join(text_lines(parameters_table(own)))
        if is_list:
            click.echo(json.dumps(own) if as_json else listed)
            return
        if not grid:
            raise click.UsageError(f"expected --set with values of\n\n{listed}")
        with needs_extra("lab"):  # fail before the work
            from porism.evaluation.comparison import compare
        sets = topic_sets(topics, qrels, topic_formulas, leave_out, int(task))
        by_measure = chosen_measure(measure, sets)
        bench = _bench(sets, by_measure, int(task), k, search_index)
        if objective == "topics":
            bench = replace(bench, sets={})
        with progress_reporter() as report_progress:
            result = tune_parameters(
                ranker, _grid(grid), bench, made_folds(folds, seed, sets), report_progress
            )

    def comparison(topics: tuple[TopicId, ...]) -> Comparison:
        pair = (
            RunScores(name, {by_measure: {topic: scores[topic] for topic in topics}})
            for name, scores in (("unchanged", result.unchanged), ("held out", result.held_out))
        )
        return compare(Evaluation(int(task), (by_measure,), topics, tuple(pair)))[0]

    tuning = TuningOutput(
        result,
        comparison(tuple(result.held_out)),
        {each.name: comparison(each.topic_ids) for each in sets},
        objective,
        system,
        int(task),
        sum(each.unjudged for each in sets),
    )
    if trials is not None:
        with open_output(trials) as out:
            out.write("".join(f"{line}\n" for line in tsv_lines(trials_table(tuning))).encode())
    if as_json:
        click.echo(json.dumps(tuning_json(tuning), ensure_ascii=False))
    elif trials != "-":
        click.echo("\n".join(tuning_lines(tuning)))


def _ranker(names: tuple[str, ...], by: str, task: Task, search_index: SearchIndex) -> Ranker:
    """The system, or several fused with tunable weights."""
    from porism import catalog
    from porism.rank.fusion import Combination, CombMnz, CombSum, Fuse, ReciprocalRanks

    rankers = tuple(catalog.ranker(name, task, search_index) for name in names)
    if len(rankers) == 1:
        return rankers[0]
    combinations: dict[str, Combination] = dict(
        zip(FUSIONS, (ReciprocalRanks(), CombSum(), CombMnz()), strict=True)
    )
    return Fuse(rankers, (1.0,) * len(rankers), combinations[by])


def _grid(texts: tuple[str, ...]) -> dict[str, list[ParameterValue]]:
    grid: dict[str, list[ParameterValue]] = {}
    for name, values in map(named_values, texts):
        grid.setdefault(name, []).extend(values)
    return grid


def _bench(
    sets: Sequence[TopicSet], measure: str, task: int, k: int, search_index: SearchIndex
) -> TuningSetup:
    """All judged topics, and the scorer of a run over them."""
    from porism.lab.pools.topic_posts import ExcludedPosts
    from porism.lab.tuning import TuningSetup, topic_scorer
    from porism.lab.visual_ids import CollectionVisualIds
    from porism.model import Qrels, Task

    qrels = Qrels({id_: of for each in sets for id_, of in each.qrels.grades.items()})
    if task == Task.FORMULAS:
        visual_ids = CollectionVisualIds(search_index.collection, qrels)
        for note in visual_ids.notes:
            click.echo(note, err=True)
        score = topic_scorer(visual_ids.qrels, measure, visual_ids.run)
    else:
        score = topic_scorer(qrels, measure)
    return TuningSetup(
        [topic for each in sets for topic in each.topics],
        score,
        k,
        {each.name: each.topic_ids for each in sets},
        ExcludedPosts({id_: of for each in sets for id_, of in each.leave_out.posts.items()}),
    )
