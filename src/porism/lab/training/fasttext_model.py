"""Trains the fastText model of a collection: vectors of its tokens, and their similarities.

There is a model for each stream of tokens of ``soft_fields``: words with formulas in prefix
notation for ``scm``, words alone and tuples alone for ``scm-2022``. The settings are MIRMU's of
2020; only the table of n-grams is smaller (50,000 in the place of 2 million, which would take
1.2 GB), and tuples have no n-grams, as in 2022. Collocations are not joined to phrases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from porism import __version__
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.embed.words.fasttext_encoder import WORDS_STREAM
from porism.embed.words.word_models import FASTTEXT, StoredValues, WordModel, words_array
from porism.errors import PorismError
from porism.lab.training.collection_texts import CollectionText, field_tokens, written_texts
from porism.lab.training.fasttext import SkipGram, gensim_version, trained_words
from porism.lab.training.term_similarities import (
    SparseSimilarities,
    lexical_neighbours,
    rarest_first,
    semantic_neighbours,
    sparse_similarities,
)
from porism.rank.soft_cosine.soft_fields import STREAMS
from porism.structure.embeddings.word_means import STORED, TrainedWords

MIN_WORDS = 100
"""Words of a collection below which training is refused: they have no contexts to learn from."""

MAX_TERMS = 100_000
"""The most frequent tokens of a stream that have similarities (SCM 2022)."""


@dataclass(frozen=True, slots=True)
class FastTextTraining:
    """The choices of a training; the defaults are the published values."""

    dimension: int = 300
    epochs: int = 5
    seed: int = 0

    def skip_gram(self, stream: str) -> SkipGram:
        """Return the settings for a stream of tokens."""
        max_n = 0 if stream == "tuples" else 6
        return SkipGram(self.dimension, self.epochs, self.seed, max_n=max_n, rate=0.05, sample=1e-4)


class TrainedStream(NamedTuple):
    """The vectors of a stream of tokens, and how many posts have each of its words."""

    words: TrainedWords
    frequencies: Mapping[str, int]
    settings: SkipGram


def train_fasttext(collection: Collection, training: FastTextTraining, watch: Watch) -> WordModel:
    """Train a model on all posts of a collection; one with too few words is refused."""
    with TemporaryDirectory(prefix="porism-train-") as temporary:
        streams = {name: field_tokens(collection, spec) for name, spec in STREAMS.items()}
        texts = written_texts(collection, Path(temporary), streams, watch)
        if texts[WORDS_STREAM].tokens < MIN_WORDS:
            raise PorismError(
                f"{collection.path} has {texts[WORDS_STREAM].tokens:,} words: expected at least "
                f"{MIN_WORDS} to train fasttext with; ingest a larger collection"
            )
        total = sum(text.tokens for text in texts.values()) * training.epochs
        done = 0
        watch(StepProgress("training", 0, total, 0))
        trained: dict[str, TrainedStream] = {}
        for name, text in texts.items():

            def report(tokens: int = text.tokens) -> None:
                nonlocal done
                done += tokens
                watch(StepProgress("training", done, total, done))

            settings = training.skip_gram(name)
            words = trained_words(text.file, settings, report) if text.tokens else _none(settings)
            trained[name] = TrainedStream(words, text.frequencies, settings)
    facts = {"posts": _most_posts(texts), "porism": __version__, "trained_by": gensim_version()}
    return fasttext_model(trained, facts, watch)


def _most_posts(texts: Mapping[str, CollectionText]) -> int:
    return max(text.posts for text in texts.values())


def _none(settings: SkipGram) -> TrainedWords:
    """Return what a stream without tokens has: a collection may have no formulas."""
    empty = np.zeros((0, settings.dimension), np.float32)
    return TrainedWords([], empty, empty)


def fasttext_model(
    trained: Mapping[str, TrainedStream],
    facts: Mapping[str, object],
    watch: Watch = lambda progress: None,
) -> WordModel:
    """Return a model of vectors by stream, with the similarities that are computed from them."""
    arrays: dict[str, StoredValues] = {}
    settings: dict[str, object] = {}
    dimension = 0
    for name, (words, frequencies, skip_gram) in trained.items():
        dimension = skip_gram.dimension
        terms = list(words.words[:MAX_TERMS])
        order = rarest_first(np.array([frequencies[term] for term in terms], np.int64))

        def report(done: int, name: str = name, total: int = len(terms)) -> None:
            watch(StepProgress(f"similarities of {name}", done, total, done))

        semantic = semantic_neighbours(words.vectors[:MAX_TERMS], progress=report)
        matrices = {"semantic": sparse_similarities(semantic, order, is_dominant=True)}
        if name == WORDS_STREAM:
            spelled = lexical_neighbours(terms, progress=report)
            matrices["lexical"] = sparse_similarities(spelled, order, is_dominant=False)
            arrays[f"{name}-ngrams"] = words.ngram_vectors.astype(STORED)
        arrays[f"{name}-words"] = words_array(words.words)
        arrays[f"{name}-vectors"] = words.vectors.astype(STORED)
        for kind, matrix in matrices.items():
            arrays |= _matrix_arrays(f"{name}-{kind}", matrix)
        settings[name] = {**asdict(skip_gram), "known": len(words.words), "terms": len(terms)}
    return WordModel(FASTTEXT, {"dimension": dimension, "streams": settings, **facts}, arrays)


def _matrix_arrays(name: str, matrix: SparseSimilarities) -> dict[str, StoredValues]:
    return {
        f"{name}-starts": matrix.starts,
        f"{name}-columns": matrix.columns,
        f"{name}-values": matrix.values,
    }
