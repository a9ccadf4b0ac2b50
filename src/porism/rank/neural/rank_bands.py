"""Re-ranking within bands of ranks: a document never leaves the band that the first stage gave it.

So a scorer that errs can do little harm, least of all at the top, where bands are narrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isclose

from porism.model import Ranking
from porism.rank.explanations import Explanation, summed
from porism.rank.rerank import Scores, descending

BANDS = (0, 4, 8, 12, 16, 32, 64, 128)
"""Where the bands of MIRMU (2022) start and end."""


@dataclass(frozen=True, slots=True)
class RankBands:
    """Each band of the candidates in the order of their new scores, the rest unchanged.

    ``bounds`` are the places, counted from 0, at which a band starts and the one before it ends. A
    document gets the first stage's score of the place that it takes; equal new scores keep the
    order of the first stage.
    """

    bounds: tuple[int, ...] = BANDS

    def ranking(self, candidates: Ranking, scores: Scores, rest: Ranking, k: int) -> Ranking:
        order = list(range(len(candidates)))
        for start, end in pairwise(self.bounds):
            order[start:end] = sorted(order[start:end], key=lambda place: -scores[place])
        moved = [(candidates[place], candidates[at].score) for at, place in enumerate(order)]
        return descending([*moved, *((hit, hit.score) for hit in rest)])[:k]

    def explain(
        self, score: float, first: Explanation, new: Explanation | None, best: float
    ) -> Explanation:
        if isclose(score, first.value, rel_tol=1e-6):
            return first
        reason = "not scored again" if new is None else f"{new.label}, {new.value:.4f}"
        moved = Explanation(f"another place in its band: {reason}", score - first.value)
        return summed("first stage, and order within the band", (first, moved))
