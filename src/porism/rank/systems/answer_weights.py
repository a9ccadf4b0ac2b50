"""The weights of the features by which ``porism`` ranks answers, as a small JSON file.

    {"format": "porism-answer-weights", "version": 1,
     "with_vectors": {"tuples": 0.08, "formulas": 0.9, "question_vector": 1.1, ...},
     "without_vectors": {"tuples": 0.06, "formulas": 0.8},
     "training": {...}}

``training`` records what the weights were learned from, for people. Those that Porism ships are in
``porism_weights.json``; an index may have its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from porism.errors import PorismError
from porism.formats.json_values import read_json
from porism.searchindex.index_folder import SearchIndex

FORMAT = "porism-answer-weights"
VERSION = 1

MAX_WEIGHT = 1000
"""The largest weight of a feature; what is learned is far below."""


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """What each feature counts.

    ``tuples`` is the share of tuples in the lexical score, words have the rest. The others are what
    a feature of 1 adds to a document, where the topic's best lexical score counts 1.
    """

    tuples: float
    formulas: float
    question_vector: float = 0.0
    answer_vector: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """The weights for an index with vectors, and for one without."""

    with_vectors: FeatureWeights
    without_vectors: FeatureWeights
    training: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON

    def record(self) -> dict[str, object]:
        """Return all of it as JSON values."""
        return {"format": FORMAT, "version": VERSION, **asdict(self)}


def read_weights(path: Path) -> AnswerWeights:
    """Read a file of weights."""
    return parsed_weights(read_json(path, "porism tune --learn writes weights"), str(path))


def parsed_weights(record: object, where: str) -> AnswerWeights:
    """Return the weights in JSON values; ``where`` they are from is named in errors."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise PorismError(
            f"{where}: not a file of weights ({FORMAT}); porism tune --learn writes one"
        )
    if record.get("version") != VERSION:
        raise PorismError(
            f"{where}: has version {record.get('version')!r} of the format, and this Porism reads "
            f"{VERSION}; learn the weights again with porism tune --learn"
        )
    training = record.get("training", {})
    return AnswerWeights(
        _feature_weights(record, "with_vectors", where),
        _feature_weights(record, "without_vectors", where),
        training if isinstance(training, dict) else {},
    )


def _feature_weights(record: Mapping[str, object], name: str, where: str) -> FeatureWeights:
    values = record.get(name)
    known = [each.name for each in fields(FeatureWeights)]
    if not isinstance(values, dict) or not {"tuples", "formulas"} <= set(values) <= set(known):
        found = ", ".join(map(str, values)) if isinstance(values, dict) else repr(values)
        raise PorismError(
            f"{where}: has {found} in {name}: expected the weights {', '.join(known)}"
        )
    for key, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        highest = 1 if key == "tuples" else MAX_WEIGHT
        if not is_number or not 0 <= value <= highest:
            raise PorismError(
                f"{where}: {name}.{key} is {value!r}: expected a number from 0 to {highest}"
            )
    return FeatureWeights(**{key: float(value) for key, value in values.items()})


@cache
def shipped_weights() -> AnswerWeights:
    """Return the weights that Porism comes with."""
    source = files("porism.rank.systems").joinpath("porism_weights.json")
    return parsed_weights(json.loads(source.read_text(encoding="utf-8")), source.name)


def answer_weights(search_index: SearchIndex) -> AnswerWeights:
    """Return the weights that an index was made with, or those that Porism comes with."""
    own = search_index.manifest.weights
    if own is None:
        return shipped_weights()
    return parsed_weights(own, str(search_index.folder))
