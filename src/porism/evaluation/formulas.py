"""Task 2: runs rank formula instances, and are scored by visual id.

S1 section 5.5, S3 section 5.5: each instance is replaced by its visual id, keeping the best score
of each visual id; the grade of a visual id is the highest of its instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from porism.errors import PorismError
from porism.evaluation.inputs import ScoredRun
from porism.evaluation.scoring import codes_of
from porism.formats.formula_ids import FormulaIds
from porism.formats.runs import RunForm
from porism.model import DocId, Hit, Qrels, Run, TopicId, ranked

MIN_KNOWN_SHARE = 0.02
"""Minimum share of known formulas of a run, or of known judged visual ids; with fewer, the files do
not belong together. It is low because a map may have only judged formulas, which is all that primed
measures need, and a collection may be a part of the lab's."""

MIN_JUDGED_SHARE = 0.5
"""Minimum share of known formulas in judgments by formula: judgments of others are lost."""


class RunIds(StrEnum):
    """The kind of document ids in a run of Task 2."""

    AUTO = "auto"
    FORMULA = "formula"
    VISUAL = "visual"


@dataclass(frozen=True, slots=True)
class ByVisualId:
    """Runs and judgments by visual id, the visual ids by formula, and notes for the user.

    ``named_formulas`` says for each run whether its documents were formulas, not visual ids.
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
    """Runs and judgments by visual id, in the version of visual ids that the judgments have.

    ``known`` may be long and is read once. Judgments are by visual id or by formula, whichever more
    of them are known as. Runs in the lab's format name formulas; others are taken to name whichever
    has more judged documents, unless ``ids`` is given.
    """
    lookup = _FormulaLookup(runs, qrels, known)
    notes: list[str] = []
    if lookup.are_judged_by_formula:
        notes += lookup.check_share("the judgments", lookup.judged, MIN_JUDGED_SHARE)
        qrels = visual_qrels(qrels, lookup.visual_ids)
        notes.append("judged by formula: a visual id has the highest grade of its formulas")
    else:
        _refuse_first_numbering(lookup)
        lookup.check_judged_visual_ids()
    if lookup.is_old:
        notes.append("the judgments have visual ids of the second version (old_visual_id)")
    mapped = []
    named: list[bool] = []
    for run in runs:
        by_id = _with_visual_ids(run, lookup.visual_ids)
        names_formulas = ids is RunIds.FORMULA or (
            ids is RunIds.AUTO and (run.form is RunForm.TASK2 or _is_likelier(by_id, run, qrels))
        )
        if names_formulas:
            notes += lookup.check_share(run.name, _documents(run))
        else:
            notes.append(f"{run.name} is assumed to name visual ids, not formulas")
        mapped.append(by_id if names_formulas else run)
        named.append(names_formulas)
    return ByVisualId(tuple(mapped), qrels, lookup.visual_ids, tuple(notes), tuple(named))


class _FormulaLookup:
    """The visual ids of the formulas in runs and judgments."""

    def __init__(
        self, runs: Sequence[ScoredRun], qrels: Qrels, known: Iterable[FormulaIds]
    ) -> None:
        self.judged = {doc_id for topic_grades in qrels.grades.values() for doc_id in topic_grades}
        named = self.judged.union(*map(_documents, runs))
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
            if formula_id in named:
                current[formula_id] = visual_id
                old[formula_id] = old_visual_id or visual_id
        seen_formulas = len(self.judged & current.keys())
        self.are_judged_by_formula = seen_formulas > max(len(seen_current), len(seen_old))
        self.is_old = not self.are_judged_by_formula and len(seen_old) > len(seen_current)
        chosen = old if self.is_old else current
        self.visual_ids = {formula: visual for formula, visual in chosen.items() if visual}
        self._seen = max(len(seen_current), len(seen_old))

    def check_judged_visual_ids(self) -> None:
        """Raise if hardly any of the judged visual ids are known."""
        if self._seen < MIN_KNOWN_SHARE * len(self.judged):
            raise PorismError(
                f"{self._seen:,} of {len(self.judged):,} visual ids of the judgments occur among "
                f"the {self.number:,} known formulas: expected most; are both of the same version "
                "of the collection?"
            )

    def check_share(
        self, what: str, named: set[DocId], min_share: float = MIN_KNOWN_SHARE
    ) -> list[str]:
        """Raise if too few of the named formulas are known; return a note if not all are."""
        count = len(named & self.visual_ids.keys())
        note = (
            f"{count:,} of {len(named):,} formulas of {what} occur among the {self.number:,} "
            "formulas with known visual ids"
        )
        if count < min_share * len(named):
            raise PorismError(
                f"{note}: expected most; use the formula files of the same version of the "
                "collection, or specify that the run has visual ids"
            )
        return [note] if count < len(named) else []


def _refuse_first_numbering(lookup: _FormulaLookup) -> None:
    """The visual ids of 2020's first judgments count from 1 and are not in the collection."""
    numbers = [int(doc_id) for doc_id in lookup.judged if doc_id.isdecimal()]
    is_first = len(numbers) == len(lookup.judged) > 1000 and max(numbers) < 2 * len(numbers)
    if is_first and not lookup.is_map:
        raise PorismError(
            f"the judgments have visual ids from {min(numbers)} to {max(numbers)}, the numbering "
            "of 2020 (v1), which the formula files lack: use the judgments of v2 or v3, or a map "
            "of two columns from formulas to these ids"
        )


