"""What a network is asked for: the states of its tokens, the score of a pair, or weighted terms."""

from __future__ import annotations

from enum import StrEnum

from porism.embed.model_folder import Architecture
from porism.embed.model_weights import Weights


class Head(StrEnum):
    """What follows the last layer, by the name of the output."""

    STATES = "last_hidden_state"
    """Nothing: one vector per token."""

    SCORES = "logits"
    """A classifier of the first token: one or two outputs for a text or pair."""

    TERMS = "term_weights"
    """The words that a masked language model expects: one weight for each of the vocabulary."""


def takes_token_types(architecture: Architecture, weights: Weights, head: Head) -> bool:
    """Whether the network is told which of two texts a token belongs to."""
    if head is not Head.SCORES or architecture.kind == "mpnet":
        return False
    return weights.shape("embeddings.token_type_embeddings.weight")[0] > 1
