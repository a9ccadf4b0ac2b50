"""``porism compile``: compile the search for this machine."""

from __future__ import annotations

import time

import click

from porism.cli.command import PorismCommand


@click.command(
    "compile",
    cls=PorismCommand,
    epilog="""
    porism compile
    """,
)
def compile_() -> None:
    """Compile the search for this machine, unless it is compiled already.

    porism index does so, too. Use this where a later user may not write to the installation, as in
    the image of a container.
    """
    # Loads the engine, which --help does not need.
    from porism.catalog.first_search import compile_search, compiled_code_folder
    from porism.errors import PorismError

    started = time.monotonic()
    folder = compiled_code_folder()
    if folder is None:
        raise PorismError("compiled code cannot be stored: name a folder with NUMBA_CACHE_DIR")
    compile_search()
    click.echo(f"compiled in {time.monotonic() - started:.1f} s, stored in {folder}")
