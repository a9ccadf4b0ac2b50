"""Options of commands that train models."""

from __future__ import annotations

import click

from porism.cli.options.inputs import CommandDecorator


def dimension_option(default: int, least: int) -> CommandDecorator:
    return click.option(
        "--dimension",
        metavar="N",
        type=click.IntRange(least, 1_000),
        default=default,
        show_default=True,
        help="Components of a vector.",
    )


def epochs_option(text: str, default: int | None = None) -> CommandDecorator:
    return click.option(
        "--epochs",
        metavar="N",
        type=click.IntRange(1, 1_000),
        default=default,
        show_default=default is not None,
        help=text,
    )


def device_option(default: str, text: str = "") -> CommandDecorator:
    """Where PyTorch computes; ``text`` explains a default that is not a device."""
    return click.option(
        "--device",
        metavar="NAME",
        default=default,
        show_default=True,
        help=f"Where PyTorch computes: cpu, cuda, ...{text} The same seed gives the same model on "
        "cpu only.",
    )