def _documents(run: ScoredRun) -> set[DocId]:
    return {doc_id for topic_scores in run.scores.values() for doc_id in topic_scores}


def _is_likelier(by_id: ScoredRun, run: ScoredRun, qrels: Qrels) -> bool:
    """Whether at least as many documents are judged when read as formulas."""
    return _judged_hits(by_id, qrels) >= _judged_hits(run, qrels)


def _judged_hits(run: ScoredRun, qrels: Qrels) -> int:
    return sum(
        len(topic_scores.keys() & qrels.grades.get(topic, {}).keys())
        for topic, topic_scores in run.scores.items()
    )


def _with_visual_ids(run: ScoredRun, visual_ids: Mapping[DocId, DocId]) -> ScoredRun:
    """The run with the best score of each visual id; formulas without one stay, unjudged."""
    scores: dict[TopicId, dict[DocId, float]] = {}
    for topic, topic_scores in run.scores.items():
        best: dict[DocId, float] = {}
        for doc_id, score in topic_scores.items():
            name = _visual_id(doc_id, visual_ids)
            if score > best.get(name, -float("inf")):
                best[name] = score
        scores[topic] = best
    return ScoredRun(run.name, scores, run.form)


def _visual_id(doc_id: DocId, visual_ids: Mapping[DocId, DocId]) -> DocId:
    """The visual id, or else a name that cannot be mistaken for a visual id."""
    return visual_ids.get(doc_id) or DocId(f"formula {doc_id}")


def visual_run(run: Run, visual_ids: Mapping[DocId, DocId]) -> Run:
    """A run by visual id that keeps the post of each visual id's best instance.

    >>> run = Run("a", {"B.1": (Hit("f1", 2.0, "p1"), Hit("f2", 1.0, "p2"))})
    >>> visual_run(run, {"f1": "v", "f2": "v"}).rankings["B.1"]
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
        yield Hit(_visual_id(hit.doc_id, visual_ids), hit.score, hit.post_id)


def visual_qrels(qrels: Qrels, visual_ids: Mapping[DocId, DocId]) -> Qrels:
    """Judgments by visual id, each with the highest grade of its instances.

    The lab's codes count only if there is no grade; formulas without a known visual id are omitted.

    >>> judged = Qrels({"B.1": {"f1": 1, "f2": 3, "f3": 5, "f4": 2}})
    >>> visual_qrels(judged, {"f1": "v", "f2": "v", "f3": "v"}).grades
    {'B.1': {'v': 3}}
    """
    codes = codes_of(qrels)

    def weight(grade: int) -> int:
        return -1 if grade in codes else grade

    grades = {}
    for topic, topic_grades in qrels.grades.items():
        best: dict[DocId, int] = {}
        for doc_id, grade in topic_grades.items():
            name = visual_ids.get(doc_id)
            if name is not None:
                best[name] = max(grade, best.get(name, grade), key=weight)
        grades[topic] = best
    return Qrels(grades)
