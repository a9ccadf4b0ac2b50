"""Options that select systems, the task and the number of results."""

from __future__ import annotations

from typing import Any

import click

from porism.cli.options.inputs import CommandDecorator


def comma_separated(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """The names, each once; one value may hold several, separated by commas."""
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def system_option(
    text: str = "The system that ranks; porism systems lists them.", **attributes: Any
) -> CommandDecorator:
    return click.option("--system", metavar="NAME", help=text, **attributes)


def systems_option(text: str) -> CommandDecorator:
    return click.option(
        "--systems", metavar="NAME", multiple=True, callback=comma_separated, help=text
    )


def task_option(
    text: str = "1 finds answers, 2 finds formulas.",
    tasks: tuple[str, ...] = ("1", "2"),
    **attributes: Any,
) -> CommandDecorator:
    return click.option("--task", type=click.Choice(tasks), help=text, **attributes)


def results_option(
    text: str = "Results per topic.", default: int = 1000, most: int = 100_000
) -> CommandDecorator:
    """``-k``: how many results are returned at most."""
    return click.option(
        "-k",
        metavar="N",
        type=click.IntRange(1, most),
        default=default,
        show_default=True,
        help=text,
    )
