"""Runs and judgments of Task 2 by visual id, looked up in a collection."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from porism.collection.store import Collection, StoredInstance
from porism.evaluation.formulas import RunIds, by_visual_id
from porism.evaluation.inputs import ScoredRun, as_scored
from porism.formats.formula_ids import FormulaIds
from porism.model import DocId, Qrels, Run

CACHED_FORMULAS = 1_000_000
"""Size of the cache of visual ids, in formulas: runs of one system overlap much."""


class CollectionVisualIds:
    """The visual ids of the formulas that judgments and runs name.

    The collection is scanned once, for the judgments; formulas of runs are then looked up.
    ``qrels`` are the judgments by visual id, ``notes`` tell the user how they were interpreted.
    """

    def __init__(self, collection: Collection, qrels: Qrels) -> None:
        self._collection = collection
        self._judged = qrels
        self._judged_ids: list[FormulaIds] = []
        converted = by_visual_id((), qrels, self._all())
        self.qrels = converted.qrels
        self.notes = converted.notes
        self._ids = lru_cache(CACHED_FORMULAS)(self._lookup)

    def run(self, run: Run) -> ScoredRun:
        """A run over formulas of the collection, by visual id."""
        named = {hit.doc_id for ranking in run.rankings.values() for hit in ranking}
        known = (*self._judged_ids, *map(self._ids, named))
        return by_visual_id((as_scored(run),), self._judged, known, RunIds.FORMULA).runs[0]

    def _lookup(self, formula_id: str) -> FormulaIds:
        return formula_ids(self._collection.instance(formula_id))

    def _all(self) -> Iterator[FormulaIds]:
        """All formulas; remembers those that the judgments may name on the way."""
        judged = {
            doc_id for topic_grades in self._judged.grades.values() for doc_id in topic_grades
        }
        seen: set[tuple[str, str]] = set()  # many instances share a visual id: one is enough
        for ids in map(formula_ids, self._collection.instances()):
            visual = (ids.visual_id, ids.old_visual_id)
            if ids.formula_id in judged or (visual not in seen and not judged.isdisjoint(visual)):
                seen.add(visual)
                self._judged_ids.append(ids)
            yield ids


def formula_ids(instance: StoredInstance) -> FormulaIds:
    """The lab's visual ids of a formula, or else ours."""
    return FormulaIds(
        DocId(instance.id),
        DocId(instance.effective_visual_id),
        DocId(instance.old_visual_id),
    )


def judged_in_collection(qrels: Qrels, collection: Collection) -> set[DocId]:
    """The judged formulas that a collection has in its posts, by the ids that the judgments use.

    These may be formula ids, or visual ids of either version, whichever more of them are found as.
    Formulas in comments do not count: they are not indexed.
    """
    judged = {doc_id for of_topic in qrels.grades.values() for doc_id in of_topic}
    matches: tuple[set[DocId], ...] = (set(), set(), set())
    for instance in collection.instances():
        if instance.comment_id is None:
            for doc_id, matched in zip(formula_ids(instance), matches, strict=True):
                if doc_id in judged:
                    matched.add(doc_id)
    return max(matches, key=len)
