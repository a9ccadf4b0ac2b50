"""Options for what a command prints or writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.options.inputs import PATH, CommandDecorator

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
tsv_option = click.option("--tsv", "as_tsv", is_flag=True, help="Print TSV with all digits.")


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
