"""An encoder without context: the vector of a text is the mean of its tokens' vectors.

It is hundreds of times as fast as a network, and less accurate: for very large collections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from porism.embed import model_tokenizers
from porism.embed.encoder import ModelIdentity, Vectors, unit_rows
from porism.embed.model_weights import open_weights
from porism.embed.packaged_encoders import WORDLLAMA
from porism.errors import PorismError
from porism.hashing import text_digest

_MAX_TOKENS = 2048
"""A text is cut there, so that one of megabytes costs no more than a long one."""


@dataclass(frozen=True, slots=True)
class StaticEncoder:
    """A ``TextEncoder``: one vector for each token of the vocabulary."""

    identity: ModelIdentity
    tokenizer: Tokenizer
    vocabulary: Vectors
    max_tokens: int = _MAX_TOKENS

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text; see ``TextEncoder``."""
        vectors = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        for position, text in enumerate(texts):
            rows = self._rows(text)
            if len(rows):
                vectors[position] = rows.mean(axis=0)
        return unit_rows(vectors)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The unit vectors of the tokens of each text; see ``TextEncoder``."""
        return [unit_rows(self._rows(text)) for text in texts]

    def token_spans(self, text: str, limit: int) -> list[tuple[int, int]]:
        """The places of a text's tokens; see ``TextEncoder``."""
        return model_tokenizers.token_spans(self.tokenizer, text, limit)

    def _rows(self, text: str) -> Vectors:
        ids = model_tokenizers.plain_token_ids(self.tokenizer, text, self.max_tokens)
        rows: Vectors = self.vocabulary[ids]
        return rows


def open_static_encoder(folder: Path, name: str) -> StaticEncoder:
    """The encoder of wordllama's files, whose checksums the caller has verified."""
    weights, tokens = (folder / file for file in WORDLLAMA.sha256)
    tokenizer = model_tokenizers.read_model_tokenizer(tokens)
    try:
        vocabulary = open_weights(weights).tensor("embedding.weight")
    except ValueError as error:
        raise PorismError(f"{weights}: not the weights of {WORDLLAMA.name}: {error}") from None
    if vocabulary.ndim != 2 or tokenizer.get_vocab_size() > len(vocabulary):
        raise PorismError(
            f"{weights}: has vectors of the shape {vocabulary.shape}, but the tokenizer has"
            f" {tokenizer.get_vocab_size()} tokens: use the files of one model"
        )
    identity = ModelIdentity(
        name=name,
        digest=text_digest(f"{_MAX_TOKENS} {sorted(WORDLLAMA.sha256.values())}").hex(),
        dimension=vocabulary.shape[1],
        pooling="mean",
        precision="float32",
    )
    return StaticEncoder(identity, tokenizer, vocabulary)
