"""Models of words that need no training: their vectors are drawn by the hash of each word."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from porism.collection.store import Collection
from porism.embed.words.word_models import DOC2VEC, WordModel, words_array
from porism.hashing import text_key
from porism.lab.training.collection_texts import field_tokens, written_texts
from porism.lab.training.fasttext import SkipGram
from porism.lab.training.fasttext_model import TrainedStream, fasttext_model
from porism.rank.soft_cosine.soft_fields import STREAMS
from porism.structure.embeddings.word_means import TrainedWords

SETTINGS = SkipGram(dimension=3, epochs=1, seed=0, buckets=16)


def drawn_vectors(words: Sequence[str], dimension: int) -> NDArray[np.float32]:
    """A vector for each word, by its hash alone."""
    rows = [np.random.default_rng(text_key(word)).normal(size=dimension) for word in words]
    return np.array(rows, np.float32).reshape(-1, dimension)


MAX_WORDS = 1_000
"""Words of a stream: the sample has 37,000 tuples, whose neighbours take half a minute."""


def drawn_stream(frequencies: Mapping[str, int]) -> TrainedStream:
    """Words with drawn vectors, the most frequent first."""
    words = sorted(frequencies, key=lambda word: (-frequencies[word], word))[:MAX_WORDS]
    ngrams = drawn_vectors([f"<{bucket}>" for bucket in range(SETTINGS.buckets)], 3)
    trained = TrainedWords(words, drawn_vectors(words, SETTINGS.dimension), ngrams)
    return TrainedStream(trained, frequencies, SETTINGS)


def drawn_fasttext(texts: Mapping[str, Iterable[Sequence[str]]]) -> WordModel:
    """A fastText model of texts, by stream, with drawn vectors."""
    streams = {
        name: drawn_stream(Counter(word for text in texts.get(name, ()) for word in set(text)))
        for name in STREAMS
    }
    return fasttext_model(streams, {"posts": 0})


def collection_fasttext(collection: Collection) -> WordModel:
    """A fastText model of a collection with drawn vectors."""
    streams = {name: field_tokens(collection, spec) for name, spec in STREAMS.items()}
    with TemporaryDirectory() as folder:
        written = written_texts(collection, Path(folder), streams, lambda progress: None)
    return fasttext_model(
        {name: drawn_stream(text.frequencies) for name, text in written.items()}, {"posts": 0}
    )


def tiny_doc2vec(words: Sequence[str], dimension: int = 4, window: int = 2) -> WordModel:
    """A doc2vec model whose tree has one path of nodes for all words, with drawn parameters."""
    depth = 3
    codes = np.array([[row >> bit & 1 for bit in range(depth)] for row in range(len(words))])
    nodes = np.tile(np.arange(depth), (len(words), 1))
    return WordModel(
        DOC2VEC,
        {"dimension": dimension, "window": window, "posts": 0},
        {
            "words": words_array(words),
            "vectors": drawn_vectors([*words, "\0"], dimension).astype(np.float16),
            "hidden": (0.3 * drawn_vectors("abc", (1 + 2 * window) * dimension)).astype("f2"),
            "starts": np.arange(len(words) + 1, dtype=np.int64) * depth,
            "nodes": nodes.reshape(-1).astype(np.uint32),
            "codes": codes.reshape(-1).astype(np.uint8),
            "shares": np.ones(len(words), np.float32),
        },
    )
