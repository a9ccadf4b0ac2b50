"""The option that says where the collection of an index is, for commands that read its posts."""

from pathlib import Path

import click

collection_option = click.option(
    "--collection",
    metavar="COLLECTION",
    type=click.Path(path_type=Path),
    help="Where the collection of INDEX is now, if not where it was.",
)
