"""Scored runs of the explorer, packed so that many fit in memory.

A run keeps the documents and scores of the judged topics, as one string and one array per topic.
Formulas of Task 2 are scored by visual id, with the formula of the run that had each visual id.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from porism.collection.store import Collection
from porism.errors import PorismError
from porism.evaluation.formulas import by_visual_id
from porism.evaluation.inputs import ScoredRun, as_scored
from porism.evaluation.measures import DEFAULT_MEASURES
from porism.evaluation.records import RunScores
from porism.evaluation.scoring import RunScorer, check_topics, is_judged
from porism.formats.formula_ids import FormulaIds
from porism.formats.runs import RunForm
from porism.lab.visual_ids import CACHED_FORMULAS, formula_ids
from porism.model import DocId, Hit, Qrels, TopicId, natural_key, ranked


class RankedHit(NamedTuple):
    """A hit with its rank; ``formula_id`` is the formula of the run with that visual id, if any."""

    rank: int
    doc_id: DocId
    score: float
    formula_id: str


class RunNames(NamedTuple):
    """The key of a run in addresses, and its name for people."""

    key: str
    name: str


class _PackedHits(NamedTuple):
    """The hits of a topic, unordered; ids are separated by line ends."""

    doc_ids: str
    scores: array[float]
    formula_ids: str


@dataclass(frozen=True, slots=True)
class ExplorerRun:
    """A run and its scores; ``key`` and ``name`` as in ``RunNames``."""

    key: str
    name: str
    scores: RunScores
    notes: tuple[str, ...]
    packed_hits: Mapping[TopicId, _PackedHits]

    def hits(self, topic_id: TopicId) -> tuple[RankedHit, ...]:
        """The hits of a topic, best first; none if the run lacks the topic."""
        packed = self.packed_hits.get(topic_id)
        if packed is None:
            return ()
        doc_ids = list(map(DocId, packed.doc_ids.split("\n")))
        formulas = dict(zip(doc_ids, packed.formula_ids.split("\n"), strict=False))
        ranking = ranked(map(Hit, doc_ids, packed.scores))
        return tuple(
            RankedHit(rank, hit.doc_id, hit.score, formulas.get(hit.doc_id, ""))
            for rank, hit in enumerate(ranking, start=1)
        )


class ExplorerJudgments:
    """The grades that runs are scored by, and the visual ids of judged formulas.

    A collection is needed for Task 2 only, and is read once.
    """

    def __init__(self, qrels: Qrels, collection: Collection | None = None) -> None:
        letters = {topic.partition(".")[0] for topic in qrels.grades}
        self.task = 2 if letters == {"B"} else 1
        self.notes: tuple[str, ...] = ()
        self._visual_formulas = None
        if self.task == 2 and collection is not None:
            self._visual_formulas = _VisualFormulas(collection, qrels)
            qrels, self.notes = self._visual_formulas.qrels, self._visual_formulas.notes
        self._qrels = qrels
        self._set_scorer()

    def _set_scorer(self) -> None:
        self._scorer = RunScorer(self._qrels, DEFAULT_MEASURES)
        self.measures = self._scorer.names
        self.grades: Mapping[TopicId, Mapping[DocId, int]] = self._scorer.grades
        self.topics = tuple(sorted(self._scorer.topics, key=natural_key))
        self.scale = tuple(
            sorted({grade for of in self.grades.values() for grade in of.values()}, reverse=True)
        )
        self.ceilings: Mapping[str, float] = self._scorer.ceilings()

    def __getstate__(self) -> dict[str, object]:
        """All but the scorer, which holds compiled objects and is made again."""
        names = ("task", "notes", "_visual_formulas", "_qrels")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._set_scorer()

    def scored_run(self, path: Path, names: RunNames, collection: Collection | None) -> ExplorerRun:
        """The scored run of a file."""
        key, name = names
        default_form = RunForm.TASK2 if self.task == 2 else None
        run = as_scored(path, name, self._scorer.grades, default_form)
        check_topics(run, self.topics)
        formulas: Mapping[TopicId, Mapping[DocId, DocId]] = {}
        notes: tuple[str, ...] = ()
        if self._visual_formulas is not None and collection is not None:
            run, formulas, notes = self._visual_formulas.mapped(run, collection)
        if not is_judged(run, self._scorer.grades):
            notes += ("none of its hits is judged: are its ids from the same collection?",)
        packed = {
            topic: _PackedHits(
                "\n".join(of_topic),
                array("f", of_topic.values()),
                "\n".join(formulas[topic].get(doc_id, "") for doc_id in of_topic)
                if topic in formulas
                else "",
            )
            for topic, of_topic in run.scores.items()
            if of_topic
        }
        return ExplorerRun(key, name, self._scorer.scores(run), notes, packed)


class _Mapped(NamedTuple):
    run: ScoredRun
    formulas: Mapping[TopicId, Mapping[DocId, DocId]]  # the best formula of each visual id
    notes: tuple[str, ...]


class _VisualFormulas:
    """The visual ids of judged formulas, and of those that runs name.

    ``lab.visual_ids`` does the same within one thread for runs whose formulas are all known; here
    runs may name anything, and requests come from any thread.
    """

    def __init__(self, collection: Collection, qrels: Qrels) -> None:
        self._judged = qrels
        self._of_judged: list[FormulaIds] = []
        self._cache: dict[str, FormulaIds | None] = {}
        converted = by_visual_id((), qrels, self._all(collection))
        self.qrels = converted.qrels
        self.notes = converted.notes

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_cache": {}}

    def _all(self, collection: Collection) -> Iterator[FormulaIds]:
        judged = {doc_id for of_topic in self._judged.grades.values() for doc_id in of_topic}
        seen: set[tuple[str, str]] = set()  # one formula represents all with the same visual id
        for ids in map(formula_ids, collection.instances()):
            visual_ids = (ids.visual_id, ids.old_visual_id)
            is_new = visual_ids not in seen and not judged.isdisjoint(visual_ids)
            if ids.formula_id in judged or is_new:
                seen.add(visual_ids)
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
        formulas = {
            topic: _best_formulas(of_topic, converted.visual_ids)
            for topic, of_topic in run.scores.items()
        }
        return _Mapped(converted.runs[0], formulas, notes)

    def _known(self, named: Iterable[str], collection: Collection) -> Iterator[FormulaIds]:
        if len(self._cache) > CACHED_FORMULAS:
            self._cache = {}
        cache = self._cache
        for formula_id in named:
            if formula_id not in cache:
                cache[formula_id] = _ids_of(formula_id, collection)
            ids = cache[formula_id]
            if ids is not None:
                yield ids


def _ids_of(formula_id: str, collection: Collection) -> FormulaIds | None:
    if not collection.has_formula(formula_id):
        return None
    try:
        return formula_ids(collection.instance(formula_id))
    except PorismError:  # a number that is not written as in the collection
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
