"""Contextual similarity (CS) of Task 3: BERTScore of an answer and a relevant one.

S3 section 6.3.2: each token is matched with the token of the other text whose contextual embedding
is nearest, and the cosine counts as a share of a match. Where embeddings come from is for
``porism.evaluate.short_answers.encoder``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from porism.evaluate.short_answers.references import Reference

Matrix = NDArray[np.float32]

_MAX_KEPT = 1 << 30
"""How many bytes of embeddings are kept: enough for some 1,300 long answers by a small model."""


@dataclass(frozen=True, slots=True)
class TextEmbedding:
    """A text as vectors of length 1, a row for each token, and how much each counts.

    The marks of beginning and end count nothing; other tokens may still be matched with them.
    """

    tokens: Matrix
    weights: Matrix

    def __post_init__(self) -> None:
        assert self.tokens.ndim == 2
        assert self.weights.shape == self.tokens.shape[:1]


class TextEncoder(Protocol):
    """A language model, with a name for reports."""

    @property
    def name(self) -> str:
        """What reports say of it."""

    def embed(self, text: str) -> TextEmbedding:
        """The tokens of a text in their context."""


def bert_score(answer: TextEmbedding, reference: TextEmbedding) -> float:
    """The F1 of greedy matching by cosine; 0 if either text has no token that counts.

    Precision is the mean over the answer's tokens of the best cosine with any of the reference,
    recall the other way round. Neither is rescaled. If one of them is not positive, F1 is 0: a
    harmonic mean says nothing then, and embeddings of real models never are so far apart.
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
    """Contextual similarity by some model. Embeddings are kept, as references come again.

    When a gigabyte is full no more are kept, and texts are embedded as often as they come.
    """

    encoder: TextEncoder
    _kept: dict[str, TextEmbedding] = field(default_factory=dict, repr=False, compare=False)
    _bytes: int = field(default=0, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What reports say of it."""
        return self.encoder.name

    def score(self, answer: str, reference: str) -> float:
        """The BERTScore F1 of two texts."""
        return bert_score(self._embedded(answer), self._embedded(reference))

    def _embedded(self, text: str) -> TextEmbedding:
        if text in self._kept:
            return self._kept[text]
        embedded = self.encoder.embed(text)
        size = embedded.tokens.nbytes
        if self._bytes + size <= _MAX_KEPT:
            self._kept[text] = embedded
            self._bytes += size
        return embedded


def contextual_similarity(
    answer: str, references: Iterable[Reference], similarity: ContextualSimilarity
) -> float | None:
    """The F1 with the reference most like the answer; None where there is none to compare with."""
    return max((similarity.score(answer, reference.text) for reference in references), default=None)
