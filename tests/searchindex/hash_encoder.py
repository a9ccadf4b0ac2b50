"""A small encoder for tests: a text becomes the sum of pseudo-random vectors of its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from porism.embed import ModelIdentity
from porism.hashing import text_key
from porism.rank import vector_ranking
from porism.searchindex import text_encoders

MODEL = "hash"
DIMENSION = 24


@cache
def word_vector(word: str, dimension: int) -> NDArray[np.float32]:
    """The vector of a word, the same on every machine."""
    bits = np.random.default_rng(text_key(word.lower())).integers(-100, 101, dimension)
    return bits.astype(np.float32)


IDENTITY = ModelIdentity(MODEL, "0123abcd", DIMENSION, "mean", "float32")


@dataclass
class HashEncoder:
    """Counts the texts that it encodes, in ``encoded``."""

    identity: ModelIdentity = IDENTITY
    encoded: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += texts
        rows = np.zeros((len(texts), self.identity.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text):
                row += word_vector(word, self.identity.dimension)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return rows

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        return [self.encode(re.findall(r"\w+", text)) for text in texts]

    @property
    def max_tokens(self) -> int:
        return 100

    def token_spans(self, text: str, limit: int) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)][:limit]


def installed(monkeypatch: pytest.MonkeyPatch, encoder: HashEncoder) -> HashEncoder:
    """Have every model be this encoder."""
    monkeypatch.setattr(text_encoders, "open_encoder", lambda model: encoder)
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: True)
    text_encoders._opened.cache_clear()
    return encoder
