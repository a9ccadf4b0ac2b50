"""``porism tune``: tune the parameters of a system by cross-validation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.extras import needs_extra
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
    qrels_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import json_option
from porism.cli.options.parameter_values import named_values
from porism.cli.options.sampling import seed_option
from porism.cli.options.systems import results_option, system_option, task_option
from porism.cli.output import open_output
from porism.cli.progress import progress_reporter
from porism.cli.tables import text_lines, tsv_lines
from porism.cli.topic_files import JudgedTopics, judged_topics, topics_of_task

if TYPE_CHECKING:
    from porism.lab.parameters import ParameterValue
    from porism.lab.tuning import Folds, TuningSetup
    from porism.model import Task
    from porism.rank.ranker import Ranker
    from porism.searchindex.index_folder import SearchIndex

YEARS = "years"
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
    """,
)
@system_option(
    "The system; several are fused, and their weights tuned.",
    multiple=True,
    required=True,
)
@click.option(
    "--by",
    type=click.Choice(FUSIONS),
    default=FUSIONS[0],
    show_default=True,
    help="Fusion of several systems: by reciprocal ranks, or by scores scaled to 0 to 1.",
)
@task_option(required=True)
@topics_option("The lab's topics of that task; repeat for several years.", multiple=True)
@qrels_option("Judgments, one file per file of topics, in the same order.", multiple=True)
@topic_formulas_option(
    "The lab's LaTeX of the topics' formulas (TSV), one file per file of topics.", multiple=True
)
@click.option(
    "--set",
    "grid",
    metavar="PARAMETER=VALUES",
    multiple=True,
    help="Values to try: V1,V2,... or LOW:HIGH:STEP. Repeat for several parameters.",
)
@click.option("--list", "is_list", is_flag=True, help="List the parameters and exit.")
@click.option(
    "--measure", metavar="NAME", default="nDCG'", show_default=True, help="The measure to maximise."
)
@click.option(
    "--folds",
    metavar="N",
    default="5",
    show_default=True,
    help=f"Number of folds, or {YEARS}: each file of topics is a fold.",
)
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
    task: str,
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    topic_formulas: tuple[Path, ...],
    grid: tuple[str, ...],
    is_list: bool,
    measure: str,
    folds: str,
    seed: int,
    k: int,
    trials: str | None,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Tune the parameters of a system on INDEX, and report the held-out score.

    Topics are split into folds. The values for a fold are chosen on the other folds, so that
    held-out scores are of unseen topics.
    """
    # Loads the engine, the parser and the formats, which --help does not need.
    from porism.evaluation.measures import parse_measure
    from porism.evaluation.records import Evaluation, RunScores
    from porism.lab.parameters import parameters
    from porism.lab.tuning import tune as tune_parameters
    from porism.model import Task
    from porism.searchindex.index_folder import open_index

    files = TopicFiles(topics, qrels, topic_formulas)
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
        judged = files.judged(int(task))
        by_measure = str(parse_measure(measure))
        bench = _bench(judged, by_measure, int(task), k, search_index)
        with progress_reporter() as report_progress:
            result = tune_parameters(
                ranker, _grid(grid), bench, _folds(folds, seed, judged), report_progress
            )
    pair = (
        RunScores("unchanged", {by_measure: result.unchanged}),
        RunScores("held out", {by_measure: result.held_out}),
    )
    evaluation = Evaluation(int(task), (by_measure,), tuple(result.held_out), pair)
    unjudged = sum(each.unjudged for each in judged.values())
    tuning = TuningOutput(result, compare(evaluation)[0], system, int(task), unjudged)
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


@dataclass(frozen=True, slots=True)
class TopicFiles:
    """Files of topics, with the judgments and formulas of each."""

    topics: tuple[Path, ...]
    qrels: tuple[Path, ...]
    formulas: tuple[Path, ...]

    def judged(self, task: int) -> dict[str, JudgedTopics]:
        """The judged topics of each file, by file name."""
        from porism.errors import PorismError
        from porism.formats.qrels import read_qrels

        if not self.topics or len(self.topics) != len(self.qrels):
            raise click.UsageError("expected one file of --qrels per file of --topics")
        if self.formulas and len(self.formulas) != len(self.topics):
            raise click.UsageError(
                "expected one file of --topic-formulas per file of --topics, or none"
            )
        formulas = self.formulas or (None,) * len(self.topics)
        by_file: dict[str, JudgedTopics] = {}
        seen: set[str] = set()
        for path, judgments, latex in zip(self.topics, self.qrels, formulas, strict=True):
            topics = topics_of_task(path, task, latex)
            twice = seen.intersection(topic.id for topic in topics)
            if twice:
                raise PorismError(
                    f"{path}: topic {min(twice)} is in another file too: expected each topic once"
                )
            seen.update(topic.id for topic in topics)
            name = str(path) if path.name in by_file else path.name
            by_file[name] = judged_topics(topics, read_qrels(judgments), path)
        return by_file


def _bench(
    judged: dict[str, JudgedTopics], measure: str, task: int, k: int, search_index: SearchIndex
) -> TuningSetup:
    """All judged topics, and the scorer of a run over them."""
    from porism.lab.tuning import TuningSetup, topic_scorer
    from porism.lab.visual_ids import CollectionVisualIds
    from porism.model import Qrels, Task

    topics = [topic for each in judged.values() for topic in each.topics]
    grades = {id_: of for each in judged.values() for id_, of in each.qrels.grades.items()}
    if task != Task.FORMULAS:
        return TuningSetup(topics, topic_scorer(Qrels(grades), measure), k)
    visual_ids = CollectionVisualIds(search_index.collection, Qrels(grades))
    for note in visual_ids.notes:
        click.echo(note, err=True)
    return TuningSetup(topics, topic_scorer(visual_ids.qrels, measure, visual_ids.run), k)


def _folds(folds: str, seed: int, judged: dict[str, JudgedTopics]) -> Folds:
    from porism.lab.tuning import random_folds

    by_file = {name: tuple(topic.id for topic in each.topics) for name, each in judged.items()}
    if folds == YEARS:
        if len(by_file) < 2:
            raise click.UsageError(f"--folds {YEARS} needs several files of --topics")
        return by_file
    if not folds.isdecimal():
        raise click.UsageError(f"found --folds {folds}: expected a number, or {YEARS}")
    return random_folds(
        [topic for topics in by_file.values() for topic in topics], int(folds), seed
    )
