"""Task 2: formulas are ranked by instance, and scored by what they look like.

S1 section 5.5, S3 section 5.5: each instance is replaced by its visual id, of those with the same
visual id the best-scored counts, and the grade of a visual id is the highest of its instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from porism.errors import PorismError
from porism.evaluate.inputs import ScoredRun
from porism.evaluate.scoring import codes_of
from porism.formats.formula_ids import FormulaIds
from porism.formats.runs import RunForm
from porism.model import DocId, Hit, Qrels, Run, TopicId, ranked

FEWEST = 0.02
"""So large a share of the formulas of a run, or of the visual ids that are judged, must be known;
else they are of elsewhere. It is low because a map may be of judged formulas only, which is all
that primed measures need, and a collection may be a part of the lab's."""

FEWEST_JUDGED = 0.5
"""So large a share of formulas that are judged one by one: what is not known is lost."""


class RunIds(StrEnum):
    """What the documents of a run of Task 2 are."""

    AUTO = "auto"
    FORMULA = "formula"
    VISUAL = "visual"


@dataclass(frozen=True, slots=True)
class ByVisualId:
    """Runs and judgments made comparable, the visual ids by formula, and what is to be told.

    ``named_formulas`` says which of the runs named formulas, and not visual ids, before.
    """

    runs: tuple[ScoredRun, ...]
    qrels: Qrels
    visual_ids: Mapping[DocId, DocId]
    notes: tuple[str, ...]
    named_formulas: tuple[bool, ...] = ()


def by_visual_id(
    runs: Sequence[ScoredRun],
    qrels: Qrels,
    known: Iterable[FormulaIds],
    ids: RunIds = RunIds.AUTO,
) -> ByVisualId:
    """Runs and judgments by visual id, of the generation that the judgments have.

    ``known`` may be long and is gone through once. Judgments are by visual id or by formula,
    whichever more of them are found as. Runs in the lab's columns name formulas; others are taken
    for whatever has more of its documents judged, unless ``ids`` says what they name.
    """
    found = _Found(runs, qrels, known)
    notes: list[str] = []
    if found.are_judged_by_formula:
        notes += found.check_share("the judgments", found.judged, FEWEST_JUDGED)
        qrels = visual_qrels(qrels, found.visual_ids)
        notes.append("judged by formula: a visual id has the highest grade of its formulas")
    else:
        _refuse_first_numbering(found)
        found.check_looks()
    if found.is_old:
        notes.append("the judgments have visual ids of the second version (old_visual_id)")
    mapped = []
    named: list[bool] = []
    for run in runs:
        shown = _with_visual_ids(run, found.visual_ids)
        names_formulas = ids is RunIds.FORMULA or (
            ids is RunIds.AUTO and (run.form is RunForm.TASK2 or _is_likelier(shown, run, qrels))
        )
        if names_formulas:
            notes += found.check_share(run.name, _documents(run))
        else:
            notes.append(f"{run.name} was taken to name visual ids, not formulas")
        mapped.append(shown if names_formulas else run)
        named.append(names_formulas)
    return ByVisualId(tuple(mapped), qrels, found.visual_ids, tuple(notes), tuple(named))


class _Found:
    """What a file of formulas says of those that runs and judgments name."""

    def __init__(
        self, runs: Sequence[ScoredRun], qrels: Qrels, known: Iterable[FormulaIds]
    ) -> None:
        self.judged = {doc_id for of_topic in qrels.grades.values() for doc_id in of_topic}
        wanted = self.judged.union(*map(_documents, runs))
        current: dict[DocId, DocId] = {}
        old: dict[DocId, DocId] = {}
        seen_current: set[DocId] = set()
        seen_old: set[DocId] = set()
        self.number = 0
        self.is_map = True
        for formula_id, visual_id, old_visual_id in known:
            self.number += 1
            if visual_id in self.judged:
                seen_current.add(visual_id)
            self.is_map = self.is_map and not old_visual_id
            if old_visual_id in self.judged:
                seen_old.add(old_visual_id)
            if formula_id in wanted:
                current[formula_id] = visual_id
                old[formula_id] = old_visual_id or visual_id
        seen_formulas = len(self.judged & current.keys())
        self.are_judged_by_formula = seen_formulas > max(len(seen_current), len(seen_old))
        self.is_old = not self.are_judged_by_formula and len(seen_old) > len(seen_current)
        chosen = old if self.is_old else current
        self.visual_ids = {formula: visual for formula, visual in chosen.items() if visual}
        self._seen = max(len(seen_current), len(seen_old))

    def check_looks(self) -> None:
        """Refuse judgments by visual id of which next to none is known."""
        if self._seen < FEWEST * len(self.judged):
            raise PorismError(
                f"{self._seen:,} of {len(self.judged):,} visual ids of the judgments are those of "
                f"any of the {self.number:,} formulas that are known: expected most; are they of "
                "the same version of the collection?"
            )

    def check_share(self, what: str, named: set[DocId], fewest: float = FEWEST) -> list[str]:
        """Refuse what names formulas of which too few are known; tell it if they are not all."""
        few = len(named & self.visual_ids.keys())
        told = f"{few:,} of {len(named):,} formulas of {what} are among the {self.number:,} whose "
        if few < fewest * len(named):
            raise PorismError(
                f"{told}visual ids are known: expected most; name the formula files of the same "
                "version of the collection, or say that the run has visual ids"
            )
        return [f"{told}visual ids are known"] if few < len(named) else []


