"""Published runs scored again, next to the numbers in the papers.

Runs are identified by file name: public ones by a list, others by the lab's convention
``TEAM-task1-RUN-auto-both-P.tsv``. Runs and judgments may be anywhere below the given folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from porism.errors import PorismError
from porism.evaluation.formulas import by_visual_id
from porism.evaluation.inputs import ScoredRun, as_scored
from porism.evaluation.records import RunScores
from porism.evaluation.scoring import RunScorer
from porism.evaluation.short_answers.manual_measures import (
    evaluate_answers,
    evaluate_first_results,
)
from porism.formats.formula_ids import FormulaIds
from porism.formats.qrels import read_answer_ids, read_qrels
from porism.formats.runs import RunForm
from porism.formats.text_lines import file_stem
from porism.lab.published import (
    REPRINT,
    KnownRun,
    PublishedScore,
    read_known_runs,
    read_published,
    scores_of_run,
)
from porism.model import Qrels

ANSWER_MAP = "task3_2022_teams_answer_id"
"""The file, without its ending, that maps the runs of Task 3 to their answers."""


class Verdict(StrEnum):
    """How our number compares with the printed one."""

    EXACT = "exact"
    EXPLAINED = "explained"
    DIFFERENT = "different"
    IMPOSSIBLE = "cannot be computed"
    ABSENT = "no run available"


@dataclass(frozen=True, slots=True)
class ReproducedScore:
    """A printed number, ours unrounded (None if it cannot be computed), and a note."""

    published: PublishedScore
    ours: float | None
    verdict: Verdict
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Our number, rounded to the same digits, minus the printed one."""
        if self.ours is None:
            return None
        digits = self.published.digits
        return round(round(self.ours, digits) - float(self.published.value), digits)


class Claim(NamedTuple):
    """A file, its numbers in papers, and the measures that are excused, with the reason."""

    path: Path
    qrels: Path
    numbers: tuple[PublishedScore, ...]
    excused: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class AvailableFiles:
    """Files by name without ending; of several with the same name the first counts."""

    files: Mapping[str, Path]
    formulas: Callable[[], Iterable[FormulaIds]] | None = field(default=None, repr=False)

    def qrels(self, task: int, year: int) -> Path | None:
        """The judgments that the lab used for a task of a year."""
        suffixes = ("_official", "_visual_id_v3", "_visual_id_v2", "")
        names = [f"qrel_task{task}_{year}{suffix}" for suffix in suffixes]
        return next((self.files[name] for name in names if name in self.files), None)


