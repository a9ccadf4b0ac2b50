"""A language model in training on answers, with PyTorch and transformers.

Importing this loads PyTorch and transformers, of the extra ``train``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from numpy.typing import NDArray
from transformers import LlamaConfig, LlamaForCausalLM

from porism.lab.training.epochs import Places, evaluating
from porism.lab.training.generator.llama_files import LlamaFile, LlamaShape
from porism.lab.training.generator.pairs import TokenPair

_IGNORED = -100


@dataclass(slots=True)
class AnswerNetwork:
    """A model that learns to continue questions by their answers.

    The loss is the mean negative logarithm of the probability of a token of the answers. ``parts``
    pairs are computed at a time, which does not change the loss of a batch. On a graphics card
    products are computed in bfloat16; the weights have 32 bits everywhere.
    """

    base: LlamaFile
    pairs: Sequence[TokenPair]
    held_out: Sequence[TokenPair]
    part: int
    device: str
    model: Any = field(init=False)  # transformers has no useful types

    def __post_init__(self) -> None:
        self.model = llama_network(self.base, self.device)

    def loss_parts(self, places: Places) -> Iterator[torch.Tensor]:
        # Pairs of similar lengths together: the tokens that fill up a part would take time.
        pairs = sorted((self.pairs[place] for place in places), key=lambda each: each.length)
        tokens = sum(len(each.answer) for each in pairs)
        for start in range(0, len(pairs), self.part):
            yield self._loss(pairs[start : start + self.part]) / tokens

    def validation(self) -> float:
        pairs = sorted(self.held_out, key=lambda each: each.length)
        total = 0.0
        with evaluating(self.model):
            for start in range(0, len(pairs), self.part):
                total += float(self._loss(pairs[start : start + self.part]))
        return total / sum(len(each.answer) for each in pairs)

    def _loss(self, pairs: Sequence[TokenPair]) -> torch.Tensor:
        """The sum over all tokens of the answers."""
        ids, labels = padded(pairs)
        with self._precision():
            # Tokens that fill up come last, and no token is computed from later ones: no mask.
            states = self.model.model(torch.from_numpy(ids).to(self.device)).last_hidden_state
            following = torch.from_numpy(labels[:, 1:]).to(self.device)
            is_learned = following != _IGNORED
            # The logits of answers alone: all would take most of the memory.
            logits = self.model.lm_head(states[:, :-1][is_learned])
        return functional.cross_entropy(logits.float(), following[is_learned], reduction="sum")

    def _precision(self) -> AbstractContextManager[object]:
        if self.device.startswith("cuda"):
            halved: AbstractContextManager[object] = torch.autocast("cuda", torch.bfloat16)
            return halved
        return nullcontext()

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights by the names of transformers."""
        return {name: each.cpu().numpy() for name, each in self.model.state_dict().items()}


def padded(pairs: Sequence[TokenPair]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tokens of pairs, filled up at their ends, and those of them that are learned."""
    width = max(each.length for each in pairs)
    ids = np.zeros((len(pairs), width), np.int64)
    labels = np.full((len(pairs), width), _IGNORED, np.int64)
    for row, each in enumerate(pairs):
        ids[row, : each.length] = each.prompt + each.answer
        labels[row, len(each.prompt) : each.length] = each.answer
    return ids, labels


def llama_network(base: LlamaFile, device: str) -> Any:  # transformers has no useful types
    """The network of a file, with its weights, ready for training."""
    model: Any = LlamaForCausalLM(llama_config(base.shape))
    weights = {name: torch.from_numpy(array) for name, array in base.weights().items()}
    if base.shape.is_tied:
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    model.load_state_dict(weights)
    return model.to(device).train()


def llama_config(shape: LlamaShape) -> Any:
    return LlamaConfig(
        vocab_size=shape.words,
        hidden_size=shape.width,
        intermediate_size=shape.inner_width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_heads,
        max_position_embeddings=shape.context,
        rms_norm_eps=shape.epsilon,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rotation},
        tie_word_embeddings=shape.is_tied,
        use_cache=False,
    )
