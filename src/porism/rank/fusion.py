"""Fusion of several rankings into one: by ranks, or by scores brought to one scale.

A fusion is a ranker, so it can be fused again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Protocol

from porism.errors import PorismError
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.explanations import Explanation, scaled, summed
from porism.rank.ranker import Ranker, joined_tokens

TINY = 1e-30
"""A score below it is 0, lowered to keep an order: its parts explain nothing."""

Scale = Callable[[Sequence[float]], Sequence[float]]
"""Scores of one ranking, best first, brought to a scale that rankings share."""


def min_max(scores: Sequence[float]) -> Sequence[float]:
    """Scale scores from 0 for the last to 1 for the first; all are 1 if they are equal.

    >>> min_max([5.0, 4.0, 1.0])
    [1.0, 0.75, 0.0]
    """
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [1.0 if high == low else (score - low) / (high - low) for score in scores]


def z_scores(scores: Sequence[float]) -> Sequence[float]:
    """Return the standard deviations that scores are above their mean; 0 if all are equal.

    >>> z_scores([3.0, 1.0])
    [1.0, -1.0]
    """
    if not scores:
        return []
    mean, deviation = fmean(scores), pstdev(scores)
    return [0.0 if deviation == 0 else (score - mean) / deviation for score in scores]


class Combination(Protocol):
    """How the rankings of one topic become one score a document."""

    def contributions(
        self, rankings: Sequence[Ranking], weights: Sequence[float]
    ) -> Sequence[Mapping[DocId, float]]:
        """Return what each ranking adds to the scores of documents; a missing document gets 0."""
        ...


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """The sum of weight / (``k`` + rank); a document that a ranking lacks gets nothing from it."""

    k: float = 60.0

    def contributions(
        self, rankings: Sequence[Ranking], weights: Sequence[float]
    ) -> Sequence[Mapping[DocId, float]]:
        return [
            {hit.doc_id: weight / (self.k + rank) for rank, hit in enumerate(ranking, start=1)}
            for ranking, weight in zip(rankings, weights, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class CombSum:
    """The weighted sum of scaled scores: CombSUM or, with weights, the linear combination.

    A document that a ranking lacks counts 0, or as its last one does if that is below.
    """

    scale: Scale = min_max

    def contributions(
        self, rankings: Sequence[Ranking], weights: Sequence[float]
    ) -> Sequence[Mapping[DocId, float]]:
        doc_ids = list(dict.fromkeys(hit.doc_id for ranking in rankings for hit in ranking))
        added: list[Mapping[DocId, float]] = []
        for ranking, weight in zip(rankings, weights, strict=True):
            values = self.scale([hit.score for hit in ranking])
            known = {hit.doc_id: score for hit, score in zip(ranking, values, strict=True)}
            lowest = min((0.0, *values))
            added.append({doc_id: weight * known.get(doc_id, lowest) for doc_id in doc_ids})
        return added


@dataclass(frozen=True, slots=True)
class CombMnz:
    """``CombSum`` multiplied by the number of rankings that have the document."""

    scale: Scale = min_max

    def contributions(
        self, rankings: Sequence[Ranking], weights: Sequence[float]
    ) -> Sequence[Mapping[DocId, float]]:
        number = Counter(hit.doc_id for ranking in rankings for hit in ranking)
        return [
            {doc_id: score * number[doc_id] for doc_id, score in added.items()}
            for added in CombSum(self.scale).contributions(rankings, weights)
        ]


def combined_ranking(
    rankings: Sequence[Ranking], by: Combination, weights: Sequence[float] = ()
) -> Ranking:
    """Return all documents of some rankings by what these add to their scores.

    >>> one, other = (Hit("a", 9.0),), (Hit("b", 1.0),)
    >>> [hit.doc_id for hit in combined_ranking([one, other], ReciprocalRanks(), [1.0, 2.0])]
    ['b', 'a']
    """
    scores: dict[DocId, float] = defaultdict(float)
    for added in by.contributions(rankings, weights or [1.0] * len(rankings)):
        for doc_id, score in added.items():
            scores[doc_id] += score
    posts = {hit.doc_id: hit.post_id for ranking in rankings for hit in ranking}
    return ranked(Hit(doc_id, scores[doc_id], posts[doc_id]) for doc_id in scores)


@dataclass(frozen=True, slots=True)
class Fuse:
    """The rankings of several systems combined; equal weights if none are given.

    Each system is asked for ``depth`` documents, or for ``k`` if that is more. Explanations call
    the systems by their ``names``, or else by their numbers.
    """

    rankers: tuple[Ranker, ...]
    weights: tuple[float, ...] = ()
    by: Combination = ReciprocalRanks()
    depth: int = 1000
    names: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.weights and len(self.weights) != len(self.rankers):
            raise PorismError(
                f"{len(self.rankers)} systems to fuse and {len(self.weights)} weights: "
                "give one weight to each, or none"
            )

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return combined_ranking(self._rankings(topic, k, within), self.by, self.weights)[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        rankings = self._rankings(topic, self.depth, within)
        parts = [
            self._explained(number, topic, doc_ids, within, ranking, added)
            for number, (ranking, added) in enumerate(
                zip(rankings, self._contributions(rankings), strict=True)
            )
        ]
        return [summed("fusion", of_document) for of_document in zip(*parts, strict=True)]

    def _explained(
        self,
        number: int,
        topic: Topic,
        doc_ids: Sequence[DocId],
        within: Filter | None,
        ranking: Ranking,
        added: Mapping[DocId, float],
    ) -> Iterator[Explanation]:
        """Yield what one system adds to each document, by the parts of the score that it gave."""
        places = {hit.doc_id: rank for rank, hit in enumerate(ranking, start=1)}
        own = self.rankers[number].explain(topic, doc_ids, within)
        name = self.names[number] if self.names else f"system {number + 1}"
        for doc_id, explained in zip(doc_ids, own, strict=True):
            value = added.get(doc_id, 0.0)
            if doc_id not in places:
                yield Explanation(f"{name}: not found", value)
                continue
            label = f"{name}: rank {places[doc_id]}, score {explained.value:.4f}"
            if abs(explained.value) > TINY and value:
                yield scaled(
                    Explanation(label, explained.value, (explained,)), value / explained.value
                )
            else:
                yield Explanation(label, value)

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return joined_tokens(self.rankers, topic)

    def _rankings(self, topic: Topic, k: int, within: Filter | None) -> list[Ranking]:
        return [ranker.rank(topic, max(k, self.depth), within) for ranker in self.rankers]

    def _contributions(self, rankings: Sequence[Ranking]) -> Sequence[Mapping[DocId, float]]:
        return self.by.contributions(rankings, self.weights or (1.0,) * len(rankings))
