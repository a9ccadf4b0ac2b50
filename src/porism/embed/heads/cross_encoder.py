"""Cross-encoders: a network reads two texts together, and a classifier scores the pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.embed.encoder import ModelIdentity
from porism.embed.heads.kinds import Head
from porism.embed.model_folder import onnx_file, read_sentence_settings
from porism.embed.model_tokenizers import pair_encoding
from porism.embed.model_weights import open_encoder_weights, weights_file
from porism.embed.network import Network, has_supported_weights, open_network
from porism.errors import PorismError
from porism.hashing import text_digest


@dataclass(frozen=True, slots=True)
class OnnxCrossEncoder:
    """A ``CrossEncoder``: a network with a classifier of one or two outputs."""

    identity: ModelIdentity
    network: Network

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """One score per pair; see ``CrossEncoder``."""
        tokenizer, longest = self.network.tokenizer, self.network.max_tokens
        encodings = [pair_encoding(tokenizer, *pair, longest) for pair in pairs]
        scores = np.zeros(len(pairs), dtype=np.float32)
        lengths = {at: len(encoding) for at, encoding in enumerate(encodings)}
        for batch in self.network.batches(lengths):
            ids = np.array([encodings[at].ids for at in batch], dtype=np.int64)
            types = np.array([encodings[at].type_ids for at in batch], dtype=np.int64)
            outputs = self.network.states(ids, types)
            one_output = self.network.dimension == 1
            scores[batch] = outputs[:, 0] if one_output else outputs[:, 1] - outputs[:, 0]
        return scores


def open_onnx_cross_encoder(
    folder: Path, precision: str, threads: int, name: str | None = None
) -> OnnxCrossEncoder:
    """The cross-encoder in a model folder; its name is that of the folder unless given."""
    if folder.is_dir() and (onnx_file(folder) is None or has_supported_weights(folder)):
        _refuse_other_models(weights_file(folder))
    network = open_network(folder, precision, threads=threads, head=Head.SCORES)
    longest = min(network.max_tokens, read_sentence_settings(folder).max_tokens)
    network = replace(network, max_tokens=longest)
    if network.dimension not in (1, 2):
        raise PorismError(
            f"{folder}: found {network.dimension} outputs: expected a cross-encoder with one"
            " output, or with two, of which the second is for relevant pairs"
        )
    identity = ModelIdentity(
        name=name or folder.resolve().name,
        digest=text_digest(f"{network.digest} {network.max_tokens}").hex(),
        dimension=network.dimension,
        pooling="classifier",
        precision=network.precision,
    )
    return OnnxCrossEncoder(identity, network)


def _refuse_other_models(path: Path) -> None:
    if not open_encoder_weights(path).is_classifier:
        raise PorismError(
            f"{path}: found no classifier: expected a cross-encoder, which is a model for sequence"
            " classification; a bi-encoder gives vectors and cannot score pairs (porism train"
            " cross-encoder trains one)"
        )
