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
from pathlib import Path
from typing import NamedTuple

from porism.errors import PorismError
from porism.evaluate.formulas import by_visual_id
from porism.evaluate.inputs import ScoredRun, as_scored
from porism.evaluate.records import RunScores
from porism.evaluate.scoring import Scorer
from porism.evaluate.short_answers.grading import evaluate_answers, evaluate_first_results
from porism.formats.formula_ids import FormulaIds
from porism.formats.qrels import read_answer_ids, read_qrels
from porism.formats.runs import RunForm
from porism.formats.text_lines import name_of
from porism.lab.published import (
    REPRINT,
    KnownRun,
    Published,
    numbers_of,
    read_known_runs,
    read_published,
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
class Reproduced:
    """A printed number, ours to all digits (None if it cannot be computed), and what to know."""

    published: Published
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
    """A file, and the numbers that papers print for it, with what is known of their differences."""

    path: Path
    qrels: Path
    numbers: tuple[Published, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class AtHand:
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
                found.setdefault(name_of(path), path)
    return found


def reproduce(at_hand: AtHand) -> Iterator[Reproduced]:
    """Every printed number of a run that is at hand, in the order of the papers."""
    found = {**_answers(at_hand), **_rankings(at_hand)}
    for number in read_published():
        yield found.get(number) or Reproduced(number, None, Verdict.ABSENT)


def claims(at_hand: AtHand) -> list[Claim]:
    """The files that are runs of Tasks 1 and 2 with published numbers."""
    found: list[Claim] = []
    listed = read_known_runs()
    for known in listed:
        path, qrels = at_hand.files.get(known.file), at_hand.files.get(name_of(Path(known.qrels)))
        if known.task != 3 and path is not None and qrels is not None:
            found.append(Claim(path, qrels, numbers_of(known), known.note))
    names = {known.file for known in listed}
    for name, path in at_hand.files.items():
        if name not in names:
            found += _by_convention(name, path, at_hand)
    return found


_CONVENTION = re.compile(r"(?P<team>[^-]+)-task(?P<task>[12])-(?P<run>.+?)-(?:auto|manual)-", re.I)


def _by_convention(name: str, path: Path, at_hand: AtHand) -> Iterator[Claim]:
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


def _rankings(at_hand: AtHand) -> dict[Published, Reproduced]:
    found: dict[Published, Reproduced] = {}
    for claim in claims(at_hand):
        as_answers = [number for number in claim.numbers if number.task == 3]
        as_ranking = [number for number in claim.numbers if number.task != 3]
        if as_ranking:
            found |= _as_ranking(claim, as_ranking, at_hand)
        if as_answers:
            (scores,) = evaluate_first_results([as_scored(claim.path)], claim.qrels).runs
            found |= {
                each: _compared(each, each.measure, scores, claim.note) for each in as_answers
            }
    return found


def _as_ranking(
    claim: Claim, numbers: Sequence[Published], at_hand: AtHand
) -> dict[Published, Reproduced]:
    run, qrels = as_scored(claim.path), read_qrels(claim.qrels)
    if run.form is RunForm.TASK2:
        if at_hand.formulas is None:
            why = "the run names formulas: give the files that say how they look"
            return {each: Reproduced(each, None, Verdict.IMPOSSIBLE, why) for each in numbers}
        shown = by_visual_id([run], qrels, at_hand.formulas())
        run, qrels = shown.runs[0], shown.qrels
    measures = {number: "P@10" if number.note == REPRINT else number.measure for number in numbers}
    scores = Scorer(qrels, list(measures.values())).scores(run)
    note = claim.note or _judged_lines_only(run, qrels)
    return {each: _compared(each, measure, scores, note) for each, measure in measures.items()}


def _judged_lines_only(run: ScoredRun, qrels: Qrels) -> str:
    if all(of.keys() <= qrels.grades.get(topic, {}).keys() for topic, of in run.scores.items()):
        return "the file holds only judged documents, so that P@10 cannot be computed"
    return ""


def _answers(at_hand: AtHand) -> dict[Published, Reproduced]:
    """The runs of Task 3, of which only the judgments are public."""
    answers = at_hand.files.get(ANSWER_MAP)
    known = [each for each in read_known_runs() if each.task == 3]
    qrels = at_hand.files.get(name_of(Path(known[0].qrels)))
    if answers is None or qrels is None:
        return {}
    scored = {run.run: run for run in evaluate_answers(qrels, read_answer_ids(answers)).runs}
    return {
        number: _compared(number, number.measure, scored[run.file], run.note)
        for run in known
        if run.file in scored
        for number in _of_answers(run)
    }


def _of_answers(run: KnownRun) -> list[Published]:
    return [number for number in numbers_of(run) if number.table == "5"]


def _compared(number: Published, measure: str, scores: RunScores, note: str) -> Reproduced:
    if measure not in scores.by_topic:
        return Reproduced(number, None, Verdict.IMPOSSIBLE, note)
    ours = scores.mean(measure)
    told = note if number.note != REPRINT else f"printed as P'@10, but is P@10; {note}".rstrip("; ")
    if _rounds_to(ours, number):
        return Reproduced(number, ours, Verdict.EXACT, told if number.note == REPRINT else "")
    of_answered = scores.mean(measure, scores.answered)
    if _rounds_to(of_answered, number):
        count = len(scores.answered)
        why = f"the mean over the {count} topics that the run has is {of_answered:.4f}"
        return Reproduced(number, ours, Verdict.EXPLAINED, why)
    return Reproduced(number, ours, Verdict.EXPLAINED if told else Verdict.DIFFERENT, told)


def _rounds_to(value: float, number: Published) -> bool:
    """Whether a value is the printed number, however a five at the end was rounded.

    trec_eval prints four digits, of which the papers then made three.
    """
    nearest = 0.5 * float(f"1e-{number.digits}") + 1e-9
    return any(abs(each - float(number.value)) <= nearest for each in (value, round(value, 4)))
