"""Scores of documents by slow models: batch by batch, within a time budget, and remembered."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from porism import deadlines
from porism.hashing import text_key
from porism.model import DocId
from porism.rank.explanations import Explanation
from porism.rank.rerank import NOT_SCORED, Scores

BATCH = 16
"""Documents that are scored between two looks at the clock."""

BUDGET = 30.0
"""Seconds of processor time for one topic, in which a cross-encoder of MiniLM's size scores about
a thousand pairs."""

MAX_REMEMBERED = 100_000
"""Scores that are remembered: explanations and further pages of results ask for the same ones."""

KnownScores = dict[DocId, float | None]
"""Scores by document, None for one that time did not suffice for."""

BatchScores = Callable[[Sequence[DocId]], Sequence[float]]
"""Scores documents, a batch at a time."""


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """Seconds that scoring the documents of one topic may take (None: any), by a clock.

    It measures processor time, as ``deadlines`` does, so a busy machine ranks as an idle one.
    """

    seconds: float | None = BUDGET
    clock: Callable[[], float] = field(default=time.thread_time, repr=False, compare=False)


USUAL_BUDGET = TimeBudget()


@dataclass(slots=True)
class PairScores:
    """The scores of the pairs of query and document that were scored last; threads may share it."""

    limit: int = MAX_REMEMBERED
    _known: OrderedDict[tuple[int, DocId], float | None] = field(
        default_factory=OrderedDict, init=False
    )
    _lock: Lock = field(default_factory=Lock, init=False)

    def scored(
        self, query: str, doc_ids: Sequence[DocId], batch_scores: BatchScores, budget: TimeBudget
    ) -> KnownScores:
        """Return the scores of documents, of which new ones are scored in order, as time permits.

        The clock is read before each batch. What was left before is tried again.
        """
        key = text_key(query)
        known: KnownScores = dict.fromkeys(doc_ids) | self.of(key, doc_ids)
        new = [doc_id for doc_id, score in known.items() if score is None]
        start = budget.clock() if new else 0.0
        for at in range(0, len(new), BATCH):
            if budget.seconds is not None and budget.clock() - start >= budget.seconds:
                break
            deadlines.check()
            batch = new[at : at + BATCH]
            known |= zip(batch, batch_scores(batch), strict=True)
        self.update(key, {doc_id: known[doc_id] for doc_id in new})
        return known

    def left(self, query: str, doc_ids: Sequence[DocId]) -> frozenset[DocId]:
        """Return the documents that time did not suffice for when they were to be scored last."""
        known = self.of(text_key(query), doc_ids)
        return frozenset(doc_id for doc_id, score in known.items() if score is None)

    def of(self, query: int, doc_ids: Sequence[DocId]) -> KnownScores:
        """Return what is known of the documents for the key of a query."""
        with self._lock:
            keys = (key for doc_id in doc_ids if (key := (query, doc_id)) in self._known)
            return {key[1]: self._known[key] for key in keys}

    def update(self, query: int, scores: Mapping[DocId, float | None]) -> None:
        """Remember the scores of documents for the key of a query."""
        with self._lock:
            for doc_id, score in scores.items():
                self._known[query, doc_id] = score
                self._known.move_to_end((query, doc_id))
            while len(self._known) > self.limit:
                self._known.popitem(last=False)


def falling_scores(known: KnownScores, doc_ids: Sequence[DocId]) -> Scores:
    """Return the scores of documents in order; those that were left fall, below all others.

    >>> falling_scores({"a": 2.0, "b": None, "c": 0.5, "d": None}, ["a", "b", "c", "d"]).tolist()
    [2.0, -0.75, 0.5, -1.25]
    """
    lowest = min((score for score in known.values() if score is not None), default=0.0)
    return np.array(
        [
            lowest - 1 - place / len(doc_ids) if (score := known[doc_id]) is None else score
            for place, doc_id in enumerate(doc_ids)
        ]
    )


def explained_scores(known: KnownScores, doc_ids: Sequence[DocId], label: str) -> list[Explanation]:
    """Return the scores of documents under a label; ``NOT_SCORED`` for those that have none."""
    return [
        NOT_SCORED if (score := known.get(doc_id)) is None else Explanation(label, score)
        for doc_id in doc_ids
    ]
