"""Trains the embeddings of formulas that are means of word vectors: Tangent-CFT and JU_NITS.

Each representation of the formulas becomes a text, and the vectors of its words are trained apart
from the others, in a process of their own, by one thread: so a model depends on the formulas, the
settings and the seed alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from porism import __version__
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.lab.training.fasttext import SkipGram, WordFile, gensim_version, trained_words
from porism.parallel import map_in_order
from porism.searchindex.builder import IndexOptions
from porism.searchindex.components.text_keys import Keys
from porism.searchindex.formula_vector_filling import formula_input, indexed_formulas
from porism.searchindex.index_build import chunks
from porism.structure.embeddings import FormulaModel, tangent_cft, token_sequences
from porism.structure.embeddings.word_means import TrainedWords, Words, model_arrays

MIN_FORMULAS = 10
"""Fewer formulas than these are refused: they teach nothing about the context of words."""

MAX_EPOCHS = 30
"""Epochs of a small collection, as published."""

EPOCH_WORDS = 5_000_000
"""Words over all epochs of a representation: about two minutes on one processor.

The published 30 epochs of 300 components and 20 negative words take 20 times as long as ours for
the same words.
"""

CHUNK_FORMULAS = 1_000
"""Formulas whose words are made together."""


@dataclass(frozen=True, slots=True)
class WordEmbedding:
    """An embedding that is trained here: its representations, and the lengths of its n-grams."""

    name: str
    representations: Mapping[str, Words]
    min_n: int
    max_n: int


EMBEDDINGS = {
    tangent_cft.EMBEDDING: WordEmbedding(
        tangent_cft.EMBEDDING, tangent_cft.REPRESENTATIONS, min_n=3, max_n=6
    ),
    token_sequences.EMBEDDING: WordEmbedding(
        token_sequences.EMBEDDING, token_sequences.REPRESENTATIONS, min_n=1, max_n=3
    ),
}


@dataclass(frozen=True, slots=True)
class WordTraining:
    """The choices of a training; without ``epochs``, as many as ``EPOCH_WORDS`` allow."""

    dimension: int = 100
    epochs: int | None = None
    seed: int = 0


class _WordChunk(NamedTuple):
    """Formulas whose words are wanted, by their numbers; in a ``run``, a process opens once."""

    collection: Path
    run: str
    embedding: str
    numbers: list[int]


class _Task(NamedTuple):
    text: WordFile
    settings: SkipGram


def train_word_embedding(
    collection: Collection,
    folder: Path,
    embedding: str,
    training: WordTraining,
    options: IndexOptions,
    watch: Watch,
) -> FormulaModel:
    """Train an embedding on all formulas of an index; nothing of the index is changed.

    An index with fewer than ``MIN_FORMULAS`` formulas is refused.
    """
    chosen = EMBEDDINGS[embedding]
    numbers = indexed_formulas(collection, folder, embedding)
    if len(numbers) < MIN_FORMULAS:
        count = "1 formula" if len(numbers) == 1 else f"{len(numbers)} formulas"
        raise PorismError(
            f"{folder} has {count}: expected at least {MIN_FORMULAS} to train {embedding} with; "
            "index a larger collection, or take a trained model with --model"
        )
    with TemporaryDirectory(prefix="porism-train-") as temporary:
        texts = _written_texts(
            collection.path, chosen, numbers, Path(temporary), options.jobs, watch
        )
        if not all(text.words for text in texts.values()):
            raise PorismError(
                f"{folder}: its {len(numbers):,} formulas have no parts to train {embedding} with; "
                "they may all be refused or empty, see porism stats"
            )
        tasks = {name: _task(text, chosen, training) for name, text in texts.items()}
        trained: dict[str, TrainedWords] = {}
        total = sum(task.text.words * task.settings.epochs for task in tasks.values())
        done = 0
        watch(StepProgress("training", 0, total, 0))
        results = map_in_order(_trained, tasks.values(), min(options.jobs, len(tasks)))
        for (name, task), words in zip(tasks.items(), results, strict=True):
            trained[name] = words
            done += task.text.words * task.settings.epochs
            watch(StepProgress("training", done, total, done))
    settings = {
        "min_n": chosen.min_n,
        "max_n": chosen.max_n,
        "formulas": len(numbers),
        "representations": {
            name: {**asdict(task.settings), "words": task.text.words, "known": len(words.words)}
            for (name, task), words in zip(tasks.items(), trained.values(), strict=True)
        },
        "porism": __version__,
        "trained_by": gensim_version(),
    }
    return FormulaModel(embedding, training.dimension, settings, model_arrays(trained))


def _task(text: WordFile, embedding: WordEmbedding, training: WordTraining) -> _Task:
    epochs = training.epochs or max(1, min(MAX_EPOCHS, EPOCH_WORDS // text.words))
    return _Task(
        text,
        SkipGram(
            training.dimension,
            epochs,
            training.seed,
            min_n=embedding.min_n,
            max_n=embedding.max_n,
        ),
    )


def _trained(task: _Task) -> TrainedWords:
    return trained_words(task.text, task.settings)


def _written_texts(
    collection: Path,
    embedding: WordEmbedding,
    numbers: Keys,
    folder: Path,
    jobs: int,
    watch: Watch,
) -> dict[str, WordFile]:
    """Write the words of formulas, a file for each representation and a line for each formula."""
    paths = {name: folder / name for name in embedding.representations}
    words = dict.fromkeys(paths, 0)
    run = f"{os.getpid()}-{time.monotonic_ns()}"
    waiting = (
        _WordChunk(collection, run, embedding.name, chunk)
        for chunk in chunks(CHUNK_FORMULAS, numbers.tolist())
    )
    done = 0
    for lines in map_in_order(_word_lines, waiting, jobs):
        for name, path in paths.items():
            with path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.writelines(lines[name])
            words[name] += sum(line.count(" ") + 1 for line in lines[name])
        done = min(done + CHUNK_FORMULAS, len(numbers))
        watch(StepProgress("formulas to words", done, len(numbers), done))
    return {name: WordFile(path, words[name]) for name, path in paths.items()}


def _word_lines(chunk: _WordChunk) -> dict[str, list[str]]:
    """Return the lines of formulas that have words; runs in another process."""
    collection = _collection(chunk.collection, chunk.run)
    lines: dict[str, list[str]] = {}
    for number in chunk.numbers:
        formula = collection.formula(number)
        if formula is None:
            continue
        given = formula_input(formula)
        for name, words_of in EMBEDDINGS[chunk.embedding].representations.items():
            of_name = lines.setdefault(name, [])
            if words := words_of(given):
                of_name.append(" ".join(words) + "\n")
    return {name: lines.get(name, []) for name in EMBEDDINGS[chunk.embedding].representations}


@lru_cache(maxsize=1)
def _collection(path: Path, run: str) -> Collection:
    """Open the collection once in a run: it may change later."""
    return open_collection(path)
