"""Trains the doc2vec model of a collection by gensim: Formula2Vec of MIRMU 2020.

PV-DM with concatenation, a window of 4, five epochs and hierarchical softmax, as published. A
vector has 100 components by default, not 400: the output layer has nine times as many for every
word, so 400 make a model of hundreds of megabytes for a large collection, and a small one cannot
fill them. Negative sampling, which gensim would add to the tree, is off, as is the joining of
collocations to phrases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from porism import __version__
from porism.analysis import prefix_text
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.embed.words.word_models import DOC2VEC, WordModel, words_array
from porism.embed.words.word_spans import text_words
from porism.errors import PorismError
from porism.lab.training.collection_texts import written_texts
from porism.lab.training.fasttext import EpochCallback, WordFile, gensim_version, least_count
from porism.model import Post
from porism.structure.embeddings.word_means import STORED

MIN_WORDS = 100
"""Words of a collection below which training is refused: they have no contexts to learn from."""

_NO_WORD = "\0"
"""gensim's word beyond the ends of a text."""

_MAX_WORDS = 10_000
"""Words of a post that are learned from, as in gensim."""


@dataclass(frozen=True, slots=True)
class Doc2VecTraining:
    """The choices of a training."""

    dimension: int = 100
    epochs: int = 5
    seed: int = 0
    window: int = 4
    rate: float = 0.05


class TaggedText(NamedTuple):
    """The words of a post, and its number, as gensim reads them."""

    words: list[str]
    tags: list[int]


@dataclass(frozen=True, slots=True)
class TaggedFile:
    """A text file with the words of one post on each line, read for each epoch."""

    file: WordFile

    def __iter__(self) -> Iterator[TaggedText]:
        for number, words in enumerate(self.file):
            yield TaggedText(words, [number])


def post_words(post: Post) -> list[str]:
    """Return the words of a post and the names of its formulas in prefix notation."""
    return text_words(prefix_text((*post.title, "\n", *post.body)), _MAX_WORDS)


def train_doc2vec(collection: Collection, training: Doc2VecTraining, watch: Watch) -> WordModel:
    """Train a model on all posts of a collection; one with too few words is refused."""
    with TemporaryDirectory(prefix="porism-train-") as temporary:
        text = written_texts(collection, Path(temporary), {"texts": post_words}, watch)["texts"]
        if text.tokens < MIN_WORDS:
            raise PorismError(
                f"{collection.path} has {text.tokens:,} words: expected at least {MIN_WORDS} to "
                "train doc2vec with; ingest a larger collection"
            )
        total = text.tokens * training.epochs
        done = 0

        def report() -> None:
            nonlocal done
            done += text.tokens
            watch(StepProgress("training", done, total, done))

        watch(StepProgress("training", 0, total, 0))
        model = import_module("gensim.models").Doc2Vec(
            documents=TaggedFile(text.file),
            dm=1,
            dm_concat=1,
            hs=1,
            negative=0,
            vector_size=training.dimension,
            window=training.window,
            epochs=training.epochs,
            alpha=training.rate,
            min_count=least_count(text.tokens),
            seed=training.seed,
            workers=1,
            callbacks=(EpochCallback(report),),
        )
    facts = {"posts": text.posts, "porism": __version__, "trained_by": gensim_version()}
    return stored_doc2vec(model, {**asdict(training), **facts})


def stored_doc2vec(model: Any, settings: dict[str, object]) -> WordModel:  # Any: gensim's model
    """Return gensim's model as arrays; the vectors of posts are not among them."""
    words = list(model.wv.index_to_key)
    rows = [row for row, word in enumerate(words) if word != _NO_WORD]
    ways = [model.wv.expandos["point"][row] for row in rows]
    codes = [model.wv.expandos["code"][row] for row in rows]
    shares = np.asarray(model.wv.expandos["sample_int"], np.float64)[rows] / (2**32 - 1)
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(way) for way in ways], out=starts[1:])
    return WordModel(
        DOC2VEC,
        {**settings, "known": len(rows)},
        {
            "words": words_array([words[row] for row in rows]),
            "vectors": np.asarray(model.wv.vectors)[[*rows, words.index(_NO_WORD)]].astype(STORED),
            "hidden": np.asarray(model.syn1).astype(STORED),
            "starts": starts,
            "nodes": np.concatenate(ways).astype(np.uint32),
            "codes": np.concatenate(codes).astype(np.uint8),
            "shares": shares.astype(np.float32),
        },
    )
