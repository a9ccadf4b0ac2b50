"""Options of commands that draw at random."""

from __future__ import annotations

import click

from porism.cli.options.inputs import CommandDecorator


def seed_option(text: str, kind: click.IntRange | type[int] = int) -> CommandDecorator:
    return click.option("--seed", metavar="N", type=kind, default=0, show_default=True, help=text)


def number_option(default: int, most: int) -> CommandDecorator:
    return click.option(
        "--number",
        metavar="N",
        type=click.IntRange(1, most),
        default=default,
        show_default=True,
        help="Number of topics to draw.",
    )


YEARS = "years"
"""The value of --folds for which each file of topics is a fold."""

folds_option = click.option(
    "--folds",
    metavar="N",
    default="5",
    show_default=True,
    help=f"Number of folds, or {YEARS}: each file of topics is a fold.",
)
