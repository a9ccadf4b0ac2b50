"""``porism check``: verify the checksums of an index or collection."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.progress import progress_reporter
from porism.errors import PorismError


@click.command(
    cls=PorismCommand,
    epilog="""
    porism check sample/index
    porism check sample --json
    """,
)
@json_option
@click.argument("folder", metavar="INDEX|COLLECTION", type=click.Path(path_type=Path))
def check(folder: Path, as_json: bool) -> None:
    """Verify every byte of INDEX or COLLECTION by its stored checksums.

    Each damaged file is listed with what to do; the exit status is then 1.
    """
    # Loads the engine, which --help does not need.
    from porism.collection.checksums import check_collection
    from porism.collection.schema import DATABASE
    from porism.formula.jsonl import json_line
    from porism.searchindex.files import check_index
    from porism.searchindex.manifest import is_search_index

    is_index = is_search_index(folder)
    if not is_index and not (folder / DATABASE).is_file():
        raise PorismError(f"{folder}: neither an index nor a collection")
    with progress_reporter() as report_progress:
        report = (check_index if is_index else check_collection)(folder, report_progress)
    if as_json:
        record: dict[str, object] = {
            "path": str(folder),
            "kind": "index" if is_index else "collection",
            "files": report.files,
            "bytes": report.size,
            "damages": list(report.damages),
            "note": report.note,
        }
        click.echo(json_line(record))
    else:
        for line in report.damages:
            click.echo(line)
        result = f"{len(report.damages)} damaged" if report.damages else "no damage found"
        note = f" ({report.note})" if report.note else ""
        plural = "" if report.files == 1 else "s"
        click.echo(f"{folder}: {report.files} file{plural}, {report.size:,} bytes: {result}{note}")
    if report.damages:
        raise click.exceptions.Exit(1)
