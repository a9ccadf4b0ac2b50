"""Options and arguments for what a command reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])  # Any: any command


class CommandDecorator(Protocol):
    """Adds an option or argument to a command, as ``click.option`` does."""

    def __call__(self, command: CommandFunction, /) -> CommandFunction: ...


PATH = click.Path(path_type=Path)

index_argument = click.argument("index", type=PATH)
collection_argument = click.argument("collection", type=PATH)


def runs_argument(metavar: str, **attributes: Any) -> CommandDecorator:
    """Any number of runs; ``metavar`` says whether one is required."""
    return click.argument("runs", metavar=metavar, nargs=-1, type=PATH, **attributes)


def collection_option(text: str) -> CommandDecorator:
    return click.option("--collection", metavar="COLLECTION", type=PATH, help=text)


index_collection_option = collection_option("The collection of INDEX, if it has moved.")


def topics_option(
    text: str = "The lab's topics of that task, plain or gzip.", **attributes: Any
) -> CommandDecorator:
    return _file_option("--topics", text, **attributes)


def qrels_option(text: str, **attributes: Any) -> CommandDecorator:
    return _file_option("--qrels", text, **attributes)


def task1_qrels_option(text: str) -> CommandDecorator:
    return _file_option("--task1-qrels", text)


def topic_formulas_option(
    text: str = "The lab's LaTeX of the topics' formulas (TSV), used instead of the topics' own.",
    **attributes: Any,
) -> CommandDecorator:
    return _file_option("--topic-formulas", text, **attributes)


def duplicates_option(text: str) -> CommandDecorator:
    """Which questions of the collection each topic duplicates."""
    return _file_option("--duplicates", f"Questions that each topic duplicates (TSV), {text}")


def leave_out_option(text: str, **attributes: Any) -> CommandDecorator:
    """Posts that must not be results of a topic, such as its own."""
    return _file_option("--leave-out", text, **attributes)


def run_list_option(text: str, **attributes: Any) -> CommandDecorator:
    """The list of runs that a pool is drawn from."""
    return _file_option("--runs", text, **attributes)


def answers_option(text: str) -> CommandDecorator:
    """Ids of short answers by run and topic (Task 3)."""
    return _file_option("--answers", text)


def visual_ids_option(text: str) -> CommandDecorator:
    """``--formulas`` of the commands that score: visual ids of formulas."""
    return click.option("--formulas", metavar="PATH", type=PATH, help=text)


def _file_option(name: str, text: str, **attributes: Any) -> CommandDecorator:
    return click.option(name, metavar="FILE", type=PATH, help=text, **attributes)


def without_links_option(text: str) -> CommandDecorator:
    return click.option("--without-links", metavar="FILE", type=PATH, help=text)
