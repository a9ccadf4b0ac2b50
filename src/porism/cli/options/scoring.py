"""The options of every command that scores runs, and what they ask for as one record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

Result = TypeVar("Result")

PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How runs are to be scored; what was not said is None or empty."""

    qrels: Path
    task: str | None = None
    measures: tuple[str, ...] = ()
    formulas: Path | None = None
    run_ids: str = "auto"
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
    def of_answers(self) -> list[str]:
        """The options given that only Task 3 has, as they are typed."""
        names = "answers annotations references task1_qrels tokenizer bags model layer".split()
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name)]

    @property
    def of_rankings(self) -> list[str]:
        """The options given that only Tasks 1 and 2 have."""
        return [name for name, value in (("--formulas", self.formulas),) if value]

    @property
    def is_task3(self) -> bool:
        """Whether Task 3 is meant: it was said, or a map of answers was given."""
        return self.task == "3" or (self.task is None and self.answers is not None)


_OPTIONS = (
    click.option(
        "--qrels",
        metavar="FILE",
        type=PATH,
        required=True,
        help="The judgments: topic, 0, document, grade; plain or gzip.",
    ),
    click.option(
        "--task",
        type=click.Choice(["1", "2", "3"]),
        help="1 answers, 2 formulas, 3 one answer a topic; by default as the topics tell.",
    ),
    click.option(
        "--measures",
        metavar="NAMES",
        multiple=True,
        help="Measures, as papers print them or ir-measures names them; repeat, or use commas.",
    ),
    click.option(
        "--formulas",
        metavar="PATH",
        type=PATH,
        help="Visual ids of formulas (Task 2): formula files, a collection, or two columns.",
    ),
    click.option(
        "--run-ids",
        type=click.Choice(["auto", "formula", "visual"]),
        default="auto",
        show_default=True,
        help="What the runs of Task 2 name.",
    ),
    click.option(
        "--validate/--no-validate",
        default=True,
        show_default=True,
        help="Whether to look for faults in the runs and tell them.",
    ),
    click.option(
        "--answers",
        metavar="FILE",
        type=PATH,
        help="Which answer each run gave (Task 3): run, topic, answer id.",
    ),
    click.option(
        "--annotations",
        metavar="FILE",
        type=PATH,
        help="What people said besides grades (Task 3, TSV), for MG and UI.",
    ),
    click.option(
        "--references",
        metavar="FILE",
        type=PATH,
        multiple=True,
        help="Further runs of Task 3 whose relevant answers others are compared with.",
    ),
    click.option(
        "--task1-qrels",
        metavar="FILE",
        type=PATH,
        help="Judgments of Task 1, whose relevant answers in --collection are references too.",
    ),
    click.option(
        "--tokenizer",
        metavar="PATH",
        type=PATH,
        help="A tokenizer.json, or a model's folder, for LO; the built-in one if none.",
    ),
    click.option("--bags", is_flag=True, help="LO counts how often a token occurs."),
    click.option(
        "--model",
        metavar="FOLDER",
        type=PATH,
        help="A BERT or RoBERTa model for CS; the packaged MiniLM if none.",
    ),
    click.option(
        "--layer",
        metavar="N",
        type=click.IntRange(1),
        help="Which layer of the model counts for CS; the last if not said.",
    ),
    click.option(
        "--collection",
        metavar="DIR",
        type=PATH,
        help="The collection, whose posts are shown, and compared with in Task 3.",
    ),
)


def scoring_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command all of these options; it gets them as one argument, ``asked``."""

    @wraps(command)
    def collected(**given: object) -> Result:
        told = {each.name: given.pop(each.name) for each in fields(ScoringOptions)}
        return command(asked=ScoringOptions(**told), **given)  # type: ignore[arg-type]  # click has no types

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected
