"""Several rankings made one: by ranks, or by scores brought to one scale.

A fusion is a ranker like any other, so fusions of fusions are too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Protocol

from porism.errors import PorismError
from porism.index import Filter
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.ranker import Ranker

Scale = Callable[[Sequence[float]], Sequence[float]]
"""Scores of one ranking, best first, brought to a scale that rankings share."""


def min_max(scores: Sequence[float]) -> Sequence[float]:
    """The scores from 0 for the last to 1 for the first; all 1 if they are equal.

    >>> min_max([5.0, 4.0, 1.0])
    [1.0, 0.75, 0.0]
    """
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [1.0 if high == low else (score - low) / (high - low) for score in scores]


def z_scores(scores: Sequence[float]) -> Sequence[float]:
    """The scores by how many standard deviations they are above their mean; 0 if all are equal.

    >>> z_scores([3.0, 1.0])
    [1.0, -1.0]
    """
    if not scores:
        return []
    mean, deviation = fmean(scores), pstdev(scores)
    return [0.0 if deviation == 0 else (score - mean) / deviation for score in scores]


class Combination(Protocol):
    """How the rankings of one topic become one score a document."""

    def scores(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> dict[DocId, float]:
        """A score for every document that any of the rankings has."""
        ...


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """The sum of weight / (``k`` + rank); a document that a ranking lacks gets nothing from it."""

    k: float = 60.0

    def scores(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> dict[DocId, float]:
        total: dict[DocId, float] = defaultdict(float)
        for ranking, weight in zip(rankings, weights, strict=True):
            for rank, hit in enumerate(ranking, start=1):
                total[hit.doc_id] += weight / (self.k + rank)
        return total


@dataclass(frozen=True, slots=True)
class CombSum:
    """The weighted sum of scaled scores: CombSUM or, with weights, the linear combination.

    A document that a ranking lacks counts 0, or as its last one does if that is below.
    """

    scale: Scale = min_max

    def scores(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> dict[DocId, float]:
        total: dict[DocId, float] = dict.fromkeys(_found(rankings), 0.0)
        for ranking, weight in zip(rankings, weights, strict=True):
            scaled = self.scale([hit.score for hit in ranking])
            known = {hit.doc_id: score for hit, score in zip(ranking, scaled, strict=True)}
            lowest = min((0.0, *scaled))
            for doc_id in total:
                total[doc_id] += weight * known.get(doc_id, lowest)
        return total


@dataclass(frozen=True, slots=True)
class CombMnz:
    """``CombSum`` multiplied by how many of the rankings have the document."""

    scale: Scale = min_max

    def scores(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> dict[DocId, float]:
        votes: dict[DocId, int] = defaultdict(int)
        for ranking in rankings:
            for hit in ranking:
                votes[hit.doc_id] += 1
        summed = CombSum(self.scale).scores(rankings, weights)
        return {doc_id: score * votes[doc_id] for doc_id, score in summed.items()}


def _found(rankings: Sequence[Ranking]) -> list[DocId]:
    return list(dict.fromkeys(hit.doc_id for ranking in rankings for hit in ranking))


@dataclass(frozen=True, slots=True)
class Fuse:
    """The rankings of several systems combined; equal weights if none are given.

    Each system is asked for ``depth`` documents, or for as many as are wanted if that is more.
    """

    rankers: tuple[Ranker, ...]
    weights: tuple[float, ...] = ()
    by: Combination = ReciprocalRanks()
    depth: int = 1000

    def __post_init__(self) -> None:
        if self.weights and len(self.weights) != len(self.rankers):
            raise PorismError(
                f"{len(self.rankers)} systems to fuse and {len(self.weights)} weights: "
                "give one weight to each, or none"
            )

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        rankings = [ranker.rank(topic, max(k, self.depth), where) for ranker in self.rankers]
        weights = self.weights or (1.0,) * len(rankings)
        places = {hit.doc_id: hit.post_id for ranking in rankings for hit in ranking}
        scores = self.by.scores(rankings, weights)
        return ranked(Hit(doc_id, scores[doc_id], places[doc_id]) for doc_id in scores)[:k]
