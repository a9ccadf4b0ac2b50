"""Runs and judgments of Task 2 by visual id, as the collection of an index has them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from porism.collection.store import Collection, StoredInstance
from porism.evaluate.formulas import RunIds, by_visual_id
from porism.evaluate.inputs import ScoredRun, as_scored
from porism.formats.formula_ids import FormulaIds
from porism.model import DocId, Qrels, Run

CACHED_FORMULAS = 1_000_000
"""Of so many formulas the visual ids stay in memory: runs of one system are much alike."""


class CollectionVisualIds:
    """What a collection says of the formulas that judgments and runs name.

    The collection is gone through once, for the judgments; formulas of runs are then looked up.
    ``qrels`` are the judgments by visual id, and ``notes`` say how they were understood.
    """

    def __init__(self, collection: Collection, qrels: Qrels) -> None:
        self._collection = collection
        self._judged = qrels
        self._of_judged: list[FormulaIds] = []
        converted = by_visual_id((), qrels, self._all())
        self.qrels = converted.qrels
        self.notes = converted.notes
        self._ids = lru_cache(CACHED_FORMULAS)(self._looked_up)

    def run(self, run: Run) -> ScoredRun:
        """A run of formulas of the collection with their visual ids instead."""
        named = {hit.doc_id for ranking in run.rankings.values() for hit in ranking}
        known = (*self._of_judged, *map(self._ids, named))
        return by_visual_id((as_scored(run),), self._judged, known, RunIds.FORMULA).runs[0]

    def _looked_up(self, formula_id: str) -> FormulaIds:
        return formula_ids(self._collection.instance(formula_id))

    def _all(self) -> Iterator[FormulaIds]:
        """All formulas; those that the judgments may mean are kept on the way."""
        judged = {doc_id for of_topic in self._judged.grades.values() for doc_id in of_topic}
        seen: set[tuple[str, str]] = set()  # many formulas look alike, and one stands for all
        for ids in map(formula_ids, self._collection.instances()):
            looks = (ids.visual_id, ids.old_visual_id)
            if ids.formula_id in judged or (looks not in seen and not judged.isdisjoint(looks)):
                seen.add(looks)
                self._of_judged.append(ids)
            yield ids


def formula_ids(instance: StoredInstance) -> FormulaIds:
    """The lab's visual ids or, of a formula that has none, ours."""
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
