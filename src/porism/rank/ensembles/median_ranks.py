"""Median ranks: documents by the median of the places that several rankings give them.

This is how MIRMU fused runs in 2020 ("IBC", by the team's own script). A place counts from 0, and a
document that a ranking lacks among its first ``depth`` has the place ``depth``. The score is
``(depth - median) / depth``. Of equal scores, the document in more rankings comes first; then the
one with the better "striped" place: documents in the order of their ids take in turn the place in
the first, the second, ... of the rankings that have them, so that every ranking decides its share
of the ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic
from porism.rank.explanations import NOT_FOUND, Explanation, with_tie_break
from porism.rank.ranker import Ranker, joined_tokens
from porism.rank.rerank import descending

DEPTH = 1000
"""How many documents of each ranking count."""


def fused_by_median(rankings: Sequence[Ranking], depth: int = DEPTH) -> Ranking:
    """Return all documents of some rankings by their median places.

    >>> one = (Hit("a", 3.0), Hit("b", 2.0), Hit("c", 1.0))
    >>> other = (Hit("c", 9.0), Hit("b", 8.0))
    >>> [hit.doc_id for hit in fused_by_median([one, other], depth=10)]
    ['b', 'c', 'a']
    """
    places = _places(rankings, depth)
    posts = {hit.doc_id: hit.post_id for ranking in rankings for hit in ranking[:depth]}
    ordered = sorted(
        (
            (
                _score(known, len(rankings), depth),
                len(known),
                depth - list(known.values())[number % len(known)],
                doc_id,
            )
            for number, (doc_id, known) in enumerate(sorted(places.items()))
        ),
        reverse=True,
    )
    return descending(
        [(Hit(doc_id, score, posts[doc_id]), score) for score, _, _, doc_id in ordered]
    )


def _places(rankings: Sequence[Ranking], depth: int) -> dict[DocId, dict[int, int]]:
    """Return the place of each document by the number of the ranking, for those that have it."""
    places: dict[DocId, dict[int, int]] = {}
    for number, ranking in enumerate(rankings):
        for place, hit in enumerate(ranking[:depth]):
            places.setdefault(hit.doc_id, {})[number] = place
    return places


def _score(known: dict[int, int], rankings: int, depth: int) -> float:
    absent = [depth] * (rankings - len(known))
    return (depth - median([*known.values(), *absent])) / depth


@dataclass(frozen=True, slots=True)
class MedianRanks:
    """Several systems by the median places of documents; explanations use their ``names``."""

    rankers: tuple[Ranker, ...]
    names: tuple[str, ...]
    depth: int = DEPTH

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return fused_by_median(self._rankings(topic, within), self.depth)[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        rankings = self._rankings(topic, within)
        places = _places(rankings, self.depth)
        scores = {hit.doc_id: hit.score for hit in fused_by_median(rankings, self.depth)}
        return [
            with_tie_break(self._explained(places[doc_id]), scores[doc_id])
            if doc_id in places
            else NOT_FOUND
            for doc_id in doc_ids
        ]

    def _explained(self, known: dict[int, int]) -> Explanation:
        ranks = ", ".join(
            f"{name} {known[number] + 1 if number in known else 'not found'}"
            for number, name in enumerate(self.names)
        )
        return Explanation(
            f"median rank ({ranks}), from 1 for the first to 0 for rank {self.depth:,}",
            _score(known, len(self.rankers), self.depth),
        )

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return joined_tokens(self.rankers, topic)

    def _rankings(self, topic: Topic, within: Filter | None) -> list[Ranking]:
        return [ranker.rank(topic, self.depth, within) for ranker in self.rankers]
