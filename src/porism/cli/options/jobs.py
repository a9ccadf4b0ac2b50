"""The option that says how many processes work, for commands that use all there are."""

import os

import click

jobs_option = click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each processor",
    help="How many processes work at it.",
)

SMALL_COLLECTION = 2_000
"""So many documents are done by one process sooner than others have begun."""


def useful_jobs(jobs: int, documents: int) -> int:
    """How many of the processes are worth starting for so many documents."""
    return 1 if documents <= SMALL_COLLECTION else jobs
