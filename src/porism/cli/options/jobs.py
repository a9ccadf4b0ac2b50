"""The number of processes, for commands that use several."""

from __future__ import annotations

import os
from typing import Any

import click

from porism.cli.options.inputs import CommandDecorator

SMALL_COLLECTION = 2_000
"""Up to this many documents one process is done before others have started."""


def jobs_option(**attributes: Any) -> CommandDecorator:
    """``--jobs``, by default one process per processor."""
    usual = {"default": lambda: os.cpu_count() or 1, "show_default": "one per processor"}
    return click.option(
        "--jobs",
        metavar="N",
        type=click.IntRange(min=1),
        help="Number of processes.",
        **{**usual, **attributes},
    )


def useful_jobs(jobs: int, documents: int) -> int:
    """How many of the processes are worth starting for a number of documents."""
    return 1 if documents <= SMALL_COLLECTION else jobs
