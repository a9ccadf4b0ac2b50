"""The options that filter a search, from the table of filters."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import click

from porism.errors import PorismError
from porism.filters import FILTERS, FilterSpec, Flag, Number, Texts

Result = TypeVar("Result")


def filter_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add the options; the command receives them as one argument, ``post_filter``."""

    @wraps(command)
    def with_filter(**given: object) -> Result:
        from porism.rank.filters import PostFilter  # loads the engine, which --help does not need

        values = {spec.name: given.pop(spec.name) for spec in FILTERS}
        try:
            post_filter = PostFilter(**values)  # type: ignore[arg-type]  # click has no types
        except PorismError as error:
            raise click.UsageError(str(error)) from error
        return command(post_filter=post_filter, **given)

    decorated: Callable[..., Result] = with_filter
    for spec in reversed(FILTERS):
        decorated = _option(spec)(decorated)
    return decorated


def _option(spec: FilterSpec) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    name, text = f"--{spec.name}", f"Only {spec.summary}."
    match spec.takes:
        case Texts():
            return click.option(name, spec.name, metavar=spec.metavar, multiple=True, help=text)
        case Number(first, last):
            return click.option(
                name,
                spec.name,
                metavar=spec.metavar,
                type=click.IntRange(first, last),
                help=text,
            )
        case Flag():
            return click.option(name, spec.name, is_flag=True, help=text)
