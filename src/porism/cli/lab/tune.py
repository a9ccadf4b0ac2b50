"""``porism tune``: values of a system's parameters, chosen by cross-validation."""

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
from porism.cli.options.collection import collection_option
from porism.cli.options.parameter_values import named_values
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
@click.option(
    "--system",
    "systems",
    metavar="NAME",
    multiple=True,
    required=True,
    help="The system, as porism systems lists them; several are fused, and their weights tuned.",
)
@click.option(
    "--by",
    type=click.Choice(FUSIONS),
    default=FUSIONS[0],
    show_default=True,
    help="How several systems are fused: by reciprocal ranks, or by scores from 0 to 1.",
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
    multiple=True,
    type=click.Path(path_type=Path),
    help="The lab's topics of that task, plain or gzip; repeat for several years.",
)
@click.option(
    "--qrels",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The judgments of these topics, one file for each file of topics, in the same order.",
)
@click.option(
    "--topic-formulas",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The lab's LaTeX of the topics' formulas (TSV), one file for each file of topics.",
)
@click.option(
    "--set",
    "grid",
    metavar="PARAMETER=VALUES",
    multiple=True,
    help="Values to try: V1,V2,... or LOW:HIGH:STEP. Repeat for several parameters.",
)
@click.option("--list", "is_list", is_flag=True, help="List the parameters and do nothing else.")
@click.option(
    "--measure", metavar="NAME", default="nDCG'", show_default=True, help="What shall be high."
)
@click.option(
    "--folds",
    metavar="N",
    default="5",
    show_default=True,
    help=f"Into how many folds topics are dealt, or {YEARS}: each file of topics is a fold.",
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="How topics are dealt."
)
@click.option(
    "-k",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="How many results for each topic.",
)
@click.option(
    "--trials",
    metavar="FILE",
    help="Write every setting that was tried, with its score on all topics, as TSV; - to print it.",
)
@collection_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.argument("index", type=click.Path(path_type=Path))
def tune(
    index: Path,
    systems: tuple[str, ...],
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
    """Choose values of a system's parameters on INDEX, and tell what the choice is worth.

    Topics are dealt into folds. The values for a fold are chosen on the others, so that every score
    that counts is of topics which the choice has not seen.
    """
    # Loads the engine, the parser and the formats, which --help can do without.
    from porism.evaluate.measures import parse_measure
    from porism.evaluate.records import Evaluation, RunScores
    from porism.lab.parameters import parameters
    from porism.lab.tuning import tune as tuned
    from porism.model import Task
    from porism.searchindex.index_folder import open_index

    files = TopicFiles(topics, qrels, topic_formulas)
    with open_index(index, collection) as library:
        ranker = _ranker(systems, by, Task(int(task)), library)
        own = parameters(ranker)
        listed = "\n".join(text_lines(parameters_table(own)))
        if is_list:
            click.echo(json.dumps(own) if as_json else listed)
            return
        if not grid:
            raise click.UsageError(f"say with --set which values to try of\n\n{listed}")
        with needs_extra("lab"):  # told now, and not after all the work
            from porism.evaluate.comparison import compare
        judged = files.judged(int(task))
        by_measure = str(parse_measure(measure))
        bench = _bench(judged, by_measure, int(task), k, library)
        with progress_reporter() as watch:
            found = tuned(ranker, _grid(grid), bench, _folds(folds, seed, judged), watch)
    pair = (
        RunScores("unchanged", {by_measure: found.unchanged}),
        RunScores("held out", {by_measure: found.held_out}),
    )
    evaluation = Evaluation(int(task), (by_measure,), tuple(found.held_out), pair)
    unjudged = sum(each.unjudged for each in judged.values())
    told = TuningOutput(found, compare(evaluation)[0], systems, int(task), unjudged)
    if trials is not None:
        with open_output(trials) as out:
            out.write("".join(f"{line}\n" for line in tsv_lines(trials_table(told))).encode())
    if as_json:
        click.echo(json.dumps(tuning_json(told), ensure_ascii=False))
    elif trials != "-":
        click.echo("\n".join(tuning_lines(told)))


def _ranker(names: tuple[str, ...], by: str, task: Task, library: SearchIndex) -> Ranker:
    """The system, or several fused with weights that can be tuned."""
    from porism import catalog
    from porism.rank.fusion import Combination, CombMnz, CombSum, Fuse, ReciprocalRanks

    rankers = tuple(catalog.ranker(name, task, library) for name in names)
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
    """Files of topics, with those of judgments and of formulas that belong to each."""

    topics: tuple[Path, ...]
    qrels: tuple[Path, ...]
    formulas: tuple[Path, ...]

    def judged(self, task: int) -> dict[str, JudgedTopics]:
        """What each file of topics has, by the name of the file."""
        from porism.errors import PorismError
        from porism.formats.qrels import read_qrels

        if not self.topics or len(self.topics) != len(self.qrels):
            raise click.UsageError("name with --qrels one file for each file of --topics")
        if self.formulas and len(self.formulas) != len(self.topics):
            raise click.UsageError(
                "name with --topic-formulas one file for each of --topics, or none"
            )
        formulas = self.formulas or (None,) * len(self.topics)
        found: dict[str, JudgedTopics] = {}
        seen: set[str] = set()
        for path, judgments, latex in zip(self.topics, self.qrels, formulas, strict=True):
            topics = topics_of_task(path, task, latex)
            twice = seen.intersection(topic.id for topic in topics)
            if twice:
                raise PorismError(f"{path}: topic {min(twice)} is in another file, too: name one")
            seen.update(topic.id for topic in topics)
            name = str(path) if path.name in found else path.name
            found[name] = judged_topics(topics, read_qrels(judgments), path)
        return found


def _bench(
    judged: dict[str, JudgedTopics], measure: str, task: int, k: int, library: SearchIndex
) -> TuningSetup:
    """All topics that have judgments, and how a run over them is scored."""
    from porism.lab.tuning import TuningSetup, topic_scorer
    from porism.lab.visual_ids import CollectionVisualIds
    from porism.model import Qrels, Task

    topics = [topic for each in judged.values() for topic in each.topics]
    grades = {id_: of for each in judged.values() for id_, of in each.qrels.grades.items()}
    if task != Task.FORMULAS:
        return TuningSetup(topics, topic_scorer(Qrels(grades), measure), k)
    looks = CollectionVisualIds(library.collection, Qrels(grades))
    for note in looks.notes:
        click.echo(note, err=True)
    return TuningSetup(topics, topic_scorer(looks.qrels, measure, looks.run), k)


def _folds(wanted: str, seed: int, judged: dict[str, JudgedTopics]) -> Folds:
    from porism.lab.tuning import random_folds

    by_file = {name: tuple(topic.id for topic in each.topics) for name, each in judged.items()}
    if wanted == YEARS:
        if len(by_file) < 2:
            raise click.UsageError(f"--folds {YEARS} needs several files of --topics")
        return by_file
    if not wanted.isdecimal():
        raise click.UsageError(f"found --folds {wanted}: expected a number, or {YEARS}")
    return random_folds(
        [topic for topics in by_file.values() for topic in topics], int(wanted), seed
    )
