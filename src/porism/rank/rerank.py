"""The first documents of a ranking in a new order, by what is too costly to ask of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from porism.index import Filter
from porism.model import Hit, Ranking, Topic, ranked
from porism.rank.ranker import Ranker


class Scorer(Protocol):
    """New scores for documents that a first ranking found."""

    def scores(self, topic: Topic, hits: Ranking) -> Sequence[float]:
        """One score for each hit, larger for better."""
        ...


@dataclass(frozen=True, slots=True)
class Rerank:
    """The first ``depth`` documents of a ranker in the order of new scores, the rest below them.

    Equal new scores leave the order of the first ranking.
    """

    first: Ranker
    scorer: Scorer
    depth: int = 1000

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        found = self.first.rank(topic, max(k, self.depth), where)
        head, tail = found[: self.depth], found[self.depth :]
        scores = self.scorer.scores(topic, head)
        order = sorted(range(len(head)), key=lambda place: (-scores[place], place))
        ordered = [(head[place], scores[place]) for place in order]
        bottom = ordered[-1][1] if ordered else 0.0
        ordered += [(hit, bottom - 1.0) for hit in tail]
        return descending(ordered)[:k]


def descending(ordered: Sequence[tuple[Hit, float]]) -> Ranking:
    """The hits in the order given, with scores that fall strictly, so that no tie reorders them.

    A score is kept where it is below the one before, and else becomes the next smaller number
    that a run can hold.

    >>> [hit.score for hit in descending([(Hit("a", 0), 1.0), (Hit("b", 0), 1.0)])]
    [1.0, 0.9999999403953552]
    """
    hits: list[Hit] = []
    last = np.float32(np.inf)
    for hit, score in ordered:
        last = min(np.float32(score), np.nextafter(last, np.float32(-np.inf)))
        hits.append(Hit(hit.doc_id, float(last), hit.post_id))
    return ranked(hits)
