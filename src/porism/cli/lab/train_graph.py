"""``porism train graph``: train the network of formula-graph, and store its vectors in an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.lab.train_embeddings import (
    TrainingRequest,
    save_model_option,
    train_embedding,
    trained_model_option,
)
from porism.cli.options.inputs import PATH, index_argument, index_collection_option
from porism.cli.options.jobs import jobs_option
from porism.cli.options.outputs import json_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.training import device_option
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.collection.progress import Watch
    from porism.collection.store import Collection
    from porism.searchindex.builder import IndexOptions
    from porism.structure.embeddings import FormulaModel


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train graph math-index
    porism train graph math-index --formulas formulas.txt.gz --steps 5000 --device cuda -o model
    porism train graph notes/index --model model
    """,
)
@trained_model_option("graph")
@click.option(
    "--formulas",
    metavar="FILE",
    type=PATH,
    help="Train on these formulas, one of LaTeX on each line, plain or gzip, and not on those of "
    "INDEX.",
)
@click.option(
    "--steps",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    default=1_000,
    show_default=True,
    help="Steps of training, each with a batch of formulas.",
)
@click.option(
    "--batch",
    metavar="N",
    type=click.IntRange(2, 65_536),
    default=1_024,
    show_default=True,
    help="Formulas in a batch, which are told apart.",
)
@device_option("cpu")
@save_model_option
@index_collection_option
@seed_option("Seed of the training.", click.IntRange(0, 2**31 - 1))
@jobs_option()
@json_option
@index_argument
def graph(
    index: Path,
    collection: Path | None,
    model: Path | None,
    formulas: Path | None,
    steps: int,
    batch: int,
    device: str,
    output: Path | None,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Train the network of formula-graph for INDEX, in the place of the one that Porism ships.

    Learns from altered views of formulas (torch, extra train), in about a second a step on two
    processors, and stores the vectors of all formulas in INDEX. The vectors that INDEX has stay in
    use until then.
    """

    def trained(
        opened: Collection, folder: Path, options: IndexOptions, watch: Watch
    ) -> FormulaModel:
        with needs_extra("train"):
            from porism.lab.training.graph_training import GraphTraining, train_graph_model
        from porism.lab.training.graph_formulas import file_corpus, index_corpus

        if formulas is None:
            corpus = index_corpus(opened, folder, options, watch)
        else:
            corpus = file_corpus(formulas, options, watch)
        training = GraphTraining(batch=batch, steps=steps, seed=seed)
        return train_graph_model(corpus, training, device, watch)

    request = TrainingRequest("graph", index, collection, model, output, jobs, as_json)
    train_embedding(request, trained)
