"""An encoder by a network: the vectors of a text's tokens become the vector of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from porism.embed import model_tokenizers
from porism.embed.encoder import ModelIdentity, Vectors, unit_rows
from porism.embed.model_folder import read_sentence_settings
from porism.embed.model_weights import open_encoder_weights, weights_file
from porism.embed.network import Network, has_supported_weights, open_network
from porism.errors import PorismError
from porism.hashing import text_digest


@dataclass(frozen=True, slots=True)
class OnnxEncoder:
    """A ``TextEncoder``: a network, and how its output is pooled."""

    identity: ModelIdentity
    network: Network
    lower_case: bool

    @property
    def max_tokens(self) -> int:
        """The number of tokens at which a text is cut, without special tokens."""
        special: int = self.network.tokenizer.num_special_tokens_to_add(False)
        return self.network.max_tokens - special

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text; see ``TextEncoder``."""
        vectors = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        for position, states, _ in self.network.token_states(self._cased(texts)):
            vectors[position] = _pooled(states, self.identity.pooling)
        return unit_rows(vectors)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The unit vectors of the tokens of each text; see ``TextEncoder``."""
        vectors = [np.zeros((0, self.identity.dimension), dtype=np.float32) for _ in texts]
        for position, states, is_special in self.network.token_states(self._cased(texts)):
            vectors[position] = unit_rows(states[~is_special])
        return vectors

    def token_spans(self, text: str, limit: int) -> list[tuple[int, int]]:
        """The places of a text's tokens; see ``TextEncoder``."""
        return model_tokenizers.token_spans(self.network.tokenizer, text, limit)

    def _cased(self, texts: Sequence[str]) -> Sequence[str]:
        return [text.lower() for text in texts] if self.lower_case else texts


def _pooled(states: Vectors, pooling: str) -> Vectors:
    if pooling == "cls":
        first: Vectors = states[0]
        return first
    pooled: Vectors = states.max(axis=0) if pooling == "max" else states.mean(axis=0)
    return pooled


def open_onnx_encoder(
    folder: Path, precision: str, threads: int, name: str | None = None
) -> OnnxEncoder:
    """The encoder in a model folder; its name is that of the folder unless given."""
    if has_supported_weights(folder) and open_encoder_weights(weights_file(folder)).is_classifier:
        raise PorismError(
            f"{folder}: found a cross-encoder, which scores pairs and has no vectors: expected a"
            " bi-encoder; set it for re-ranking with porism index --model cross-encoder=FOLDER"
        )
    settings = read_sentence_settings(folder)
    network = open_network(folder, precision, threads=threads)
    network = replace(network, max_tokens=min(network.max_tokens, settings.max_tokens))
    identity = ModelIdentity(
        name=name or folder.resolve().name,
        digest=text_digest(f"{network.digest} {network.max_tokens} {settings}").hex(),
        dimension=network.dimension,
        pooling=settings.pooling,
        precision=network.precision,
    )
    return OnnxEncoder(identity, network, settings.lower_case)
