"""``porism train bi-encoder`` and ``cross-encoder``: train encoders on pairs of a collection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.command import PorismCommand
from porism.cli.lab.judged_sets import topic_sets
from porism.cli.options.inputs import (
    PATH,
    CommandDecorator,
    CommandFunction,
    collection_argument,
    qrels_option,
    topics_option,
    without_links_option,
)
from porism.cli.options.outputs import FOLDER, json_option, output_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.systems import comma_separated
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
    from porism.collection.progress import Watch
    from porism.collection.store import Collection
    from porism.lab.training.encoders.pairs import PairOptions
    from porism.lab.training.encoders.records import TrainingSet
    from porism.lab.training.epochs import TrainingPlaces, TrainingResult, TrainingSettings
    from porism.rank.ranker import Ranker

PAIRS = ("answers", "duplicates", "related")
CROSS_OTHERS = 20
"""Answers beside the relevant ones of a validation topic, each of which a cross-encoder reads."""


@dataclass(frozen=True, slots=True)
class _Choices:
    """The options that both commands have."""

    collection: Path
    output: Path
    base: str
    topics: tuple[Path, ...]
    qrels: tuple[Path, ...]
    without_links: Path | None
    epochs: int
    batch: int
    learning_rate: float
    max_tokens: int
    limit: int | None
    validation: int
    keep: str
    seed: int
    device: str
    resume: bool
    as_json: bool


def _training_options(
    epochs: int, batch: int, learning_rate: float, max_tokens: int
) -> CommandDecorator:
    """The options that both commands have, with the defaults of one."""
    decorators: list[CommandDecorator] = [
        output_option("MODEL", "Folder to write.", FOLDER, required=True),
        base_option("minilm", "Model to start from: minilm, a folder, or hub:NAME."),
        topics_option("Judged topics of Task 1 to learn from as well.", multiple=True),
        qrels_option("Their judgments, one file per file of topics.", multiple=True),
        without_links_option(
            "Learn nothing from the threads of these links, as porism topics links writes them, so "
            "that link topics can measure the model."
        ),
        count_option("--epochs", epochs, "How often every pair is learned from."),
        count_option("--batch", batch, "Pairs in a batch.", least=2),
        learning_rate_option(learning_rate),
        count_option("--max-tokens", max_tokens, "Tokens at which texts are cut.", least=8),
        count_option("--limit", None, "Learn from so many pairs, drawn at random."),
        count_option("--validation", 100, "Number of validation topics, at most."),
        keep_option,
        seed_option("Seed of the training.", click.IntRange(0, 2**31 - 1)),
        device_option("auto", "; auto takes a graphics card if there is one."),
        resume_option,
        json_option,
        collection_argument,
    ]

    def decorate(command: CommandFunction) -> CommandFunction:
        for each in reversed(decorators):
            command = each(command)
        return command

    return decorate


@click.command(
    "bi-encoder",
    cls=PorismCommand,
    epilog="""
    porism train bi-encoder math -o math-encoder
    porism train bi-encoder math --formulas prefix --loss votes -o compubert
    porism index math --model math-encoder --vectors
    porism index math --model compubert=compubert --systems compubert
    """,
)
@click.option(
    "--pairs",
    metavar="KINDS",
    multiple=True,
    default=PAIRS,
    show_default=",".join(PAIRS),
    callback=comma_separated,
    help="Texts that a question should be similar to: its answers, its duplicates, and questions "
    "it is linked with as related.",
)
@click.option(
    "--loss",
    type=click.Choice(["ranking", "votes"]),
    default="ranking",
    show_default=True,
    help="ranking: the text of a pair should be nearer than those of all other pairs of the batch; "
    "votes: the cosine should be the votes of the answer, as for CompuBERT.",
)
@click.option(
    "--formulas",
    type=click.Choice(["latex", "prefix"]),
    default="latex",
    show_default=True,
    help="How formulas are written in the texts; prefix as for CompuBERT of 2020.",
)
@_training_options(epochs=1, batch=128, learning_rate=2e-5, max_tokens=128)
def bi_encoder(
    pairs: tuple[str, ...],
    loss: str,
    formulas: str,
    **choices: Any,  # click's parameters, as ``_Choices`` names them
) -> None:
    """Train a bi-encoder on the questions, answers and links of COLLECTION.

    Starts from --base and writes MODEL, a folder for porism index --model (torch, extra train).
    Validation topics are linked questions that are not learned from; the best epoch is kept. An
    interrupted training continues with --resume, and MODEL is never half-written.
    """
    from porism.analysis.prefix_formulas import prefix_text
    from porism.model import plain_text

    given = _Choices(**choices)
    uses_votes = loss == "votes"
    written = prefix_text if formulas == "prefix" else plain_text
    source: dict[str, object] = {"pairs": list(pairs), "formulas": formulas}

    def read(collection: Collection, options: PairOptions, watch: Watch) -> TrainingSet:
        from porism.lab.training.encoders.pairs import bi_encoder_pairs

        options = replace(options, sources=_sources(pairs), written=written)
        return bi_encoder_pairs(collection, options, watch, uses_votes)

    def train(
        data: TrainingSet, training: TrainingSettings, places: TrainingPlaces, watch: Watch
    ) -> TrainingResult:
        from porism.lab.training.encoders.networks import BiEncoderLoss
        from porism.lab.training.encoders.training import train_bi_encoder

        chosen = BiEncoderLoss(uses_votes)
        return train_bi_encoder(data, training, places, watch, given.device, given.resume, chosen)

    _run("bi-encoder", given, source, read, train)


@click.command(
    "cross-encoder",
    cls=PorismCommand,
    epilog="""
    porism train cross-encoder math -o math-cross
    porism train cross-encoder math --negatives math/index --wrong 6 -o math-cross
    porism index math --model cross-encoder=math-cross --systems tu-dbs
    """,
)
@count_option("--wrong", 4, "Wrong answers to each right one.")
@click.option(
    "--negatives",
    metavar="INDEX",
    type=PATH,
    help="Half of the wrong answers are those that the best system of this index ranks high.",
)
@_training_options(epochs=8, batch=128, learning_rate=1e-4, max_tokens=256)
def cross_encoder(
    wrong: int,
    negatives: Path | None,
    **choices: Any,  # click's parameters, as ``_Choices`` names them
) -> None:
    """Train a cross-encoder on right and wrong answers of COLLECTION.

    Right are answers that are accepted or have votes, wrong ones are of questions that share a tag,
    as for TU_DBS. Writes MODEL, a folder for porism index --model cross-encoder=MODEL (torch, extra
    train). Otherwise as porism train bi-encoder.
    """
    given = _Choices(**choices)
    source: dict[str, object] = {
        "wrong": wrong,
        "negatives": None if negatives is None else negatives.name,
    }

    def read(collection: Collection, options: PairOptions, watch: Watch) -> TrainingSet:
        from porism.lab.training.encoders.pairs import cross_encoder_pairs

        size = replace(options.validation, others=CROSS_OTHERS, sharing_tags=True)
        options = replace(options, validation=size)
        with _ranker(negatives) as ranker:
            return cross_encoder_pairs(collection, options, watch, wrong, ranker)

    def train(
        data: TrainingSet, training: TrainingSettings, places: TrainingPlaces, watch: Watch
    ) -> TrainingResult:
        from porism.lab.training.encoders.training import train_cross_encoder

        return train_cross_encoder(data, training, places, watch, given.device, given.resume)

    _run("cross-encoder", given, source, read, train)


def _sources(names: tuple[str, ...]) -> frozenset[Any]:  # Any: the enumeration is imported late
    from porism.lab.training.encoders.records import PairSource

    unknown = [name for name in names if name not in PAIRS]
    if unknown or not names:
        raise click.UsageError(
            f"found --pairs {','.join(names)}: expected some of {', '.join(PAIRS)}"
        )
    return frozenset(map(PairSource, names))


@contextmanager
def _ranker(index: Path | None) -> Iterator[Ranker | None]:
    """The best system of an index, which ranks answers that only seem right."""
    if index is None:
        yield None
        return
    from porism.catalog import default_ranker
    from porism.model import Task
    from porism.searchindex.index_folder import open_index
    from porism.storage.bus_errors import exit_on_bus_error

    exit_on_bus_error()
    with open_index(index) as search_index:
        yield default_ranker(Task.ANSWERS, search_index)[1]


def _run(
    kind: str,
    given: _Choices,
    source: dict[str, object],
    read: Callable[[Collection, PairOptions, Watch], TrainingSet],
    train: Callable[[TrainingSet, TrainingSettings, TrainingPlaces, Watch], TrainingResult],
) -> None:
    """Read pairs, train on them and print what came of it; ``read`` and ``train`` do the work."""
    with needs_extra("train"):
        from porism.lab.training.epochs import FinalEpoch, TrainingPlaces, TrainingSettings
    from porism.collection.store import open_collection
    from porism.embed.models import trainable_folder
    from porism.lab.training.encoders.pairs import PairOptions
    from porism.lab.training.encoders.validation import ValidationSize

    started = time.monotonic()
    if given.output.exists():
        raise PorismError(f"{given.output} already exists; name a new folder or remove it first")
    base = trainable_folder(given.base)
    judged = topic_sets(given.topics, given.qrels, (), (), 1) if given.topics or given.qrels else ()
    training = TrainingSettings(
        given.epochs,
        given.batch,
        given.learning_rate,
        given.max_tokens,
        given.seed,
        keep=FinalEpoch(given.keep),
    )
    with open_collection(given.collection) as collection, progress_reporter() as watch:
        without = excluded_questions(given.without_links, collection)
        options = PairOptions(
            without=without,
            limit=given.limit,
            seed=given.seed,
            validation=ValidationSize(given.validation),
            judged=judged,
        )
        data = read(collection, options, watch)
        for note in data.notes:
            click.echo(f"Note: {note}", err=True)
        source = {
            "collection": given.collection.name,
            "left_out": len(without),
            "limit": given.limit,
            **source,
        }
        places = TrainingPlaces(base, given.base, given.output, source)
        with named_continuation(given.output):
            result = train(data, training, places, watch)
    _report(kind, given, data, result, time.monotonic() - started)


def _report(
    kind: str, given: _Choices, data: TrainingSet, result: TrainingResult, seconds: float
) -> None:
    """Print what was trained, warn if it is no better, and name the topics it was trained on."""
    from porism.formula.jsonl import json_line

    output = given.output
    if not result.has_improved:
        best = max(result.curve.validation[1:])
        kept = (
            f"{output} has the weights of {given.base}"
            if result.kept_epoch == 0
            else f"{output} has the weights of epoch {result.kept_epoch}, because of --keep last"
        )
        click.echo(
            f"WARNING: training did not improve validation: {result.before:.3f} before, "
            f"{best:.3f} at best after; {kept}",
            err=True,
        )
    for name, topics in data.judged.items():
        click.echo(
            f"Note: trained on judgments of {len(topics):,} topics of {name}: the scores of this "
            "model on these topics are contaminated",
            err=True,
        )
    if given.as_json:
        record = {
            "model": str(output),
            "kind": kind,
            "pairs": dict(data.counts),
            "device": result.device,
            "validation": {
                "measure": "MAP",
                "relevant": data.validation_kind,
                "topics": len(data.validation),
                "by_epoch": list(result.curve.validation),
                "best_epoch": result.best_epoch,
                "kept_epoch": result.kept_epoch,
            },
            "contamination": {name: list(topics) for name, topics in data.judged.items()},
            "seconds": round(seconds, 3),
        }
        click.echo(json_line(record))
        return
    counts = ", ".join(f"{count:,} {name}" for name, count in data.counts.items())
    click.echo(
        f"{output}: {kind} trained on {len(data.pairs):,} pairs ({counts}) on {result.device} in "
        f"{duration(seconds)}"
    )
    click.echo(
        f"Validation, MAP over {len(data.validation):,} topics ({data.validation_kind}): "
        f"{result.before:.3f} before training, {result.after:.3f} of epoch {result.kept_epoch}, "
        "which was kept; see curves.svg and training.json in the folder"
    )
