"""Published runs scored again, and what the papers print beside it.

A run is known by its file's name: the public ones by a list, others by the lab's convention
``TEAM-task1-RUN-auto-both-P.tsv``. Runs and judgments may lie anywhere in the folders that are
looked through.
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
from porism.evaluate.formulas import by_visual_id
from porism.evaluate.inputs import ScoredRun, as_scored
from porism.evaluate.records import RunScores
from porism.evaluate.scoring import RunScorer
from porism.evaluate.short_answers.manual_measures import evaluate_answers, evaluate_first_results
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
"""The file, without its ending, that says which answer each run of Task 3 gave."""


class Verdict(StrEnum):
    """How our number stands to the printed one."""

    EXACT = "exact"
    EXPLAINED = "explained"
    DIFFERENT = "different"
    IMPOSSIBLE = "cannot be computed"
    ABSENT = "no run at hand"


@dataclass(frozen=True, slots=True)
class ReproducedScore:
    """A printed number, ours to all digits (None if it cannot be computed), and what to know."""

    published: PublishedScore
    ours: float | None
    verdict: Verdict
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours, rounded to as many digits, less the printed number."""
        if self.ours is None:
            return None
        digits = self.published.digits
        return round(round(self.ours, digits) - float(self.published.value), digits)


class Claim(NamedTuple):
    """A file, the numbers that papers print for it, and which of them are excused, and why."""

    path: Path
    qrels: Path
    numbers: tuple[PublishedScore, ...]
    excused: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class AvailableFiles:
    """Files by their names without endings; of two with one name the first in order counts."""

    files: Mapping[str, Path]
    formulas: Callable[[], Iterable[FormulaIds]] | None = field(default=None, repr=False)

    def qrels(self, task: int, year: int) -> Path | None:
        """The judgments by which the lab scored a task of a year."""
        names = (f"qrel_task{task}_{year}_official", f"qrel_task{task}_{year}_visual_id_v3")
        more = (f"qrel_task{task}_{year}_visual_id_v2", f"qrel_task{task}_{year}")
        return next((self.files[name] for name in (*names, *more) if name in self.files), None)


