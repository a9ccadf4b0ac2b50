"""A second stage of several features: the weighted sum of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from porism.model import Ranking, Topic
from porism.rank.explanations import Explanation, scaled, summed
from porism.rank.rerank import Scorer, Scores


@dataclass(frozen=True, slots=True)
class WeightedScorer:
    """A feature, its name, and its weight."""

    name: str
    scorer: Scorer
    weight: float


@dataclass(frozen=True, slots=True)
class WeightedScorers:
    """The weighted sum of features; those without weight are not computed."""

    parts: tuple[WeightedScorer, ...]

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        return sum(
            (part.weight * part.scorer.scores(topic, hits) for part in self._used),
            np.zeros(len(hits)),
        )

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        by_part = [
            [
                scaled(each, part.weight, f"{each.label}, weight {part.weight:g}")
                for each in part.scorer.explain(topic, hits)
            ]
            for part in self._used
        ]
        return [
            summed("features", (each for each in of_hit if each.value))
            for of_hit in zip(*by_part, strict=True)
        ] or [summed("features", ())] * len(hits)

    @property
    def _used(self) -> list[WeightedScorer]:
        return [part for part in self.parts if part.weight]
