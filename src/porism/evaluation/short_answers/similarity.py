"""Contextual similarity (CS) of Task 3: BERTScore of an answer and a relevant one.

S3 section 6.3.2: each token is matched with the token of the other text with the most similar
contextual embedding, and the cosine counts as a partial match. Embeddings come from
``porism.embed``, through ``contextual_encoder``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from porism.evaluation.short_answers.references import Reference

Matrix = NDArray[np.float32]

_MAX_CACHED = 1 << 30
"""Maximum size of cached embeddings in bytes: some 1,300 long answers with a small model."""


@dataclass(frozen=True, slots=True)
class TextEmbedding:
    """A text as unit vectors, one row per token, with the weights of tokens.

    Special tokens have weight 0; other tokens may still match them.
    """

    tokens: Matrix
    weights: Matrix

    def __post_init__(self) -> None:
        assert self.tokens.ndim == 2
        assert self.weights.shape == self.tokens.shape[:1]


class ContextualEncoder(Protocol):
    """A language model, with a name for reports."""

    @property
    def name(self) -> str:
        """The name in reports."""

    def embed(self, text: str) -> TextEmbedding:
        """The tokens of a text in their context."""


def bert_score(answer: TextEmbedding, reference: TextEmbedding) -> float:
    """The F1 of greedy matching by cosine; 0 if either text has no token with a weight.

    Precision is the mean over the answer's tokens of the best cosine with any token of the
    reference, recall the reverse. Neither is rescaled. If one of them is not positive, the harmonic
    mean is meaningless and F1 is 0; this does not occur with real models.
    """
    if not answer.weights.any() or not reference.weights.any():
        return 0.0
    cosines = answer.tokens @ reference.tokens.T
    precision = float(np.average(cosines.max(axis=1), weights=answer.weights))
    recall = float(np.average(cosines.max(axis=0), weights=reference.weights))
    if precision <= 0 or recall <= 0:
        return 0.0
    return min(1.0, 2 * precision * recall / (precision + recall))


@dataclass(slots=True)
class ContextualSimilarity:
    """Contextual similarity by a model. Up to a gigabyte of embeddings is cached, since references
    recur."""

    encoder: ContextualEncoder
    _cache: dict[str, TextEmbedding] = field(default_factory=dict, repr=False, compare=False)
    _bytes: int = field(default=0, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name in reports."""
        return self.encoder.name

    def score(self, answer: str, reference: str) -> float:
        """The BERTScore F1 of two texts."""
        return bert_score(self._embedded(answer), self._embedded(reference))

    def _embedded(self, text: str) -> TextEmbedding:
        if text in self._cache:
            return self._cache[text]
        embedded = self.encoder.embed(text)
        size = embedded.tokens.nbytes
        if self._bytes + size <= _MAX_CACHED:
            self._cache[text] = embedded
            self._bytes += size
        return embedded


def contextual_similarity(
    answer: str, references: Iterable[Reference], similarity: ContextualSimilarity
) -> float | None:
    """The highest F1 with any reference; None without references."""
    return max((similarity.score(answer, reference.text) for reference in references), default=None)
