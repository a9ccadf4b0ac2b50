"""The options of commands that score runs, collected in one record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from porism.cli.options.inputs import (
    PATH,
    CommandDecorator,
    answers_option,
    collection_option,
    leave_out_option,
    qrels_option,
    task1_qrels_option,
    visual_ids_option,
)
from porism.cli.options.systems import task_option

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How to score runs; options that were not given are None or empty."""

    qrels: Path
    task: str | None = None
    measures: tuple[str, ...] = ()
    formulas: Path | None = None
    run_ids: str = "auto"
    only_in: Path | None = None
    leave_out: Path | None = None
    validate: bool = True
    answers: Path | None = None
    annotations: Path | None = None
    references: tuple[Path, ...] = ()
    task1_qrels: Path | None = None
    tokenizer: Path | None = None
    bags: bool = False
    model: Path | None = None
    layer: int | None = None
    collection: Path | None = None

    @property
    def task3_options(self) -> list[str]:
        """The given options that only Task 3 has, as they are typed."""
        names = "answers annotations references task1_qrels tokenizer bags model layer".split()
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name)]

    @property
    def ranking_options(self) -> list[str]:
        """The given options that only Tasks 1 and 2 have."""
        options = (
            ("--formulas", self.formulas),
            ("--only-in", self.only_in),
            ("--leave-out", self.leave_out),
        )
        return [name for name, value in options if value]

    @property
    def is_task3(self) -> bool:
        """Whether this is Task 3: it was given, or a map of answers was."""
        return self.task == "3" or (self.task is None and self.answers is not None)


def measures_option(text: str) -> CommandDecorator:
    return click.option("--measures", metavar="NAMES", multiple=True, help=text)


_OPTIONS = (
    qrels_option("The judgments: topic, 0, document, grade; plain or gzip.", required=True),
    task_option(
        "1 answers, 2 formulas, 3 one answer per topic; by default as the topics say.",
        ("1", "2", "3"),
    ),
    measures_option("Measures as papers or ir-measures name them; repeat, or separate by commas."),
    visual_ids_option("Visual ids of formulas (Task 2): formula files, a collection, or a map."),
    click.option(
        "--run-ids",
        type=click.Choice(["auto", "formula", "visual"]),
        default="auto",
        show_default=True,
        help="What the runs of Task 2 name.",
    ),
    click.option(
        "--only-in",
        metavar="COLLECTION",
        type=PATH,
        help="Ignore judgments of documents that this collection does not have.",
    ),
    leave_out_option(
        "Posts to remove from the runs first (Task 1, TSV: topic, post), such as own_posts.tsv of "
        "porism topics links."
    ),
    click.option(
        "--validate/--no-validate",
        default=True,
        show_default=True,
        help="Check the runs and report faults.",
    ),
    answers_option("The answer that each run gave (Task 3): run, topic, answer id."),
    click.option(
        "--annotations",
        metavar="FILE",
        type=PATH,
        help="Annotations besides grades (Task 3, TSV), for MG and UI.",
    ),
    click.option(
        "--references",
        metavar="FILE",
        type=PATH,
        multiple=True,
        help="More runs of Task 3 whose relevant answers are references.",
    ),
    task1_qrels_option(
        "Judgments of Task 1, whose relevant answers in --collection are references too."
    ),
    click.option(
        "--tokenizer",
        metavar="PATH",
        type=PATH,
        help="A tokenizer.json, or a model's folder, for LO; built-in if not given.",
    ),
    click.option("--bags", is_flag=True, help="LO counts every occurrence of a token."),
    click.option(
        "--model",
        metavar="FOLDER",
        type=PATH,
        help="A BERT, RoBERTa, XLM-R or MPNet model for CS; the packaged MiniLM if not given.",
    ),
    click.option(
        "--layer",
        metavar="N",
        type=click.IntRange(1),
        help="The layer of the model that CS compares; the last if not given.",
    ),
    collection_option("The collection whose posts the report shows and Task 3 compares with."),
)


def scoring_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add these options to a command, which gets them as one argument, ``scoring``."""

    @wraps(command)
    def collected(**given: object) -> Result:
        values = {each.name: given.pop(each.name) for each in fields(ScoringOptions)}
        scoring = ScoringOptions(**values)  # type: ignore[arg-type]  # click has no types
        return command(scoring=scoring, **given)

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected
