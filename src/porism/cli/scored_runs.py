"""Runs read, made comparable and scored, for all commands that look at scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from porism.cli.checking import told_faults
from porism.cli.progress import counted
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.evaluate.formulas import ByVisualId
    from porism.evaluate.inputs import ScoredRun
    from porism.evaluate.records import Evaluation, RunScores
    from porism.evaluate.scoring import Grades
    from porism.formats.formula_ids import FormulaIds
    from porism.model import Qrels, TopicId

Decorated = TypeVar("Decorated", bound=Callable[..., object])

PATH = click.Path(path_type=Path)


def scoring_options(command: Decorated) -> Decorated:
    """The options of every command that scores runs."""
    options = (
        click.option(
            "--qrels",
            metavar="FILE",
            type=PATH,
            required=True,
            help="The judgments: topic, 0, document, grade; plain or gzip.",
        ),
        click.option(
            "--task",
            type=click.Choice(["1", "2", "3"]),
            help="1 answers, 2 formulas, 3 one answer a topic; by default as the topics tell.",
        ),
        click.option(
            "--measures",
            metavar="NAMES",
            multiple=True,
            help="Measures, as papers print them or ir-measures names them; repeat, or use commas.",
        ),
        click.option(
            "--formulas",
            metavar="PATH",
            type=PATH,
            help="Visual ids of formulas (Task 2): formula files, a collection, or two columns.",
        ),
        click.option(
            "--run-ids",
            type=click.Choice(["auto", "formula", "visual"]),
            default="auto",
            show_default=True,
            help="What the runs of Task 2 name.",
        ),
        click.option(
            "--validate/--no-validate",
            default=True,
            show_default=True,
            help="Whether to look for faults in the runs and tell them.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Scoring:
    """What the options of ``scoring_options`` ask for."""

    qrels: Path
    task: str | None = None
    measures: tuple[str, ...] = ()
    formulas: Path | None = None
    run_ids: str = "auto"
    validates: bool = True


@dataclass(frozen=True, slots=True)
class ScoredRuns:
    """Scores of runs, and the runs as they were scored, if kept: those of Task 2 by visual id."""

    evaluation: Evaluation
    runs: tuple[ScoredRun, ...]
    qrels: Qrels
    shown_ids: ByVisualId | None = None


def score_runs(paths: Sequence[Path], asked: Scoring, keeps_runs: bool = False) -> ScoredRuns:
    """Read runs of Task 1 or 2 and score them.

    The runs themselves are only kept if they are wanted, because many may be long.
    """
    from porism.evaluate.inputs import as_scored
    from porism.evaluate.measures import DEFAULT_MEASURES
    from porism.evaluate.records import Evaluation
    from porism.evaluate.scoring import Scorer, check_topics, judged_grades
    from porism.formats.qrels import read_qrels
    from porism.formats.runs import RunForm

    qrels = read_qrels(asked.qrels)
    task = task_of(asked, tuple(qrels.grades))
    measures = measure_names(asked.measures) or DEFAULT_MEASURES
    scorer = Scorer(qrels, measures)
    grades = judged_grades(qrels)

    def read(path: Path, name: str) -> ScoredRun:
        next(faults, None)
        run = as_scored(path, name, grades, RunForm.TASK2 if task == 2 else None)
        check_topics(run, tuple(grades))
        return run

    faults = told_faults(paths, task) if asked.validates else iter(())
    named = zip(paths, run_names(paths), strict=True)
    runs: Iterator[ScoredRun] = (read(path, name) for path, name in counted(named, "runs"))
    shown_ids = None
    notes: tuple[str, ...] = ()
    if task == 2 and asked.formulas is not None:
        shown_ids = _by_visual_id(tuple(runs), qrels, asked)
        runs, qrels, notes = iter(shown_ids.runs), shown_ids.qrels, shown_ids.notes
        scorer = Scorer(qrels, measures)
    kept: list[ScoredRun] = []
    scored: list[RunScores] = []
    for run in runs:
        _check_judged(run, scorer.grades, task, asked)
        scored.append(scorer.scores(run))
        if keeps_runs:
            kept.append(run)
        if task == 2 and shown_ids is None and run.form is RunForm.TASK2:
            notes = ("scored by formula; the lab scores by visual id, for which give --formulas",)
    found = Evaluation(task, scorer.names, scorer.topics, tuple(scored), scorer.ceilings(), notes)
    return ScoredRuns(found, tuple(kept), qrels, shown_ids)


def task_of(asked: Scoring, topics: Sequence[TopicId]) -> int:
    """The task that is asked for, or what the letter of the topics says."""
    if asked.task is not None:
        return int(asked.task)
    return 2 if all(topic.startswith("B.") for topic in topics) else 1


def measure_names(given: Sequence[str]) -> tuple[str, ...]:
    """The names in values that may hold several, between commas that are not in brackets.

    >>> measure_names(["nDCG', P@10", "AP(rel=2,judged_only=True)@1000"])
    ("nDCG'", 'P@10', 'AP(rel=2,judged_only=True)@1000')
    """
    names: list[str] = []
    for value in given:
        depth, name = 0, ""
        for char in value + ",":
            if char == "," and depth == 0:
                names.append(name.strip())
                name = ""
                continue
            depth += (char == "(") - (char == ")")
            name += char
    return tuple(filter(None, names))


def run_names(paths: Sequence[Path]) -> list[str]:
    """What runs are called: like their files, with folders and numbers where two are alike."""
    from porism.formats.text_lines import name_of

    names = [name_of(path) for path in paths]
    told = [
        f"{path.resolve().parent.name}/{name}" if names.count(name) > 1 else name
        for name, path in zip(names, paths, strict=True)
    ]
    return [
        f"{name} ({told[:number].count(name) + 1})" if name in told[:number] else name
        for number, name in enumerate(told)
    ]


def _by_visual_id(runs: tuple[ScoredRun, ...], qrels: Qrels, asked: Scoring) -> ByVisualId:
    from porism.evaluate.formulas import RunIds, by_visual_id

    assert asked.formulas is not None
    known = counted(formula_ids(asked.formulas), "formulas")
    return by_visual_id(runs, qrels, known, RunIds(asked.run_ids))


def formula_ids(path: Path) -> Iterator[FormulaIds]:
    """The ids of formulas in formula files, in a map, or in a collection."""
    from porism.collection.store import is_collection, open_collection
    from porism.formats.formula_ids import read_formula_ids
    from porism.lab import visual_ids

    if not is_collection(path):
        yield from read_formula_ids(path)
        return
    with open_collection(path) as collection:
        yield from map(visual_ids.formula_ids, collection.instances())


def _check_judged(run: ScoredRun, grades: Grades, task: int, asked: Scoring) -> None:
    """Refuse a run of which nothing at all was judged: its ids are of elsewhere."""
    if any(
        not of_topic.keys().isdisjoint(grades.get(topic, ()))
        for topic, of_topic in run.scores.items()
    ):
        return
    hint = "are they of the same collection?"
    if task == 2:
        hint = (
            "are they of the same version of the visual ids?"
            if asked.formulas
            else "judgments by visual id need --formulas for runs that name formulas"
        )
    raise PorismError(f"nothing that {run.name} found is judged in {asked.qrels}: {hint}")
