"""Learning to rank formulas, after DPRL 2021 and 2022: Tangent-S's candidates by learned weights.

The first ``DEPTH`` formulas of ``tangent-s`` are scored again by a weighted sum of structural
features (see ``pair_features``); the others follow below. The original has four cosines of
Tangent-CFT vectors, of each representation and of their sum; an index stores the sum, so there is
one, and a second set of weights for indexes without such vectors. The original learned with
SVM-rank; here the weights are fitted by ``porism train ltr``, in a small JSON file:

    {"format": "porism-formula-weights", "version": 1,
     "with_vectors": {"layout edit distance": 1.2, ..., "cft cosine": 2.0},
     "without_vectors": {"layout edit distance": 1.3, ...},
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
from porism.formats.json_values import read_json
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import Explanation, summed
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import focus_formulas
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Replace, Rerank, Scores
from porism.rank.structure.formula_vectors import (
    FormulaVectorRanker,
    formula_vector_obstacle,
    formula_vector_ranker,
)
from porism.rank.structure.pair_features import TREE_FEATURES, Matrix, tree_features
from porism.rank.structure.tangent_s import PAIR_SPECS, TangentS, query_trees
from porism.searchindex.index_folder import SearchIndex
from porism.structure.embeddings.tangent_cft import EMBEDDING

FORMAT = "porism-formula-weights"
VERSION = 1

ALL_FEATURES = (*TREE_FEATURES, "cft cosine")
"""The features in an index with Tangent-CFT vectors."""

DEPTH = 1_000
"""Formulas that are scored again. Of the relevant formulas among all candidates of 2020 and 2021,
1,000 have 98.5 %, for a quarter of the time."""


@dataclass(frozen=True, slots=True)
class FormulaWeights:
    """What each feature counts, by its name, in an index with Tangent-CFT vectors and without."""

    with_vectors: Mapping[str, float]
    without_vectors: Mapping[str, float]
    training: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON

    def record(self) -> dict[str, object]:
        """Return all of it as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "with_vectors": dict(self.with_vectors),
            "without_vectors": dict(self.without_vectors),
            "training": dict(self.training),
        }


def read_formula_weights(path: Path) -> FormulaWeights:
    """Read a file of weights."""
    return parsed_formula_weights(read_json(path, "porism train ltr writes one"), str(path))


def parsed_formula_weights(record: object, where: str) -> FormulaWeights:
    """Return the weights in JSON values; ``where`` they are from is named in errors."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise PorismError(f"{where}: not a file of weights ({FORMAT}); porism train ltr writes one")
    if record.get("version") != VERSION:
        raise PorismError(
            f"{where}: has version {record.get('version')!r} of the format, and this Porism reads "
            f"{VERSION}; learn the weights again with porism train ltr"
        )
    training = record.get("training", {})
    return FormulaWeights(
        _feature_weights(record, "with_vectors", ALL_FEATURES, where),
        _feature_weights(record, "without_vectors", TREE_FEATURES, where),
        training if isinstance(training, dict) else {},
    )


def _feature_weights(
    record: Mapping[str, object], key: str, names: tuple[str, ...], where: str
) -> dict[str, float]:
    weights = record.get(key)
    if not isinstance(weights, dict) or set(weights) != set(names):
        raise PorismError(
            f"{where}: expected a weight in {key} for each of the features {', '.join(names)}; "
            "learn the weights again with porism train ltr"
        )
    for name, value in weights.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not isfinite(value):
            raise PorismError(f"{where}: {key}.{name} is {value!r}: expected a number")
    return {name: float(weights[name]) for name in names}


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
    """Features of formulas, or answers, that a first stage found."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        ...

    def of(self, topic: Topic, doc_ids: Sequence[DocId], /) -> Matrix:
        """Return the features of formulas by their visual ids, or of answers, one row each."""
        ...


@dataclass(frozen=True, slots=True)
class FormulaFeatures:
    """The features of the formulas that ``tangent-s`` finds, the cosine last if there is one.

    A topic with several formulas has the means of their structural features.
    """

    search_index: SearchIndex = field(repr=False)
    vectors: FormulaVectorRanker | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return TREE_FEATURES if self.vectors is None else ALL_FEATURES

    def of(self, topic: Topic, visual_ids: Sequence[DocId]) -> Matrix:
        stored = self.search_index.trees(visual_ids)
        tables = [
            tree_features(query_trees(formula).layout, stored) for formula in focus_formulas(topic)
        ]
        table: Matrix = (
            np.mean(tables, axis=0) if tables else np.zeros((len(visual_ids), len(TREE_FEATURES)))
        )
        if self.vectors is None:
            return table
        return np.column_stack((table, self.vectors.cosines(topic, visual_ids)))


def formula_features(search_index: SearchIndex) -> FormulaFeatures:
    """Return the features that an index has everything for."""
    if formula_vector_obstacle(search_index, EMBEDDING) is not None:
        return FormulaFeatures(search_index)
    return FormulaFeatures(search_index, formula_vector_ranker(search_index, EMBEDDING))


@dataclass(frozen=True, slots=True)
class WeightedFeatures:
    """The weighted sum of features, under a label in explanations."""

    features: CandidateFeatures
    weights: Mapping[str, float]
    label: str = "structural features"

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        table = self.features.of(topic, [hit.doc_id for hit in hits])
        scores: Scores = table @ np.array([self.weights[name] for name in self.features.names])
        return scores

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        table = self.features.of(topic, [hit.doc_id for hit in hits])
        return [
            summed(
                self.label,
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
    features = formula_features(search_index)
    known = formula_weights(search_index)
    weights = known.without_vectors if features.vectors is None else known.with_vectors
    reranked = Rerank(
        TangentS(search_index),
        WeightedFeatures(features, weights),
        DEPTH,
        Replace(is_stable=False),
        is_prefix_stable=True,
    )
    return FirstOccurrences(search_index, reranked)


LTR = Maker(ltr_formulas, PAIR_SPECS)
