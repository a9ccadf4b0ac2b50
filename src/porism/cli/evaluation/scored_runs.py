"""Read and score runs of Tasks 1 and 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from porism.cli.evaluation.run_faults import print_run_faults
from porism.cli.options.scoring import ScoringOptions
from porism.cli.progress import with_progress
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.evaluation.formulas import ByVisualId
    from porism.evaluation.inputs import ScoredRun
    from porism.evaluation.records import Evaluation
    from porism.evaluation.scoring import Grades, OnlyIn
    from porism.formats.formula_ids import FormulaIds
    from porism.model import AnswerRun, DocId, Qrels, TopicId


@dataclass(frozen=True, slots=True)
class ScoredRuns:
    """Scores of runs, and the runs as scored: those of Task 2 by visual id.

    Task 3 has texts instead of runs, and the id of each answer.
    """

    evaluation: Evaluation
    qrels: Qrels
    runs: tuple[ScoredRun, ...] = ()
    result_ids: ByVisualId | None = None
    answers: Mapping[str, AnswerRun] = field(default_factory=dict)
    answer_ids: Mapping[tuple[str, TopicId], DocId] = field(default_factory=dict)


def score_runs(
    paths: Sequence[Path], scoring: ScoringOptions, *, keeps_runs: bool = False
) -> ScoredRuns:
    """Read runs of Task 1 or 2 and score them.

    ``keeps_runs`` returns the runs too, which can take much memory.
    """
    from porism.evaluation.measures import DEFAULT_MEASURES
    from porism.evaluation.records import Evaluation, RunScores
    from porism.evaluation.scoring import (
        RunScorer,
        TopicsWithoutRelevant,
        has_nonrelevant,
        is_judged,
        restricted_qrels,
        restriction_notes,
    )
    from porism.formats.qrels import read_qrels
    from porism.formats.runs import RunForm

    qrels = read_qrels(scoring.qrels)
    task = task_of(scoring, qrels.grades)
    measures = measure_names(scoring.measures) or DEFAULT_MEASURES
    every = qrels
    without_relevant = TopicsWithoutRelevant.COUNT_AS_ZERO
    if scoring.only_in is not None:
        without_relevant = TopicsWithoutRelevant.LEAVE_OUT
        with _documents_in(scoring.only_in, task, qrels) as only_in:
            qrels = restricted_qrels(qrels, only_in)
    # Before the runs are read, so that a wrong measure is reported first.
    scorer = RunScorer(qrels, measures, without_relevant)
    runs: Iterable[ScoredRun] = _read(paths, task, scorer.grades, scoring.validate)
    if scoring.leave_out is not None:
        runs = _without_posts(runs, scoring.leave_out, scorer.topics)
    result_ids = None
    if task == 2 and scoring.formulas is not None:
        result_ids = _by_visual_id(tuple(runs), qrels, scoring.formulas, scoring.run_ids)
        runs, qrels = result_ids.runs, result_ids.qrels
        scorer = RunScorer(qrels, measures, without_relevant)
    scored: list[RunScores] = []
    scored_runs: list[ScoredRun] = []
    forms: set[RunForm | None] = set()
    notes = list(result_ids.notes) if result_ids else []
    if scoring.only_in is not None:
        notes += restriction_notes(every, scorer)
    if not has_nonrelevant(scorer.grades):
        notes += judged_only_notes(scorer.names)
    for run in runs:
        if not is_judged(run, scorer.grades):
            notes.append(_unjudged_note(run, task, result_ids is not None))
        scored.append(scorer.scores(run))
        forms.add(run.form)
        if keeps_runs:
            scored_runs.append(run)
    if task == 2 and result_ids is None and RunForm.TASK2 in forms:
        notes.append("scored by formula id; the lab scores by visual id, which needs --formulas")
    ceilings = scorer.ceilings()
    evaluation = Evaluation(
        task, scorer.names, scorer.topics, tuple(scored), ceilings, tuple(notes)
    )
    return ScoredRuns(evaluation, qrels, tuple(scored_runs), result_ids)


def _read(paths: Sequence[Path], task: int, grades: Grades, validates: bool) -> Iterator[ScoredRun]:
    """The runs, one at a time; their faults are reported first."""
    from porism.evaluation.inputs import as_scored
    from porism.evaluation.scoring import check_topics
    from porism.formats.runs import RunForm

    named = zip(paths, run_names(paths), strict=True)
    with closing(print_run_faults(paths if validates else (), task)) as faults:
        for path, name in with_progress(named, "runs"):
            next(faults, None)
            run = as_scored(path, name, grades, RunForm.TASK2 if task == 2 else None)
            check_topics(run, tuple(grades))  # before by_visual_id leaves anything out
            yield run


def _without_posts(
    runs: Iterable[ScoredRun], path: Path, topics: Sequence[TopicId]
) -> Iterator[ScoredRun]:
    """The runs without the posts of a file, which is read and checked at once."""
    from porism.lab.pools.topic_posts import (
        ExcludedPosts,
        check_posts_of_topics,
        read_topic_posts,
    )

    excluded = ExcludedPosts(read_topic_posts(path))
    check_posts_of_topics(path, excluded.posts, topics, "the judgments")
    return (
        replace(
            run,
            scores={
                topic: {
                    document: value
                    for document, value in scores.items()
                    if not excluded.has(topic, document)
                }
                for topic, scores in run.scores.items()
            },
        )
        for run in runs
    )


def task_of(scoring: ScoringOptions, topics: Iterable[TopicId]) -> int:
    """The given task, or that of the topics' letter, or Task 1."""
    letters = {topic.partition(".")[0] for topic in topics}
    by_letter = {"A": 1, "B": 2}.get(letters.pop()) if len(letters) == 1 else None
    task = int(scoring.task) if scoring.task is not None else by_letter or 1
    if by_letter not in (None, task):
        raise PorismError(
            f"{scoring.qrels}: the topics are of Task {by_letter} by their letter, not {task}"
        )
    if task == 1 and scoring.formulas is not None:
        raise PorismError("--formulas is for Task 2, and the judgments are of Task 1")
    if task == 2 and scoring.leave_out is not None:
        raise PorismError(
            "--leave-out is for Task 1: leave posts out of a run of Task 2 with porism run"
        )
    if scoring.formulas is None and scoring.run_ids != "auto":
        raise PorismError("--run-ids needs --formulas")
    return task


