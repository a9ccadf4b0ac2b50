"""The encoder of contextual similarity: a network of ``porism.embed`` in 32-bit floats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from porism.embed.encoder import unit_rows
from porism.embed.network import Network, open_network
from porism.embed.packaged_encoders import MINILM
from porism.evaluation.short_answers.answer_tokenizers import model_input, model_name
from porism.evaluation.short_answers.similarity import TextEmbedding
from porism.packaged_models import packaged_model


@dataclass(frozen=True, slots=True)
class NetworkEncoder:
    """A model up to the layer whose output is used.

    A text is cut where the model's positions end, at 512 tokens for most models, even if there is
    a lower limit for sentences, which BERTScore ignores too.
    """

    name: str
    network: Network

    def embed(self, text: str) -> TextEmbedding:
        """The states of a text's tokens as unit vectors; none for a text without tokens."""
        for _, states, is_special in self.network.token_states(
            [model_input(text, self.network.tokenizer)]
        ):
            return TextEmbedding(unit_rows(states), (~is_special).astype(np.float32))
        nothing = np.zeros((0, self.network.dimension), dtype=np.float32)
        return TextEmbedding(nothing, nothing[:, 0])


def read_encoder(folder: Path, layer: int | None = None, name: str | None = None) -> NetworkEncoder:
    """The model in a folder, up to ``layer`` (None: the last; 0: only the embeddings).

    The ARQMath lab used MathBERTa with layer 10. The default name is that of the folder.
    """
    network = open_network(folder, "float32", layer, threads=0)
    name = name or model_name(folder)
    return NetworkEncoder(
        name if network.layer is None else f"{name}, layer {network.layer}", network
    )


def packaged_encoder(layer: int | None = None) -> NetworkEncoder:
    """The model all-MiniLM-L6-v2 from its package, with checksums verified."""
    return read_encoder(packaged_model(MINILM), layer, MINILM.name)
