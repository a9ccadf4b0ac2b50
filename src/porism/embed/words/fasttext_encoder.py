"""The encoder of a fastText model: the vector of a text is the mean of the vectors of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from porism.embed.encoder import ModelIdentity, Vectors, unit_rows
from porism.embed.words.subword_vectors import SubwordVectors
from porism.embed.words.word_models import FASTTEXT, WordModel, array_words, read_word_model
from porism.embed.words.word_spans import text_words, word_spans

WORDS_STREAM = "words"
"""The stream of tokens of a fastText model whose vectors encode texts: words without formulas."""

_MAX_TOKENS = 10_000
"""A text is cut there, so that one of megabytes costs no more than a long one."""


def stream_vectors(model: WordModel, stream: str) -> SubwordVectors:
    """Return the vectors of one stream of tokens of a fastText model."""
    settings = model.settings["streams"][stream]
    vectors, ngrams = (
        model.arrays[f"{stream}-{name}"].astype(np.float32).reshape(-1, model.settings["dimension"])
        for name in ("vectors", "ngrams")
    )
    words = array_words(model.arrays[f"{stream}-words"])
    return SubwordVectors(words, vectors, ngrams, settings["min_n"], settings["max_n"])


@dataclass(frozen=True, slots=True)
class FastTextEncoder:
    """A ``TextEncoder`` by the means of word vectors."""

    identity: ModelIdentity
    vectors: SubwordVectors = field(repr=False)
    max_tokens: int = _MAX_TOKENS

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text; see ``TextEncoder``."""
        return unit_rows(self.vectors.means([text_words(text, self.max_tokens) for text in texts]))

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The unit vectors of the words of each text; see ``TextEncoder``."""
        by_text = (
            [self.vectors.vector(word) for word in text_words(text, self.max_tokens)]
            for text in texts
        )
        dimension = self.identity.dimension
        return [unit_rows(np.array(rows, np.float32).reshape(-1, dimension)) for rows in by_text]

    def token_spans(self, text: str, limit: int) -> list[tuple[int, int]]:
        """The places of a text's words; see ``TextEncoder``."""
        return word_spans(text, limit)


def open_fasttext_encoder(folder: Path) -> FastTextEncoder:
    """Open the folder of ``porism train fasttext`` as an encoder of texts."""
    model = read_word_model(folder, FASTTEXT)
    vectors = stream_vectors(model, WORDS_STREAM)
    identity = ModelIdentity(folder.name, model.digest, vectors.dimension, "mean", "float32")
    return FastTextEncoder(identity, vectors)
