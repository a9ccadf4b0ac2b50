"""The similarities of the terms of a fastText model, as the soft cosine measure uses them."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.embed.words.word_models import FASTTEXT, WordModel, array_words, read_word_model
from porism.inverted import key

_OPENED = 8
"""Matrices that a process keeps; a system has one or two."""

_OPENING = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class TermSimilarities:
    """A symmetric matrix S of similarities that are not negative, with 1 for equal terms.

    Term ``i`` is ``terms[i]``, and ``values[starts[i]:starts[i + 1]]`` are its similarities with
    the other terms ``columns[...]``. Any term that it lacks is similar to itself alone. ``keys``
    are those of all terms, ascending, and ``rows`` their numbers.
    """

    terms: list[str]
    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    numbers: Mapping[str, int] = field(init=False)
    keys: NDArray[np.uint64] = field(init=False)
    rows: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        keys = np.array([key(term) for term in self.terms], np.uint64)
        rows = np.argsort(keys)
        object.__setattr__(self, "numbers", {term: row for row, term in enumerate(self.terms)})
        object.__setattr__(self, "keys", keys[rows])
        object.__setattr__(self, "rows", rows)

    def expanded(self, weights: Mapping[str, float]) -> dict[str, float]:
        """Return the product of S with a vector of weights: each term adds to similar ones."""
        result: dict[str, float] = defaultdict(float)
        for term, weight in weights.items():
            result[term] += weight
            row = self.numbers.get(term)
            if row is not None:
                part = slice(self.starts[row], self.starts[row + 1])
                for column, value in zip(
                    self.columns[part].tolist(), self.values[part].tolist(), strict=True
                ):
                    result[self.terms[column]] += weight * value
        return dict(result)

    def rows_of(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of terms, given their keys; -1 for unknown ones."""
        if not len(self.keys):
            return np.full(len(keys), -1, np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.rows[places], -1)


def norm_ratio(weights: Mapping[str, float], expanded: Mapping[str, float]) -> float:
    """Return sqrt(q'q / q'Sq) of a vector q, given the product Sq as well; 1 for the zero vector.

    Multiplied by it, a vector keeps its length in the space whose axes are at the angles of S.
    """
    soft = sum(weight * expanded[term] for term, weight in weights.items())
    hard = sum(weight * weight for weight in weights.values())
    return sqrt(hard / soft) if soft > 0 else 1.0


def open_similarities(folder: str, stream: str, alpha: float = 0.0) -> TermSimilarities:
    """Open the similarities of a stream of tokens: alpha * spelling + (1 - alpha) * vectors.

    A process opens each once.
    """
    with _OPENING:
        return _opened(folder, stream, alpha)


@lru_cache(_OPENED)
def _opened(folder: str, stream: str, alpha: float) -> TermSimilarities:
    model = read_word_model(Path(folder), FASTTEXT)
    return combined_similarities(
        model, stream, {"semantic": 1.0 - alpha, **({"lexical": alpha} if alpha else {})}
    )


def combined_similarities(
    model: WordModel, stream: str, weights: Mapping[str, float]
) -> TermSimilarities:
    """Return the weighted sum of matrices of a stream, by their names."""
    terms = array_words(model.arrays[f"{stream}-words"])
    terms = terms[: int(model.settings["streams"][stream]["terms"])]
    rows, columns, values = [], [], []
    for name, weight in weights.items():
        starts = model.arrays[f"{stream}-{name}-starts"]
        rows.append(np.repeat(np.arange(len(terms)), np.diff(starts)))
        columns.append(model.arrays[f"{stream}-{name}-columns"].astype(np.int64))
        values.append(weight * model.arrays[f"{stream}-{name}-values"].astype(np.float64))
    cells = np.concatenate(rows) * max(1, len(terms)) + np.concatenate(columns)
    once, places = np.unique(cells, return_inverse=True)
    summed = np.bincount(places, np.concatenate(values), len(once)).astype(np.float64)
    starts = np.searchsorted(once, np.arange(len(terms) + 1) * max(1, len(terms)))
    return TermSimilarities(terms, starts.astype(np.int64), once % max(1, len(terms)), summed)