def files_in(folders: Sequence[Path]) -> dict[str, Path]:
    """All files in and below the folders, by name without ending."""
    files: dict[str, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise PorismError(f"{folder} is not a folder: expected one with runs and judgments")
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                files.setdefault(file_stem(path), path)
    return files


def reproduce(available: AvailableFiles) -> Iterator[ReproducedScore]:
    """Every printed number with ours, if the run is available, in the order of the papers."""
    reproduced = {**_answers(available), **_rankings(available)}
    for number in read_published():
        yield reproduced.get(number) or ReproducedScore(number, None, Verdict.ABSENT)


def claims(available: AvailableFiles) -> list[Claim]:
    """The files that are runs of Tasks 1 and 2 with published numbers."""
    files = available.files
    all_claims: list[Claim] = []
    listed = read_known_runs()
    for known in listed:
        path, qrels = files.get(known.file), files.get(file_stem(Path(known.qrels)))
        if known.task != 3 and path is not None and qrels is not None:
            all_claims.append(Claim(path, qrels, scores_of_run(known), known.excused, known.note))
    names = {known.file for known in listed}
    for name, path in files.items():
        if name not in names:
            all_claims += _by_convention(name, path, available)
    return all_claims


_CONVENTION = re.compile(r"(?P<team>[^-]+)-task(?P<task>[12])-(?P<run>.+?)-(?:auto|manual)-", re.I)


def _by_convention(name: str, path: Path, available: AvailableFiles) -> Iterator[Claim]:
    match = _CONVENTION.match(name)
    if match is None:
        return
    task = int(match["task"])
    for year in (2020, 2021, 2022):
        numbers = tuple(
            number
            for number in read_published()
            # Table 7 of S3 scores the runs of Task 1 as answers.
            if (number.task == task or (number.table == "7" and number.paper == "S3" and task == 1))
            and number.year == year
            and not number.group
            and _folded(number.team) == _folded(match["team"])
            and _folded(number.run) == _folded(match["run"])
        )
        qrels = available.qrels(task, year)
        if numbers and qrels is not None and _shares_topics(path, qrels):
            yield Claim(path, qrels, numbers)


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _shares_topics(path: Path, qrels: Path) -> bool:
    """Whether a run has any judged topic: file names do not tell the year."""
    return not as_scored(path).scores.keys().isdisjoint(read_qrels(qrels).grades)


def _rankings(available: AvailableFiles) -> dict[PublishedScore, ReproducedScore]:
    """The runs of Tasks 1 and 2, grouped by judgments."""
    reproduced: dict[PublishedScore, ReproducedScore] = {}
    ordered = sorted(claims(available), key=lambda claim: str(claim.qrels))
    for path, group in groupby(ordered, lambda claim: claim.qrels):
        same_qrels = list(group)
        qrels = read_qrels(path)
        runs = [as_scored(claim.path) for claim in same_qrels]
        mapped = _mapped(runs, qrels, available)
        numbers = [each for claim in same_qrels for each in claim.numbers if each.task != 3]
        scorer = RunScorer(mapped.qrels, sorted({_measure(each) for each in numbers}))
        for claim, run, mapped_run in zip(same_qrels, runs, mapped.runs, strict=True):
            as_ranking = [each for each in claim.numbers if each.task != 3]
            if mapped_run is None:
                why = "the run names formulas: give the files with their visual ids"
                reproduced |= {
                    each: ReproducedScore(each, None, Verdict.IMPOSSIBLE, why)
                    for each in as_ranking
                }
            elif as_ranking:
                scores = scorer.scores(mapped_run)
                excused = _excusing_judged_lines(claim, mapped_run, mapped.qrels)
                reproduced |= {each: _compared(each, scores, excused) for each in as_ranking}
            as_answers = [each for each in claim.numbers if each.task == 3]
            if as_answers:
                (scores,) = evaluate_first_results([run], qrels).runs
                reproduced |= {each: _compared(each, scores, claim) for each in as_answers}
    return reproduced


def _measure(number: PublishedScore) -> str:
    """The measure of a number, which is not always the printed one."""
    return "P@10" if number.note == REPRINT else number.measure


class _MappedRuns(NamedTuple):
    """Runs and judgments by visual id; None for a run whose visual ids are unknown."""

    runs: tuple[ScoredRun | None, ...]
    qrels: Qrels


def _mapped(runs: Sequence[ScoredRun], qrels: Qrels, available: AvailableFiles) -> _MappedRuns:
    if not any(run.form is RunForm.TASK2 for run in runs):
        return _MappedRuns(tuple(runs), qrels)
    if available.formulas is None:
        return _MappedRuns(tuple(None if run.form is RunForm.TASK2 else run for run in runs), qrels)
    mapped = by_visual_id(runs, qrels, available.formulas())
    return _MappedRuns(mapped.runs, mapped.qrels)


def _excusing_judged_lines(claim: Claim, run: ScoredRun, qrels: Qrels) -> Claim:
    """The claim, with P@10 excused if the file contains only judged documents."""
    if claim.note or not all(
        scores.keys() <= qrels.grades.get(topic, {}).keys() for topic, scores in run.scores.items()
    ):
        return claim
    why = "the file contains only judged documents, so P@10 cannot be computed"
    return claim._replace(excused=("P@10>",), note=why)


def _answers(available: AvailableFiles) -> dict[PublishedScore, ReproducedScore]:
    """The runs of Task 3, of which only the judgments are public."""
    answers = available.files.get(ANSWER_MAP)
    known = [each for each in read_known_runs() if each.task == 3]
    qrels = available.files.get(file_stem(Path(known[0].qrels)))
    if answers is None or qrels is None:
        return {}
    scored = {run.run: run for run in evaluate_answers(qrels, read_answer_ids(answers)).runs}
    reproduced: dict[PublishedScore, ReproducedScore] = {}
    for run in known:
        if run.file in scored:
            claim = Claim(answers, qrels, tuple(_answer_scores(run)), note=run.note)
            reproduced |= {each: _compared(each, scored[run.file], claim) for each in claim.numbers}
    return reproduced


def _answer_scores(run: KnownRun) -> list[PublishedScore]:
    return [number for number in scores_of_run(run) if number.table == "5"]


def _compared(number: PublishedScore, scores: RunScores, claim: Claim) -> ReproducedScore:
    measure = _measure(number)
    if measure not in scores.by_topic:
        return ReproducedScore(number, None, Verdict.IMPOSSIBLE, claim.note)
    ours = scores.mean(measure)
    if _rounds_to(ours, number):
        note = "printed as P'@10, but is P@10" if number.note == REPRINT else ""
        return ReproducedScore(number, ours, Verdict.EXACT, note)
    answered_mean = scores.mean(measure, scores.answered)
    if f"{number.measure}=" in claim.excused and _rounds_to(answered_mean, number):
        count = len(scores.answered)
        why = f"the mean over the {count} topics that the run has is {answered_mean:.4f}"
        return ReproducedScore(number, ours, Verdict.EXPLAINED, why)
    if f"{number.measure}>" in claim.excused and ours > float(number.value):
        return ReproducedScore(number, ours, Verdict.EXPLAINED, claim.note)
    return ReproducedScore(number, ours, Verdict.DIFFERENT)


def _rounds_to(value: float, number: PublishedScore) -> bool:
    """Whether a value rounds to the printed number, in one step or two.

    trec_eval prints four digits, which the papers rounded to three.
    """
    tolerance = 0.5 * float(f"1e-{number.digits}") + 1e-9
    return any(abs(each - float(number.value)) <= tolerance for each in (value, round(value, 4)))