def _refuse_first_numbering(found: _Found) -> None:
    """The visual ids of 2020's first judgments count from 1, and mean nothing in the collection."""
    numbers = [int(doc_id) for doc_id in found.judged if doc_id.isdecimal()]
    is_first = len(numbers) == len(found.judged) > 1000 and max(numbers) < 2 * len(numbers)
    if is_first and not found.is_map:
        raise PorismError(
            f"the judgments have visual ids from {min(numbers)} to {max(numbers)}, the numbering "
            "of 2020 (v1), which the files of formulas do not have: take the judgments of v2 or "
            "v3, or a map of two columns from formulas to these ids"
        )


def _documents(run: ScoredRun) -> set[DocId]:
    return {doc_id for of_topic in run.scores.values() for doc_id in of_topic}


def _is_likelier(shown: ScoredRun, run: ScoredRun, qrels: Qrels) -> bool:
    """Whether more is judged of the documents as formulas than as they are."""
    return _judged_hits(shown, qrels) >= _judged_hits(run, qrels)


def _judged_hits(run: ScoredRun, qrels: Qrels) -> int:
    return sum(
        len(of_topic.keys() & qrels.grades.get(topic, {}).keys())
        for topic, of_topic in run.scores.items()
    )


def _with_visual_ids(run: ScoredRun, visual_ids: Mapping[DocId, DocId]) -> ScoredRun:
    """The best score of each visual id; a formula without one stands for itself, unjudged."""
    scores: dict[TopicId, dict[DocId, float]] = {}
    for topic, of_topic in run.scores.items():
        best: dict[DocId, float] = {}
        for doc_id, score in of_topic.items():
            name = _shown_id(doc_id, visual_ids)
            if score > best.get(name, -float("inf")):
                best[name] = score
        scores[topic] = best
    return ScoredRun(run.name, scores, run.form)


def _shown_id(doc_id: DocId, visual_ids: Mapping[DocId, DocId]) -> DocId:
    """The visual id; a formula that has none must not be taken for what has its number as one."""
    return visual_ids.get(doc_id) or DocId(f"formula {doc_id}")


def visual_run(run: Run, visual_ids: Mapping[DocId, DocId]) -> Run:
    """A run by visual id that still says in which post the best instance of each stands.

    >>> found = Run("a", {"B.1": (Hit("f1", 2.0, "p1"), Hit("f2", 1.0, "p2"))})
    >>> visual_run(found, {"f1": "v", "f2": "v"}).rankings["B.1"]
    (Hit(doc_id='v', score=2.0, post_id='p1'),)
    """
    return Run(
        run.name,
        {
            topic: ranked({hit.doc_id: hit for hit in _named(reversed(hits), visual_ids)}.values())
            for topic, hits in run.rankings.items()
        },
    )


def _named(hits: Iterable[Hit], visual_ids: Mapping[DocId, DocId]) -> Iterator[Hit]:
    for hit in hits:
        yield Hit(_shown_id(hit.doc_id, visual_ids), hit.score, hit.post_id)


def visual_qrels(qrels: Qrels, visual_ids: Mapping[DocId, DocId]) -> Qrels:
    """Judgments by visual id, each with the highest grade of its instances.

    The lab's codes for no judgment count only where there is nothing else; judged formulas of
    which the visual id is not known are left out.

    >>> judged = Qrels({"B.1": {"f1": 1, "f2": 3, "f3": 5, "f4": 2}})
    >>> visual_qrels(judged, {"f1": "v", "f2": "v", "f3": "v"}).grades
    {'B.1': {'v': 3}}
    """
    codes = codes_of(qrels)

    def weight(grade: int) -> int:
        return -1 if grade in codes else grade

    grades = {}
    for topic, of_topic in qrels.grades.items():
        best: dict[DocId, int] = {}
        for doc_id, grade in of_topic.items():
            name = visual_ids.get(doc_id)
            if name is not None:
                best[name] = max(grade, best.get(name, grade), key=weight)
        grades[topic] = best
    return Qrels(grades)
