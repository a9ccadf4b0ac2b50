"""``porism train cft`` and ``nits``: train embeddings of formulas, and store them in an index."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import (
    PATH,
    CommandDecorator,
    CommandFunction,
    index_argument,
    index_collection_option,
)
from porism.cli.options.jobs import jobs_option, useful_jobs
from porism.cli.options.outputs import FOLDER, json_option, output_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.training import dimension_option, epochs_option
from porism.cli.progress import duration, progress_reporter
from porism.cli.retrieval.write_errors import index_write_errors
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.collection.progress import Watch
    from porism.collection.store import Collection
    from porism.searchindex.builder import IndexOptions
    from porism.structure.embeddings import FormulaModel


def trained_model_option(embedding: str) -> CommandDecorator:
    """``--model``: a trained model, in the place of training."""
    return click.option(
        "--model",
        metavar="FOLDER",
        type=PATH,
        help=f"Store this model, which porism train {embedding} -o wrote, instead of training.",
    )


save_model_option = output_option("FOLDER", "Also write the model to this folder.", FOLDER)


def _word_embedding_options(command: CommandFunction) -> CommandFunction:
    """Add the options that both embeddings of words have."""
    decorators: list[CommandDecorator] = [
        index_collection_option,
        save_model_option,
        dimension_option(100, least=10),
        epochs_option(
            "How often every formula is learned from. If not given, from 30 for a small collection "
            "to 1 for 200,000 formulas."
        ),
        seed_option("Seed of the training.", click.IntRange(0, 2**31 - 1)),
        jobs_option(),
        json_option,
        index_argument,
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train cft math-index
    porism train cft math-index --seed 7 -o cft-model
    porism train cft notes/index --model cft-model
    """,
)
@trained_model_option("cft")
@_word_embedding_options
def cft(**choices: Any) -> None:  # click's parameters, as ``_train_words`` names them
    """Train the vectors of tangent-cft and tangent-cft-ted for INDEX.

    Embeds the tuples of layout trees, operator trees and layout types by fastText (gensim, extra
    train), in some minutes, and stores the vectors of all formulas in INDEX. The vectors that INDEX
    has stay in use until then. The same formulas and seed give the same model.
    """
    _train_words("cft", **choices)


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train nits math-index
    porism train nits math-index --epochs 3 --json
    """,
)
@trained_model_option("nits")
@_word_embedding_options
def nits(**choices: Any) -> None:  # click's parameters, as ``_train_words`` names them
    """Train the vectors of nits-embedding for INDEX.

    Embeds the tokens of LaTeX, layout and operator strings by fastText (gensim, extra train); see
    porism train cft.
    """
    _train_words("nits", **choices)


def _train_words(
    embedding: str,
    index: Path,
    collection: Path | None,
    model: Path | None,
    output: Path | None,
    dimension: int,
    epochs: int | None,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    def trained(
        opened: Collection, folder: Path, options: IndexOptions, watch: Watch
    ) -> FormulaModel:
        from porism.lab.training.word_embeddings import WordTraining, train_word_embedding

        with needs_extra("train"):
            import_module("gensim")
        training = WordTraining(dimension, epochs, seed)
        return train_word_embedding(opened, folder, embedding, training, options, watch)

    request = TrainingRequest(embedding, index, collection, model, output, jobs, as_json)
    train_embedding(request, trained)


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """The options that training of any embedding has."""

    embedding: str
    index: Path
    collection: Path | None
    model: Path | None
    output: Path | None
    jobs: int
    as_json: bool


def train_embedding(
    request: TrainingRequest,
    train: Callable[[Collection, Path, IndexOptions, Watch], FormulaModel],
) -> None:
    """Train a model of an embedding or read it, store it in an index, and print what was done."""
    from porism.formula.jsonl import json_line
    from porism.searchindex.builder import IndexOptions
    from porism.searchindex.formula_vector_filling import store_formula_model
    from porism.searchindex.index_folder import open_index
    from porism.structure.embeddings.model_files import load_model_folder, save_model_folder

    started = time.monotonic()
    embedding, index = request.embedding, request.index
    with (
        open_index(index, request.collection) as search_index,
        progress_reporter() as report_progress,
    ):
        folder, opened = search_index.folder, search_index.collection
        options = IndexOptions(useful_jobs(request.jobs, search_index.formulas.documents))
        with index_write_errors(folder):
            if request.model is not None:
                trained = load_model_folder(request.model, embedding)
            else:
                trained = train(opened, folder, options, report_progress)
            trained_in = time.monotonic() - started
            if request.output is not None:
                save_model_folder(request.output, trained)
            report = store_formula_model(opened, folder, trained, options, report_progress)
    if request.as_json:
        record = {
            "index": str(index),
            "embedding": embedding,
            "dimension": trained.dimension,
            "settings": dict(trained.settings),
            "vectors": report.vectors,
            "encoded": report.encoded,
            "training_seconds": round(trained_in, 3),
            "seconds": round(time.monotonic() - started, 3),
        }
        click.echo(json_line(record))
        return
    how = "read" if request.model is not None else "trained"
    click.echo(
        f"{index}: {report.vectors:,} {embedding} vectors of formulas, {report.encoded:,} encoded "
        f"in {duration(report.seconds)}; model {how} in {duration(trained_in)}"
    )
