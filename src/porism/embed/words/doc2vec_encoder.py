"""The encoder of a doc2vec model (PV-DM with concatenation, hierarchical softmax).

The vector of a text is what predicts its words best: together with the vectors of the ``window``
words on both sides, it should lead from the root of a Huffman tree to the word. It is found by
gradient descent, with all other parameters fixed, as gensim infers one. Three things differ: the
start is drawn by a hash of the words of our own, words that gensim would skip at random count by
the chance that it keeps them, and what the neighbours add to a node is computed once for all
epochs, so that there can be more of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.embed.encoder import ModelIdentity, Vectors, unit_rows
from porism.embed.words.word_models import DOC2VEC, WordModel, array_words, read_word_model
from porism.embed.words.word_spans import text_words, word_spans
from porism.hashing import text_digest, text_number

_MAX_TOKENS = 10_000
"""A text is cut there, as gensim cuts it."""

EPOCHS = 20
"""Passes over a text when its vector is inferred; after five it still depends on the start."""

FIRST_RATE, LAST_RATE = 0.05, 0.0001
"""The rates of the first and the last pass."""

_MAX_EXPONENT = 6.0
"""A node that is this sure, right or wrong, is not learned from, as in gensim."""


@dataclass(frozen=True, slots=True)
class DocumentModel:
    """The parameters of a doc2vec model.

    ``hidden`` has a row for each node of the Huffman tree, with a part for the text and one for
    each neighbour. The nodes on the way to word ``i`` are ``nodes[starts[i]:starts[i + 1]]``, and
    ``codes`` has the branch that is taken at each. Word ``i`` counts ``shares[i]``, less than 1 if
    it is frequent. The last word vector is that of no word.
    """

    rows: dict[str, int]
    vectors: Vectors
    hidden: Vectors
    starts: NDArray[np.int64]
    nodes: NDArray[np.int64]
    codes: NDArray[np.uint8]
    shares: NDArray[np.float32]
    window: int

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return int(self.vectors.shape[1])

    def inferred(self, words: Sequence[str]) -> Vectors:
        """Return the vector of a text, given its words; zero if none of them is known."""
        known = [word for word in words if word in self.rows]
        vector = np.zeros(self.dimension, np.float32)
        if known:
            random = np.random.default_rng(text_number(" ".join(known)))
            vector += (random.random(self.dimension, np.float32) - 0.5) / self.dimension
            tokens = np.array([self.rows[word] for word in known], np.int64)
            sizes = self.starts[tokens + 1] - self.starts[tokens]
            _infer(
                tokens,
                self.vectors,
                self.hidden,
                self.starts,
                self.nodes,
                self.codes,
                self.shares,
                self.window,
                EPOCHS,
                np.zeros(int(sizes.sum()), np.float32),
                np.zeros(self.dimension, np.float32),
                vector,
            )
        return vector


@compiled
def _infer(
    tokens: Array,
    vectors: Array,
    hidden: Array,
    starts: Array,
    nodes: Array,
    codes: Array,
    shares: Array,
    window: IntLike,
    epochs: IntLike,
    by_neighbours: Array,
    change: Array,
    vector: Array,
) -> None:
    """Improve the vector of a text; ``by_neighbours`` and ``change`` are room to work in."""
    size = len(vector)
    absent = len(vectors) - 1
    at = 0
    for place in range(len(tokens)):
        word = tokens[place]
        for entry in range(starts[word], starts[word + 1]):
            total = np.float32(0)
            part = size
            for other in range(place - window, place + window + 1):
                if other != place:
                    inside = 0 <= other < len(tokens)
                    row = tokens[other] if inside else absent
                    total += _product(vectors[row], hidden[nodes[entry], part : part + size])
                    part += size
            by_neighbours[at] = total
            at += 1
    for epoch in range(epochs):
        share = epoch / max(1, epochs - 1)
        rate = np.float32(FIRST_RATE + share * (LAST_RATE - FIRST_RATE))
        at = 0
        for word in tokens:
            change[:] = 0
            for entry in range(starts[word], starts[word + 1]):
                node = nodes[entry]
                total = by_neighbours[at] + _product(vector, hidden[node, :size])
                at += 1
                if abs(total) < _MAX_EXPONENT:
                    step = rate * _error(total, codes[entry])
                    for i in range(size):
                        change[i] += step * hidden[node, i]
            for i in range(size):
                vector[i] += shares[word] * change[i]


@compiled
def _product(one: Array, two: Array) -> FloatLike:
    """Return the product of two vectors, by four sums, which the processor adds up at once."""
    a = b = c = d = np.float32(0)
    whole = len(one) // 4 * 4
    for i in range(0, whole, 4):
        a += one[i] * two[i]
        b += one[i + 1] * two[i + 1]
        c += one[i + 2] * two[i + 2]
        d += one[i + 3] * two[i + 3]
    for i in range(whole, len(one)):
        a += one[i] * two[i]
    return (a + b) + (c + d)


@compiled
def _error(total: FloatLike, code: IntLike) -> FloatLike:
    """Return how much more likely the branch of a code should have been; 0 is the likelier one."""
    return np.float32(1.0 - code - 1.0 / (1.0 + np.exp(-total)))


def document_model(model: WordModel) -> DocumentModel:
    """Return the parameters of a stored model."""
    dimension, window = model.settings["dimension"], model.settings["window"]
    words = array_words(model.arrays["words"])
    return DocumentModel(
        {word: row for row, word in enumerate(words)},
        model.arrays["vectors"].astype(np.float32).reshape(-1, dimension),
        model.arrays["hidden"].astype(np.float32).reshape(-1, (1 + 2 * window) * dimension),
        np.ascontiguousarray(model.arrays["starts"], np.int64),
        np.ascontiguousarray(model.arrays["nodes"], np.int64),
        np.ascontiguousarray(model.arrays["codes"], np.uint8),
        np.ascontiguousarray(model.arrays["shares"], np.float32),
        window,
    )


@dataclass(frozen=True, slots=True)
class Doc2VecEncoder:
    """A ``TextEncoder`` by inference with a doc2vec model."""

    identity: ModelIdentity
    model: DocumentModel = field(repr=False)
    max_tokens: int = _MAX_TOKENS

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text; see ``TextEncoder``."""
        vectors = [self.model.inferred(text_words(text, self.max_tokens)) for text in texts]
        return unit_rows(np.array(vectors, np.float32).reshape(-1, self.model.dimension))

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The unit vectors of the known words of each text; see ``TextEncoder``."""
        rows = self.model.rows
        return [
            unit_rows(
                self.model.vectors[
                    [rows[word] for word in text_words(text, self.max_tokens) if word in rows]
                ]
            )
            for text in texts
        ]

    def token_spans(self, text: str, limit: int) -> list[tuple[int, int]]:
        """The places of a text's words; see ``TextEncoder``."""
        return word_spans(text, limit)


def open_doc2vec_encoder(folder: Path) -> Doc2VecEncoder:
    """Open the folder of ``porism train doc2vec`` as an encoder of texts."""
    stored = read_word_model(folder, DOC2VEC)
    model = document_model(stored)
    digest = text_digest(f"{stored.digest} {EPOCHS}").hex()
    identity = ModelIdentity(folder.name, digest, model.dimension, "doc2vec", "float32")
    return Doc2VecEncoder(identity, model)
