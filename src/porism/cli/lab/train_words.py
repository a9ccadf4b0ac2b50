"""``porism train fasttext`` and ``doc2vec``: train models on the words of a collection."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument
from porism.cli.options.outputs import FOLDER, json_option, output_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.training import dimension_option, epochs_option
from porism.cli.progress import duration, progress_reporter
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.collection.progress import Watch
    from porism.collection.store import Collection
    from porism.embed.words.word_models import WordModel

_new_model_option = output_option("MODEL", "Folder to write.", FOLDER, required=True)
_seed_option = seed_option("Seed of the training.", click.IntRange(0, 2**31 - 1))


_epochs_option = epochs_option("How often every post is learned from.", 5)


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train fasttext math -o math-words
    porism index math --model fasttext=math-words --systems scm,scm-2022
    """,
)
@_new_model_option
@dimension_option(300, least=2)
@_epochs_option
@_seed_option
@json_option
@collection_argument
def fasttext(
    collection: Path, output: Path, dimension: int, epochs: int, seed: int, as_json: bool
) -> None:
    """Train word vectors of COLLECTION, by which scm and scm-2022 compare terms.

    Embeds words and formulas by fastText (gensim, extra train) and writes the vectors, with the 100
    most similar terms of each term. The same collection and seed give the same model.
    """

    def trained(opened: Collection, watch: Watch) -> WordModel:
        from porism.lab.training.fasttext_model import FastTextTraining, train_fasttext

        return train_fasttext(opened, FastTextTraining(dimension, epochs, seed), watch)

    _train(collection, output, as_json, trained)


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train doc2vec math -o math-texts
    porism index math --model formula2vec=math-texts --systems formula2vec
    """,
)
@_new_model_option
@dimension_option(100, least=2)
@_epochs_option
@_seed_option
@json_option
@collection_argument
def doc2vec(
    collection: Path, output: Path, dimension: int, epochs: int, seed: int, as_json: bool
) -> None:
    """Train a model of the texts of COLLECTION, by which formula2vec encodes them.

    Embeds posts with formulas in prefix notation by doc2vec (gensim, extra train). The same
    collection and seed give the same model.
    """

    def trained(opened: Collection, watch: Watch) -> WordModel:
        from porism.lab.training.doc2vec_model import Doc2VecTraining, train_doc2vec

        return train_doc2vec(opened, Doc2VecTraining(dimension, epochs, seed), watch)

    _train(collection, output, as_json, trained)


def _train(
    collection: Path,
    output: Path,
    as_json: bool,
    train: Callable[[Collection, Watch], WordModel],
) -> None:
    """Train a model, write it to a new folder, and print what was done."""
    from porism.collection.store import open_collection
    from porism.embed.words.word_models import check_new_folder, write_word_model
    from porism.formula.jsonl import json_line

    started = time.monotonic()
    with open_collection(collection) as opened, progress_reporter() as watch:
        check_new_folder(output)
        with needs_extra("train"):
            import_module("gensim")
        model = train(opened, watch)
        write_word_model(output, model)
    seconds = time.monotonic() - started
    if as_json:
        record = {
            "model": str(output),
            "kind": model.kind,
            "settings": dict(model.settings),
            "seconds": round(seconds, 3),
        }
        click.echo(json_line(record))
        return
    posts = model.settings["posts"]
    click.echo(
        f"{output}: {model.kind} model of {posts:,} posts, {model.settings['dimension']} "
        f"components, trained in {duration(seconds)}"
    )
