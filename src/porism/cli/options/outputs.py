"""Options for what a command prints or writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from porism.cli.options.inputs import PATH, CommandDecorator

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
tsv_option = click.option("--tsv", "as_tsv", is_flag=True, help="Print TSV with all digits.")


def _is_coloured(context: click.Context, option: click.Parameter, choice: str) -> bool:
    """Whether to print colours: by default on a terminal, unless NO_COLOR is set."""
    if choice == "auto":
        is_capable = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        return is_capable and not os.environ.get("NO_COLOR")
    return choice == "always"


color_option = click.option(
    "--color",
    "is_coloured",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    callback=_is_coloured,
    help="Colours in the output: auto is on a terminal, unless NO_COLOR is set.",
)


def output_option(
    metavar: str, text: str, kind: click.Path = PATH, **attributes: Any
) -> CommandDecorator:
    return click.option("-o", "--output", metavar=metavar, type=kind, help=text, **attributes)


output_stream_option = output_option(
    "OUT",
    "File to write; standard output if not given.",
    click.Path(dir_okay=False, allow_dash=True),
    default="-",
)


def by_topic_option(text: str) -> CommandDecorator:
    return click.option("--by-topic", is_flag=True, help=text)


def run_name_option(otherwise: str) -> CommandDecorator:
    return click.option("--run-name", metavar="NAME", help=f"Name in the last column; {otherwise}.")
