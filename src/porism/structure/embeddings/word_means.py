"""Embeddings that are sums over representations: of each, the mean vector of a formula's words.

A representation is one way to make words of a formula, such as the tuples of its layout tree. Each
has its own vectors of words (``subword_vectors``), trained apart from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from porism.embed.words.subword_vectors import SubwordVectors, Vectors
from porism.structure.embeddings import FormulaArray, FormulaInput, FormulaModel

Words = Callable[[FormulaInput], list[str]]
"""Returns the words of a formula in one representation."""

STORED = np.dtype("<f2")
"""How vectors are stored: 11 bits per component change a cosine by less than .001."""


class TrainedWords(NamedTuple):
    """What training gives for one representation: a vector for each word, and each bucket."""

    words: Sequence[str]
    vectors: Vectors
    ngram_vectors: Vectors


def model_arrays(trained: Mapping[str, TrainedWords]) -> dict[str, FormulaArray]:
    """Return the vectors of all representations as the arrays of a model."""
    arrays: dict[str, FormulaArray] = {}
    for name, (words, vectors, ngram_vectors) in trained.items():
        text = "\n".join(words).encode("utf-8", "surrogatepass")
        arrays[f"{name}-words"] = np.frombuffer(text, np.uint8)
        arrays[f"{name}-vectors"] = vectors.astype(STORED)
        arrays[f"{name}-ngrams"] = ngram_vectors.astype(STORED)
    return arrays


@dataclass(frozen=True, slots=True)
class WordMeansEncoder:
    """The sum over representations of the mean vector of a formula's words."""

    parts: tuple[tuple[Words, SubwordVectors], ...]

    def encode(self, formulas: Sequence[FormulaInput]) -> Vectors:
        total = np.zeros((len(formulas), self.parts[0][1].dimension), np.float32)
        for words, vectors in self.parts:
            total += vectors.means([words(formula) for formula in formulas])
        return total


def word_means_encoder(model: FormulaModel, words: Mapping[str, Words]) -> WordMeansEncoder:
    """Return the encoder of a model with these representations."""
    parts = []
    for name, words_of in words.items():
        text = model.arrays[f"{name}-words"].tobytes().decode("utf-8", "surrogatepass")
        vectors, ngrams = (
            model.arrays[f"{name}-{kind}"].reshape(-1, model.dimension).astype(np.float32)
            for kind in ("vectors", "ngrams")
        )
        known = text.split("\n") if text else []
        lengths = model.settings["min_n"], model.settings["max_n"]
        parts.append((words_of, SubwordVectors(known, vectors, ngrams, *lengths)))
    return WordMeansEncoder(tuple(parts))