def measure_names(given: Sequence[str]) -> tuple[str, ...]:
    """The names in option values, split at commas outside of brackets.

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
    """Names of runs: those of their files, with folder and number where names repeat."""
    from porism.formats.text_lines import file_stem

    names = [file_stem(path) for path in paths]
    unique = [
        f"{path.resolve().parent.name}/{name}" if names.count(name) > 1 else name
        for name, path in zip(names, paths, strict=True)
    ]
    return [
        f"{name} ({unique[:number].count(name) + 1})" if name in unique[:number] else name
        for number, name in enumerate(unique)
    ]


def _by_visual_id(
    runs: tuple[ScoredRun, ...], qrels: Qrels, formulas: Path, run_ids: str
) -> ByVisualId:
    from porism.evaluation.formulas import RunIds, by_visual_id

    known = with_progress(formula_ids(formulas), "formulas")
    return by_visual_id(runs, qrels, known, RunIds(run_ids))


@contextmanager
def _documents_in(path: Path, task: int, qrels: Qrels) -> Iterator[OnlyIn]:
    """The documents of a collection: answers in Task 1, judged formulas in Task 2."""
    from porism.collection.store import open_collection
    from porism.lab.visual_ids import judged_in_collection

    with open_collection(path) as collection:
        yield judged_in_collection(qrels, collection) if task == 2 else collection.has_answer


def formula_ids(path: Path) -> Iterator[FormulaIds]:
    """The ids of formulas in formula files, a map, or a collection."""
    from porism.collection.store import is_collection, open_collection
    from porism.formats.formula_ids import read_formula_ids
    from porism.lab import visual_ids

    if not is_collection(path):
        yield from read_formula_ids(path)
        return
    with open_collection(path) as collection:
        yield from map(visual_ids.formula_ids, collection.instances())


def judged_only_notes(measures: Sequence[str]) -> Iterator[str]:
    """A note on measures that say nothing if no document was judged not relevant."""
    from porism.evaluation.measures import parse_measure

    if empty := [name for name in measures if parse_measure(name).needs_judged_only]:
        yield (
            f"no document is judged not relevant, so {', '.join(empty)} cannot tell runs apart; "
            "choose measures of whole rankings, such as MAP and P@10"
        )


def _unjudged_note(run: ScoredRun, task: int, is_by_visual_id: bool) -> str:
    """A note on a run without judged results; an error if formula ids are the reason."""
    message = f"no result of {run.name} is judged"
    if task == 2 and not is_by_visual_id:
        raise PorismError(
            f"{message}: judgments by visual id need --formulas for runs of formula ids, and the "
            "same version of visual ids for others"
        )
    return f"{message}: are run and judgments of the same collection?"
