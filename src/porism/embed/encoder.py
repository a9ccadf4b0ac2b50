"""What models do: texts become vectors or terms, pairs get scores; each has an identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Vectors as rows."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """The model that computed vectors; only vectors of equal identities can be compared.

    ``digest`` is a hash of the weights, the tokenizer and all settings. ``precision`` is
    ``float32``, ``int8`` or, if the model came as an ONNX file, ``onnx``.
    """

    name: str
    digest: str
    dimension: int
    pooling: str
    precision: str


class TextEncoder(Protocol):
    """A model that encodes texts. Threads may share it."""

    @property
    def identity(self) -> ModelIdentity:
        """The model, as recorded with the vectors."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text, in order; the zero vector for a text without tokens.

        A text is cut at the model's limit. The vector of a text does not depend on the others.
        """

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text one unit vector per token, without special tokens."""

    def token_spans(self, text: str, limit: int) -> list[tuple[int, int]]:
        """The start and end of up to ``limit`` tokens in a text, without special tokens."""

    @property
    def max_tokens(self) -> int:
        """The number of tokens at which a text is cut, without special tokens."""


class CrossEncoder(Protocol):
    """A model that reads two texts together and scores the pair. Threads may share it."""

    @property
    def identity(self) -> ModelIdentity:
        """The model, as recorded with what it ranked."""

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """One score per pair, in order, larger for better.

        It is the output of the model or, if that has two, the logarithm of the odds of the second.
        A pair is cut at the model's limit, the longer text first. The score of a pair does not
        depend on the others.
        """


class SparseEncoder(Protocol):
    """A model that gives a text weighted terms of its vocabulary. Threads may share it."""

    @property
    def identity(self) -> ModelIdentity:
        """The model, as recorded with what it ranked."""

    def terms(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """The terms of each text with positive weights, the largest first; none without tokens.

        A text is cut at the model's limit. The terms of a text do not depend on the others.
        """


def unit_rows(rows: Vectors) -> Vectors:
    """Rows scaled to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
