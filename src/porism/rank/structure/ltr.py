"""Learning to rank formulas, after DPRL 2021 and 2022: Tangent-S's candidates by learned weights.

The first ``DEPTH`` formulas of ``tangent-s`` are scored again by a weighted sum of structural
features (see ``pair_features``); the others follow below. The original learned with SVM-rank; here
the weights are fitted by ``porism train ltr``, in a small JSON file:

    {"format": "porism-formula-weights", "version": 1,
     "weights": {"layout edit distance": 1.2, "layout pairs": 0.8, ...},
     "training": {...}}

``training`` records what the weights were learned from, for people. Those that Porism ships are in
``ltr_weights.json``; an index may have its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from porism.errors import PorismError
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import Explanation, summed
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import focus_formulas
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Replace, Rerank, Scores
from porism.rank.structure.pair_features import TREE_FEATURES, Matrix, tree_features
from porism.rank.structure.tangent_s import PAIR_SPECS, TangentS, query_trees
from porism.searchindex.index_folder import SearchIndex

FORMAT = "porism-formula-weights"
VERSION = 1

DEPTH = 1_000
"""Formulas that are scored again. Of the relevant formulas among all candidates of 2020 and 2021,
1,000 have 98.5 %, for a quarter of the time."""


@dataclass(frozen=True, slots=True)
class FormulaWeights:
    """What each feature counts, by its name."""

    weights: Mapping[str, float]
    training: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON

    def record(self) -> dict[str, object]:
        """Return all of it as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "weights": dict(self.weights),
            "training": dict(self.training),
        }


def is_formula_weights(path: Path) -> bool:
    """Whether a file has weights of this format; False too if it cannot be read."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("format") == FORMAT


def read_formula_weights(path: Path) -> FormulaWeights:
    """Read a file of weights."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PorismError(f"{path}: there is no such file; porism train ltr writes one") from None
    except (OSError, ValueError, RecursionError) as error:
        raise PorismError(f"{path}: cannot be read as JSON: {error}") from None
    return parsed_formula_weights(record, str(path))


def parsed_formula_weights(record: object, where: str) -> FormulaWeights:
    """Return the weights in JSON values; ``where`` they are from is named in errors."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise PorismError(f"{where}: not a file of weights ({FORMAT}); porism train ltr writes one")
    if record.get("version") != VERSION:
        raise PorismError(
            f"{where}: has version {record.get('version')!r} of the format, and this Porism reads "
            f"{VERSION}; learn the weights again with porism train ltr"
        )
    weights = record.get("weights")
    if not isinstance(weights, dict) or set(weights) != set(TREE_FEATURES):
        raise PorismError(
            f"{where}: expected a weight for each of the features {', '.join(TREE_FEATURES)}; "
            "learn the weights again with porism train ltr"
        )
    for name, value in weights.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not isfinite(value):
            raise PorismError(f"{where}: weights.{name} is {value!r}: expected a number")
    training = record.get("training", {})
    return FormulaWeights(
        {name: float(weights[name]) for name in TREE_FEATURES},
        training if isinstance(training, dict) else {},
    )


@cache
def shipped_formula_weights() -> FormulaWeights:
    """Return the weights that Porism comes with."""
    source = files("porism.rank.structure").joinpath("ltr_weights.json")
    return parsed_formula_weights(json.loads(source.read_text(encoding="utf-8")), source.name)


def formula_weights(search_index: SearchIndex) -> FormulaWeights:
    """Return the weights that an index was made with, or those that Porism comes with."""
    own = search_index.manifest.formula_weights
    if own is None:
        return shipped_formula_weights()
    return parsed_formula_weights(own, str(search_index.folder))


class CandidateFeatures(Protocol):
    """Features of formulas that a first stage found."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        ...

    def of(self, topic: Topic, visual_ids: Sequence[DocId]) -> Matrix:
        """Return the features of formulas, one row each."""
        ...


@dataclass(frozen=True, slots=True)
class FormulaFeatures:
    """The structural features of the formulas that ``tangent-s`` finds.

    A topic with several formulas has the means of their features.
    """

    search_index: SearchIndex = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return TREE_FEATURES

    def of(self, topic: Topic, visual_ids: Sequence[DocId]) -> Matrix:
        stored = self.search_index.trees(visual_ids)
        tables = [
            tree_features(query_trees(formula).layout, stored) for formula in focus_formulas(topic)
        ]
        if not tables:
            return np.zeros((len(visual_ids), len(TREE_FEATURES)))
        mean: Matrix = np.mean(tables, axis=0)
        return mean


@dataclass(frozen=True, slots=True)
class WeightedFeatures:
    """The weighted sum of structural features."""

    features: CandidateFeatures
    weights: Mapping[str, float]

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        table = self.features.of(topic, [hit.doc_id for hit in hits])
        scores: Scores = table @ np.array([self.weights[name] for name in self.features.names])
        return scores

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        table = self.features.of(topic, [hit.doc_id for hit in hits])
        return [
            summed(
                "structural features",
                (
                    Explanation(f"{name}, {value:.4f} × {self.weights[name]:g}", product)
                    for name, value in zip(self.features.names, row, strict=True)
                    if (product := value * self.weights[name])
                ),
            )
            for row in table.tolist()
        ]


def ltr_formulas(search_index: SearchIndex) -> Ranker:
    """Tangent-S's candidates by learned weights, each at its first occurrence."""
    scorer = WeightedFeatures(FormulaFeatures(search_index), formula_weights(search_index).weights)
    reranked = Rerank(
        TangentS(search_index), scorer, DEPTH, Replace(is_stable=False), is_prefix_stable=True
    )
    return FirstOccurrences(search_index, reranked)


LTR = Maker(ltr_formulas, PAIR_SPECS)
