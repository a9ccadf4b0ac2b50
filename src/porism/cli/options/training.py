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


def base_option(default: str, text: str) -> CommandDecorator:
    """The model that a training starts from."""
    return click.option("--base", metavar="MODEL", default=default, show_default=True, help=text)


def count_option(name: str, default: int | None, text: str, least: int = 1) -> CommandDecorator:
    """A number of things; without a default there is no bound."""
    return click.option(
        name,
        metavar="N",
        type=click.IntRange(min=least),
        default=default,
        show_default=default is not None,
        help=text,
    )


def learning_rate_option(default: float) -> CommandDecorator:
    return click.option(
        "--learning-rate",
        metavar="X",
        type=click.FloatRange(0, 1, min_open=True),
        default=default,
        show_default=True,
        help="Highest rate of learning.",
    )


keep_option = click.option(
    "--keep",
    type=click.Choice(["best", "last"]),
    default="best",
    show_default=True,
    help="The epoch that becomes the model: the best by validation, which may be none, or the "
    "last.",
)
resume_option = click.option("--resume", is_flag=True, help="Continue an interrupted training.")
