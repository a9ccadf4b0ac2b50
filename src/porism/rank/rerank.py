"""The second stage: the first documents of a ranking scored again, by what is too slow for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.explanations import (
    NOT_FOUND,
    Explanation,
    scaled,
    summed,
    with_tie_break,
)
from porism.rank.ranker import Ranker, best_hits, hits_by_id

Scores = NDArray[np.float64]


class Scorer(Protocol):
    """A feature of documents that a first stage found."""

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        """Return a score for each hit, larger for better."""
        ...

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        """Explain the score of each hit; ``explained_values`` does for a score without parts.

        A hit that it gave no score of its own is ``NOT_SCORED``, and is explained as one of the
        rest.
        """
        ...


NOT_SCORED = Explanation("not scored again", 0.0)


def explained_values(label: str, scores: Scores) -> list[Explanation]:
    """Return explanations without details: scores under one label."""
    return [Explanation(label, float(score)) for score in scores]


class Combine(Protocol):
    """How the scores of both stages become the ranking."""

    def ranking(self, candidates: Ranking, scores: Scores, rest: Ranking, k: int) -> Ranking:
        """Return the best ``k`` of the candidates, which have new scores, and the rest."""
        ...

    def explain(
        self, score: float, first: Explanation, new: Explanation | None, best: float
    ) -> Explanation:
        """Explain a score by those of the two stages; ``new`` is None for one of the rest.

        ``best`` is the highest score of the first stage.
        """
        ...


@dataclass(frozen=True, slots=True)
class Replace:
    """The new score alone; documents without one follow below, in their order.

    Equal scores keep the order of the first stage or, without ``is_stable``, go by document id as
    in any other ranking.
    """

    is_stable: bool = True

    def ranking(self, candidates: Ranking, scores: Scores, rest: Ranking, k: int) -> Ranking:
        pairs = list(zip(candidates, scores.tolist(), strict=True))
        if self.is_stable:
            pairs.sort(key=lambda pair: -pair[1])
        floor = min((0.0, *(score for _, score in pairs)))
        pairs += ((hit, floor - place) for place, hit in enumerate(rest, start=1))
        if self.is_stable:
            return descending(pairs)[:k]
        return ranked(Hit(hit.doc_id, score, hit.post_id) for hit, score in pairs)[:k]

    def explain(
        self, score: float, first: Explanation, new: Explanation | None, best: float
    ) -> Explanation:
        if new is None:
            return Explanation("below all re-ranked documents, as the first stage has it", score)
        return scaled(new, 1.0, f"{new.label}, in place of the first score {first.value:.4f}")


class FirstScale(StrEnum):
    """What is done to the scores of the first stage before others are added."""

    UNCHANGED = "unchanged"
    BY_BEST = "by-best"
    """They are divided by the highest, because they grow with the length of a topic."""


@dataclass(frozen=True, slots=True)
class Add:
    """The first score plus ``weight`` times the new one; documents without one keep the first."""

    weight: float
    scale: FirstScale = FirstScale.BY_BEST

    def ranking(self, candidates: Ranking, scores: Scores, rest: Ranking, k: int) -> Ranking:
        hits = (*candidates, *rest) if rest else candidates
        if not hits or k < 1:
            return ()
        total = np.array([hit.score for hit in hits]) / self._divisor(hits[0].score)
        total[: len(candidates)] += self.weight * scores
        doc_ids = [hit.doc_id for hit in hits]
        return best_hits(doc_ids, total, k, [hit.post_id for hit in hits])

    def explain(
        self, score: float, first: Explanation, new: Explanation | None, best: float
    ) -> Explanation:
        divisor = self._divisor(best)
        label = f"{first.label}, divided by the best score {best:.4f}" if divisor != 1 else None
        parts = [scaled(first, 1 / divisor, label)]
        if new is not None and new.value:
            parts.append(scaled(new, self.weight, f"{new.label}, weight {self.weight:g}"))
        return summed("first stage and re-ranking", parts)

    def _divisor(self, best: float) -> float:
        return best if self.scale is FirstScale.BY_BEST and best > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Multiply:
    """The first score times the new one, each at least 0; documents without one follow below."""

    def ranking(self, candidates: Ranking, scores: Scores, rest: Ranking, k: int) -> Ranking:
        products = np.maximum([hit.score for hit in candidates], 0.0) * np.maximum(scores, 0.0)
        return Replace().ranking(candidates, products, rest, k)

    def explain(
        self, score: float, first: Explanation, new: Explanation | None, best: float
    ) -> Explanation:
        if new is None:
            return Replace().explain(score, first, new, best)
        factor = max(first.value, 0.0) if new.value > 0 else 0.0
        return scaled(new, factor, f"{new.label}, {new.value:.4f} × {factor:.4f} ({first.label})")


@dataclass(frozen=True, slots=True)
class Rerank:
    """The first ``depth`` documents of a ranker, scored again, and the rest of its ranking.

    If the first stage returns more than it is asked for, all of that is scored again. With
    ``is_prefix_stable`` the first stage is known to return no more, and the same documents first
    for any number; so it is asked only once.
    """

    first: Ranker
    scorer: Scorer
    depth: int = 1000
    combine: Combine = Replace()
    is_prefix_stable: bool = False

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        candidates, rest = self._candidates(topic, k, within)
        return self.combine.ranking(candidates, self.scorer.scores(topic, candidates), rest, k)

    def _candidates(self, topic: Topic, k: int, within: Filter | None) -> tuple[Ranking, Ranking]:
        """Return the documents to score again, and those of the first ``k`` that are not."""
        if self.is_prefix_stable:
            hits = self.first.rank(topic, max(k, self.depth), within)
            return hits[: self.depth], hits[self.depth :]
        candidates = self.first.rank(topic, self.depth, within)
        rest: Ranking = ()
        if k > len(candidates) >= self.depth:
            known = {hit.doc_id for hit in candidates}
            deeper = self.first.rank(topic, k, within)
            rest = tuple(hit for hit in deeper if hit.doc_id not in known)
        return candidates, rest

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        final = hits_by_id(self, topic, doc_ids, within)
        candidates = self.first.rank(topic, self.depth, within)
        hits = tuple(hit for hit in candidates if hit.doc_id in final)
        new = {
            hit.doc_id: explained
            for hit, explained in zip(hits, self.scorer.explain(topic, hits), strict=True)
            if explained is not NOT_SCORED
        }
        best = candidates[0].score if candidates else 0.0
        explanations: list[Explanation] = []
        for doc_id, first in zip(doc_ids, self.first.explain(topic, doc_ids, within), strict=True):
            if doc_id in final:
                score = final[doc_id].score
                explained = self.combine.explain(score, first, new.get(doc_id), best)
                explanations.append(with_tie_break(explained, score))
            else:
                explanations.append(NOT_FOUND)
        return explanations

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return self.first.tokens(topic)


def descending(ordered: Sequence[tuple[Hit, float]]) -> Ranking:
    """Return the hits in the order given, with scores that fall strictly, so no tie reorders them.

    A score is kept if it is below the one before, and else becomes the next smaller number that a
    run can hold.

    >>> [hit.score for hit in descending([(Hit("a", 0), 1.0), (Hit("b", 0), 1.0)])]
    [1.0, 0.9999999403953552]
    """
    hits: list[Hit] = []
    last = np.float32(np.inf)
    for hit, score in ordered:
        last = min(np.float32(score), np.nextafter(last, np.float32(-np.inf)))
        hits.append(Hit(hit.doc_id, float(last), hit.post_id))
    return ranked(hits)
