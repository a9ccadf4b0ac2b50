"""Learned-sparse encoders: the terms that a masked language model expects in a text (SPLADE).

The weight of a term is the largest log(1 + relu(logit)) over all tokens of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from porism.embed.encoder import ModelIdentity
from porism.embed.heads.kinds import Head
from porism.embed.model_tokenizers import token_encoding
from porism.embed.model_weights import open_encoder_weights, weights_file
from porism.embed.network import Network, open_network
from porism.errors import PorismError
from porism.hashing import text_digest

_LANGUAGE_MODELS = ("cls.predictions.bias", "predictions.bias", "lm_head.bias")


@dataclass(frozen=True, slots=True)
class OnnxSparseEncoder:
    """A ``SparseEncoder``: a network with a masked language model on top."""

    identity: ModelIdentity
    network: Network

    def terms(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """The weighted terms of each text; see ``SparseEncoder``."""
        tokenizer, longest = self.network.tokenizer, self.network.max_tokens
        encodings = [token_encoding(tokenizer, text, longest) for text in texts]
        lengths = {
            at: len(each) for at, each in enumerate(encodings) if not all(each.special_tokens_mask)
        }
        terms: list[Mapping[str, float]] = [{} for _ in texts]
        for batch in self.network.batches(lengths):
            ids = np.array([encodings[at].ids for at in batch], dtype=np.int64)
            for at, weights in zip(batch, self.network.states(ids), strict=True):
                weights = weights[: tokenizer.get_vocab_size()]
                order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights > 0)]
                terms[at] = {
                    term: float(weights[number])
                    for number in order.tolist()
                    if (term := tokenizer.id_to_token(number)) is not None
                }
        return terms


def open_onnx_sparse_encoder(
    folder: Path, precision: str, threads: int, name: str | None = None
) -> OnnxSparseEncoder:
    """The learned-sparse encoder in a model folder; its name is that of the folder unless given."""
    if not folder.is_dir():
        raise PorismError(f"{folder}: there is no such model folder")
    path = weights_file(folder)
    weights = open_encoder_weights(path)
    if not any(weights.has(each) for each in _LANGUAGE_MODELS):
        raise PorismError(
            f"{path}: found no masked language model: expected a learned-sparse encoder such as"
            " SPLADE, with the weights of its vocabulary (cls.predictions or lm_head)"
        )
    network = open_network(folder, precision, threads=threads, head=Head.TERMS)
    identity = ModelIdentity(
        name=name or folder.resolve().name,
        digest=text_digest(f"{network.digest} {network.max_tokens}").hex(),
        dimension=network.tokenizer.get_vocab_size(),
        pooling="max",
        precision=network.precision,
    )
    return OnnxSparseEncoder(identity, network)
