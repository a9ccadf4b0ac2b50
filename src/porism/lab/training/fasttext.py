"""Vectors of words by fastText's skip-gram, trained by gensim, which is imported on use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from porism.structure.embeddings.word_means import TrainedWords

RARE = 5
"""Occurrences of a word with a vector of its own, as published, in a text of many words."""

MANY = 100_000
"""Words of a text from which on those that occur less are left to their n-grams."""


@dataclass(frozen=True, slots=True)
class SkipGram:
    """The settings of fastText: words up to ``window`` apart predict each other.

    There are ``negative`` random words to each. N-grams have ``min_n`` to ``max_n`` characters, and
    one of ``buckets`` vectors each; there are none if ``max_n`` is 0. ``rate`` is that of learning
    at the start, and words with a greater share of the text than ``sample`` are skipped at random.
    """

    dimension: int
    epochs: int
    seed: int
    window: int = 5
    negative: int = 5
    min_n: int = 3
    max_n: int = 6
    buckets: int = 50_000
    rate: float = 0.025
    sample: float = 1e-3


@dataclass(frozen=True, slots=True)
class WordFile:
    """A text file with the words of one formula or text on each line, read for each epoch."""

    path: Path
    words: int

    def __iter__(self) -> Iterator[list[str]]:
        with self.path.open(encoding="utf-8", errors="surrogatepass") as lines:
            for line in lines:
                yield line.split()


def gensim_version() -> str:
    """Return the name and version of what trains."""
    return f"gensim {import_module('gensim').__version__}"


@dataclass(frozen=True, slots=True)
class EpochCallback:
    """Has gensim report each epoch that is done, by a call without arguments."""

    report: Callable[[], None]

    def on_train_begin(self, model: object) -> None:
        """Do nothing."""

    def on_train_end(self, model: object) -> None:
        """Do nothing."""

    def on_epoch_begin(self, model: object) -> None:
        """Do nothing."""

    def on_epoch_end(self, model: object) -> None:
        """Report the epoch."""
        self.report()


def least_count(words: int) -> int:
    """Return how often a word occurs that gets a vector, in a text of so many words."""
    return RARE if words >= MANY else 1


def trained_words(
    text: WordFile, settings: SkipGram, report: Callable[[], None] = lambda: None
) -> TrainedWords:
    """Train vectors of words; the same text and settings give the same on the same machine.

    That needs one thread: gensim's threads change vectors in an order of their own. ``report`` is
    called after each epoch.
    """
    model = import_module("gensim.models").FastText(
        sentences=text,
        sg=1,
        vector_size=settings.dimension,
        window=settings.window,
        negative=settings.negative,
        epochs=settings.epochs,
        min_n=settings.min_n,
        max_n=settings.max_n,
        bucket=settings.buckets,
        min_count=least_count(text.words),
        seed=settings.seed,
        alpha=settings.rate,
        sample=settings.sample,
        workers=1,
        callbacks=(EpochCallback(report),),
    )
    vectors = np.asarray(model.wv.vectors, np.float32)
    return TrainedWords(
        list(model.wv.index_to_key), vectors, np.asarray(model.wv.vectors_ngrams, np.float32)
    )
