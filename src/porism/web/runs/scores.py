"""Runs held against judgments, and kept so small that many can be looked at.

Of a run stay the documents and scores of the judged topics, as one string and one array a topic.
Formulas of Task 2 are scored by what they look like, and it is kept which formula stood for that.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from porism.collection.store import Collection
from porism.errors import PorismError
from porism.evaluate.formulas import by_visual_id
from porism.evaluate.inputs import ScoredRun, as_scored
from porism.evaluate.measures import DEFAULT_MEASURES
from porism.evaluate.records import RunScores
from porism.evaluate.scoring import RunScorer, check_topics, is_judged
from porism.formats.formula_ids import FormulaIds
from porism.formats.runs import RunForm
from porism.lab.visual_ids import CACHED_FORMULAS, formula_ids
from porism.model import DocId, Hit, Qrels, TopicId, natural_key, ranked


class RankedHit(NamedTuple):
    """A hit with its rank; ``formula_id`` is the formula that a visual id was found by, if any."""

    rank: int
    doc_id: DocId
    score: float
    formula_id: str


class RunNames(NamedTuple):
    """What addresses call a run, and what people call it."""

    key: str
    name: str


class _PackedHits(NamedTuple):
    """The hits of a topic, in no order; ids have no line ends, so these stand between them."""

    doc_ids: str
    scores: array[float]
    formula_ids: str


@dataclass(frozen=True, slots=True)
class ExplorerRun:
    """A run and what it is worth; ``key`` and ``name`` as in ``RunNames``."""

    key: str
    name: str
    scores: RunScores
    notes: tuple[str, ...]
    packed_hits: Mapping[TopicId, _PackedHits]

    def hits(self, topic_id: TopicId) -> tuple[RankedHit, ...]:
        """What it found for a topic, best first; nothing if it lacks the topic."""
        kept = self.packed_hits.get(topic_id)
        if kept is None:
            return ()
        doc_ids = list(map(DocId, kept.doc_ids.split("\n")))
        formulas = dict(zip(doc_ids, kept.formula_ids.split("\n"), strict=False))
        ranking = ranked(map(Hit, doc_ids, kept.scores))
        return tuple(
            RankedHit(rank, hit.doc_id, hit.score, formulas.get(hit.doc_id, ""))
            for rank, hit in enumerate(ranking, start=1)
        )


class ExplorerJudgments:
    """What runs are held against: the grades by topic, and how formulas become what is judged.

    A collection is needed for Task 2 only, and gone through once.
    """

    def __init__(self, qrels: Qrels, collection: Collection | None = None) -> None:
        letters = {topic.partition(".")[0] for topic in qrels.grades}
        self.task = 2 if letters == {"B"} else 1
        self.notes: tuple[str, ...] = ()
        self._looks = None
        if self.task == 2 and collection is not None:
            self._looks = _VisualFormulas(collection, qrels)
            qrels, self.notes = self._looks.qrels, self._looks.notes
        self._scorer = RunScorer(qrels, DEFAULT_MEASURES)
        self.measures = self._scorer.names
        self.grades: Mapping[TopicId, Mapping[DocId, int]] = self._scorer.grades
        self.topics = tuple(sorted(self._scorer.topics, key=natural_key))
        self.scale = tuple(
            sorted({grade for of in self.grades.values() for grade in of.values()}, reverse=True)
        )
        self.ceilings: Mapping[str, float] = self._scorer.ceilings()

    def explored(self, path: Path, names: RunNames, collection: Collection | None) -> ExplorerRun:
        """The run of a file, scored."""
        key, name = names
        otherwise = RunForm.TASK2 if self.task == 2 else None
        run = as_scored(path, name, self._scorer.grades, otherwise)
        check_topics(run, self.topics)
        found_by: Mapping[TopicId, Mapping[DocId, DocId]] = {}
        notes: tuple[str, ...] = ()
        if self._looks is not None and collection is not None:
            run, found_by, notes = self._looks.mapped(run, collection)
        if not is_judged(run, self._scorer.grades):
            notes += ("nothing that it found is judged: are its ids of the same collection?",)
        kept = {
            topic: _PackedHits(
                "\n".join(of_topic),
                array("f", of_topic.values()),
                "\n".join(found_by[topic].get(doc_id, "") for doc_id in of_topic)
                if topic in found_by
                else "",
            )
            for topic, of_topic in run.scores.items()
            if of_topic
        }
        return ExplorerRun(key, name, self._scorer.scores(run), notes, kept)


class _Mapped(NamedTuple):
    run: ScoredRun
    found_by: Mapping[TopicId, Mapping[DocId, DocId]]  # the best formula of each visual id
    notes: tuple[str, ...]


class _VisualFormulas:
    """What a collection says of formulas that are judged, kept, and of those that runs name.

    ``VisualIds`` of the laboratory does the same within one thread and for runs whose formulas are
    all known; here runs come from anybody, and requests from any thread.
    """

    def __init__(self, collection: Collection, qrels: Qrels) -> None:
        self._judged = qrels
        self._of_judged: list[FormulaIds] = []
        self._looked_up: dict[str, FormulaIds | None] = {}
        converted = by_visual_id((), qrels, self._all(collection))
        self.qrels = converted.qrels
        self.notes = converted.notes

    def _all(self, collection: Collection) -> Iterator[FormulaIds]:
        judged = {doc_id for of_topic in self._judged.grades.values() for doc_id in of_topic}
        seen: set[tuple[str, str]] = set()  # many formulas look alike, and one stands for all
        for ids in map(formula_ids, collection.instances()):
            looks = (ids.visual_id, ids.old_visual_id)
            if ids.formula_id in judged or (looks not in seen and not judged.isdisjoint(looks)):
                seen.add(looks)
                self._of_judged.append(ids)
            yield ids

    def mapped(self, run: ScoredRun, collection: Collection) -> _Mapped:
        """The run by visual id, if it names formulas."""
        named = {doc_id for of_topic in run.scores.values() for doc_id in of_topic}
        known = (*self._of_judged, *self._known(named, collection))
        converted = by_visual_id((run,), self._judged, known)
        notes = tuple(note for note in converted.notes if note not in self.notes)
        if not converted.named_formulas[0]:
            return _Mapped(run, {}, notes)
        found_by = {
            topic: _best_formulas(of_topic, converted.visual_ids)
            for topic, of_topic in run.scores.items()
        }
        return _Mapped(converted.runs[0], found_by, notes)

    def _known(self, named: Iterable[str], collection: Collection) -> Iterator[FormulaIds]:
        if len(self._looked_up) > CACHED_FORMULAS:
            self._looked_up = {}
        looked_up = self._looked_up
        for formula_id in named:
            if formula_id not in looked_up:
                looked_up[formula_id] = _ids_of(formula_id, collection)
            ids = looked_up[formula_id]
            if ids is not None:
                yield ids


def _ids_of(formula_id: str, collection: Collection) -> FormulaIds | None:
    if not collection.has_formula(formula_id):
        return None
    try:
        return formula_ids(collection.instance(formula_id))
    except PorismError:  # a number that is written otherwise than in the collection
        return None


def _best_formulas(
    of_topic: Mapping[DocId, float], visual_ids: Mapping[DocId, DocId]
) -> dict[DocId, DocId]:
    """For each visual id the formula with the highest score."""
    best: dict[DocId, DocId] = {}
    for doc_id, score in of_topic.items():
        visual_id = visual_ids.get(doc_id)
        if visual_id and (visual_id not in best or score > of_topic[best[visual_id]]):
            best[visual_id] = doc_id
    return best