def files_in(folders: Sequence[Path]) -> dict[str, Path]:
    """All files of folders and what is below them, by their names without endings."""
    found: dict[str, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise PorismError(f"{folder} is no folder: expected one with runs and judgments")
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                found.setdefault(file_stem(path), path)
    return found


def reproduce(at_hand: AvailableFiles) -> Iterator[ReproducedScore]:
    """Every printed number of a run that is at hand, in the order of the papers."""
    found = {**_answers(at_hand), **_rankings(at_hand)}
    for number in read_published():
        yield found.get(number) or ReproducedScore(number, None, Verdict.ABSENT)


def claims(at_hand: AvailableFiles) -> list[Claim]:
    """The files that are runs of Tasks 1 and 2 with published numbers."""
    found: list[Claim] = []
    listed = read_known_runs()
    for known in listed:
        path, qrels = at_hand.files.get(known.file), at_hand.files.get(file_stem(Path(known.qrels)))
        if known.task != 3 and path is not None and qrels is not None:
            found.append(Claim(path, qrels, scores_of_run(known), known.excused, known.note))
    names = {known.file for known in listed}
    for name, path in at_hand.files.items():
        if name not in names:
            found += _by_convention(name, path, at_hand)
    return found


_CONVENTION = re.compile(r"(?P<team>[^-]+)-task(?P<task>[12])-(?P<run>.+?)-(?:auto|manual)-", re.I)


def _by_convention(name: str, path: Path, at_hand: AvailableFiles) -> Iterator[Claim]:
    told = _CONVENTION.match(name)
    if told is None:
        return
    task = int(told["task"])
    for year in (2020, 2021, 2022):
        numbers = tuple(
            number
            for number in read_published()
            # Table 7 of S3 scores the runs of Task 1 as answers.
            if (number.task == task or (number.table == "7" and number.paper == "S3" and task == 1))
            and number.year == year
            and not number.group
            and _folded(number.team) == _folded(told["team"])
            and _folded(number.run) == _folded(told["run"])
        )
        qrels = at_hand.qrels(task, year)
        if numbers and qrels is not None and _speaks_of(path, qrels):
            yield Claim(path, qrels, numbers)


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _speaks_of(path: Path, qrels: Path) -> bool:
    """Whether a run has any of the topics that were judged: files of all years are named alike."""
    return not as_scored(path).scores.keys().isdisjoint(read_qrels(qrels).grades)


def _rankings(at_hand: AvailableFiles) -> dict[PublishedScore, ReproducedScore]:
    """The runs of Tasks 1 and 2, those of the same judgments together."""
    found: dict[PublishedScore, ReproducedScore] = {}
    ordered = sorted(claims(at_hand), key=lambda claim: str(claim.qrels))
    for path, of_qrels in groupby(ordered, lambda claim: claim.qrels):
        together = list(of_qrels)
        qrels = read_qrels(path)
        runs = [as_scored(claim.path) for claim in together]
        shown = _shown(runs, qrels, at_hand)
        printed = {_measure(each) for claim in together for each in claim.numbers if each.task != 3}
        scorer = RunScorer(shown.qrels, sorted(printed))
        for claim, run, shown_run in zip(together, runs, shown.runs, strict=True):
            as_ranking = [each for each in claim.numbers if each.task != 3]
            if shown_run is None:
                why = "the run names formulas: give the files that say how they look"
                found |= {
                    each: ReproducedScore(each, None, Verdict.IMPOSSIBLE, why)
                    for each in as_ranking
                }
            elif as_ranking:
                scores = scorer.scores(shown_run)
                told = _excusing_judged_lines(claim, shown_run, shown.qrels)
                found |= {each: _compared(each, scores, told) for each in as_ranking}
            as_answers = [each for each in claim.numbers if each.task == 3]
            if as_answers:
                (scores,) = evaluate_first_results([run], qrels).runs
                found |= {each: _compared(each, scores, claim) for each in as_answers}
    return found


def _measure(number: PublishedScore) -> str:
    """What a number is of, which is not always what it is printed as."""
    return "P@10" if number.note == REPRINT else number.measure


class _Shown(NamedTuple):
    """Runs as they are scored, None where their formulas would have to be known, and judgments."""

    runs: tuple[ScoredRun | None, ...]
    qrels: Qrels


def _shown(runs: Sequence[ScoredRun], qrels: Qrels, at_hand: AvailableFiles) -> _Shown:
    if not any(run.form is RunForm.TASK2 for run in runs):
        return _Shown(tuple(runs), qrels)
    if at_hand.formulas is None:
        return _Shown(tuple(None if run.form is RunForm.TASK2 else run for run in runs), qrels)
    found = by_visual_id(runs, qrels, at_hand.formulas())
    return _Shown(found.runs, found.qrels)


def _excusing_judged_lines(claim: Claim, run: ScoredRun, qrels: Qrels) -> Claim:
    """The claim, with P@10 excused if the file holds nothing but judged documents."""
    if claim.note or not all(
        of.keys() <= qrels.grades.get(topic, {}).keys() for topic, of in run.scores.items()
    ):
        return claim
    why = "the file holds only judged documents, so that P@10 cannot be computed"
    return claim._replace(excused=("P@10>",), note=why)


def _answers(at_hand: AvailableFiles) -> dict[PublishedScore, ReproducedScore]:
    """The runs of Task 3, of which only the judgments are public."""
    answers = at_hand.files.get(ANSWER_MAP)
    known = [each for each in read_known_runs() if each.task == 3]
    qrels = at_hand.files.get(file_stem(Path(known[0].qrels)))
    if answers is None or qrels is None:
        return {}
    scored = {run.run: run for run in evaluate_answers(qrels, read_answer_ids(answers)).runs}
    found: dict[PublishedScore, ReproducedScore] = {}
    for run in known:
        if run.file in scored:
            claim = Claim(answers, qrels, tuple(_of_answers(run)), note=run.note)
            found |= {each: _compared(each, scored[run.file], claim) for each in claim.numbers}
    return found


def _of_answers(run: KnownRun) -> list[PublishedScore]:
    return [number for number in scores_of_run(run) if number.table == "5"]


def _compared(number: PublishedScore, scores: RunScores, claim: Claim) -> ReproducedScore:
    measure = _measure(number)
    if measure not in scores.by_topic:
        return ReproducedScore(number, None, Verdict.IMPOSSIBLE, claim.note)
    ours = scores.mean(measure)
    if _rounds_to(ours, number):
        reprinted = "printed as P'@10, but is P@10" if number.note == REPRINT else ""
        return ReproducedScore(number, ours, Verdict.EXACT, reprinted)
    of_answered = scores.mean(measure, scores.answered)
    if f"{number.measure}=" in claim.excused and _rounds_to(of_answered, number):
        count = len(scores.answered)
        why = f"the mean over the {count} topics that the run has is {of_answered:.4f}"
        return ReproducedScore(number, ours, Verdict.EXPLAINED, why)
    if f"{number.measure}>" in claim.excused and ours > float(number.value):
        return ReproducedScore(number, ours, Verdict.EXPLAINED, claim.note)
    return ReproducedScore(number, ours, Verdict.DIFFERENT)


def _rounds_to(value: float, number: PublishedScore) -> bool:
    """Whether a value is the printed number, however a five at the end was rounded.

    trec_eval prints four digits, of which the papers then made three.
    """
    nearest = 0.5 * float(f"1e-{number.digits}") + 1e-9
    return any(abs(each - float(number.value)) <= nearest for each in (value, round(value, 4)))
