"""The options that name a language model."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import click

from porism.generation.settings import DEFAULT_TIMEOUT, KEY_VARIABLE, GeneratorSettings

Result = TypeVar("Result")

_OPTIONS = (
    click.option(
        "--endpoint",
        metavar="URL",
        help="Base address of an OpenAI-compatible service, such as http://localhost:11434/v1.",
    ),
    click.option(
        "--model",
        metavar="NAME",
        help="A model of --endpoint; without it a file FILE.gguf, or smollm2, which is too small "
        "for mathematics and for demonstration only.",
    ),
    click.option(
        "--key-variable",
        metavar="VARIABLE",
        default=KEY_VARIABLE,
        show_default=True,
        help="The environment variable that has the key of --endpoint.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=1),
        default=DEFAULT_TIMEOUT,
        show_default=True,
        help="Time for a generated answer.",
    ),
)


def generator_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add the options; the command receives them as one argument, ``language_model``."""

    @wraps(command)
    def with_settings(
        model: str | None, endpoint: str | None, key_variable: str, timeout: float, **given: object
    ) -> Result:
        settings = GeneratorSettings(model, endpoint, key_variable, timeout)
        return command(language_model=settings, **given)

    decorated: Callable[..., Result] = with_settings
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
