"""``porism export``: write a collection as ARQMath files."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument
from porism.cli.options.jobs import jobs_option
from porism.cli.plain_tables import columns
from porism.cli.progress import progress_reporter


@click.command(
    cls=PorismCommand,
    epilog="""
    porism export sample --arqmath sample-files
    porism export math --arqmath math-files --gzip --jobs 4
    """,
)
@click.option(
    "--arqmath",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder to write; must be empty or not exist.",
)
@click.option("--gzip", is_flag=True, help="Compress the files.")
@jobs_option()
@collection_argument
def export(collection: Path, arqmath: Path, gzip: bool, jobs: int) -> None:
    """Write COLLECTION as the files of the ARQMath distribution.

    These are posts, comments and links in XML, and every formula with its id in LaTeX, Presentation
    MathML and Content MathML. The folder appears when it is complete.
    """
    # Loads the formats and the parser, which --help does not need.
    from porism.collection.export import ExportOptions
    from porism.collection.export import export as export_collection
    from porism.collection.store import open_collection

    with open_collection(collection) as opened, progress_reporter() as report_progress:
        written = export_collection(
            opened, arqmath, ExportOptions(gzip=gzip, jobs=jobs), report_progress
        )
    click.echo(f"{arqmath} has")
    click.echo("\n".join(columns([(each.name, each.records) for each in written])))
