"""The weights of learned rankers of answers, as small JSON files.

    {"format": "porism-ranker-weights", "version": 1, "system": "dprl-svm",
     "weights": {"question similarity": 5.1, "votes": 0.2, ...},
     "training": {...}}

``training`` records what the weights were learned from, for people. Those that Porism ships are in
``dprl-svm.json`` and ``linear-regression.json``; an index may have its own, by system.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import isfinite
from typing import Any

from porism.errors import PorismError
from porism.searchindex.index_folder import SearchIndex

FORMAT = "porism-ranker-weights"
VERSION = 1

SVM = "dprl-svm"
REGRESSION = "linear-regression"

FEATURES = {
    SVM: (
        "question similarity",
        "answer similarity",
        "shared tags",
        "votes",
        "accepted",
        "reputation",
        "comments",
        "length",
    ),
    REGRESSION: ("shared tags", "votes", "reputation"),
}
"""The features of each learned ranker."""


@dataclass(frozen=True, slots=True)
class RankerWeights:
    """What each feature of a system counts, by its name."""

    system: str
    weights: Mapping[str, float]
    training: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON

    def record(self) -> dict[str, object]:
        """Return all of it as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "system": self.system,
            "weights": dict(self.weights),
            "training": dict(self.training),
        }


def parsed_ranker_weights(record: object, source: str) -> RankerWeights:
    """Return the weights in JSON values; ``source`` is named in errors."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise PorismError(
            f"{source}: not a file of weights ({FORMAT}); porism train ranker writes one"
        )
    if record.get("version") != VERSION:
        raise PorismError(
            f"{source}: has version {record.get('version')!r} of the format, and this Porism reads "
            f"{VERSION}; learn the weights again with porism train ranker"
        )
    system, weights, training = (record.get(key) for key in ("system", "weights", "training"))
    if system not in FEATURES:
        raise PorismError(
            f"{source}: has weights for {system!r}: expected one of {', '.join(FEATURES)}"
        )
    names = FEATURES[system]
    if not isinstance(weights, dict) or set(weights) != set(names):
        raise PorismError(
            f"{source}: expected a weight for each of the features {', '.join(names)}; learn the "
            "weights again with porism train ranker"
        )
    for name, value in weights.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not isfinite(value):
            raise PorismError(f"{source}: the weight of {name} is {value!r}: expected a number")
    return RankerWeights(
        system,
        {name: float(weights[name]) for name in names},
        training if isinstance(training, dict) else {},
    )


@cache
def shipped_ranker_weights(system: str) -> RankerWeights:
    """Return the weights that Porism comes with."""
    source = files("porism.rank.question_matching").joinpath(f"{system}.json")
    return parsed_ranker_weights(json.loads(source.read_text(encoding="utf-8")), source.name)


def ranker_weights(search_index: SearchIndex, system: str) -> RankerWeights:
    """Return the weights that an index was made with, or those that Porism comes with."""
    own = search_index.manifest.ranker_weights.get(system)
    if own is None:
        return shipped_ranker_weights(system)
    return parsed_ranker_weights(own, str(search_index.folder))
