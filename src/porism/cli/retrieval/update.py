"""``porism update``: an index follows its collection."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import index_argument, index_collection_option
from porism.cli.options.jobs import jobs_option, useful_jobs
from porism.cli.options.outputs import json_option
from porism.cli.progress import duration, progress_reporter
from porism.cli.retrieval.index import skipped_note
from porism.cli.retrieval.write_errors import index_write_errors


@click.command(
    cls=PorismCommand,
    epilog="""
    porism update sample/index
    porism update math-index --collection /data/math --jobs 4
    """,
)
@index_collection_option
@jobs_option()
@json_option
@index_argument
def update(index: Path, collection: Path | None, jobs: int, as_json: bool) -> None:
    """Bring INDEX up to date with its collection: what is new, what changed, what is gone.

    An answer counts as changed if anything that it is searched with has changed: its question,
    comments on both, titles of linked questions.
    """
    # Loads the engine, which --help can do without.
    from porism.formula.jsonl import json_line
    from porism.searchindex.builder import IndexOptions
    from porism.searchindex.builder import update_index as follow
    from porism.searchindex.index_folder import open_index

    with open_index(index, collection) as library, progress_reporter() as watch:
        before = library.answers.documents + library.formulas.documents
        options = IndexOptions(useful_jobs(jobs, library.answers.documents))
        with index_write_errors(library.folder):
            report = follow(library.collection, library.folder, options, watch)
    added = report.answers + report.formulas - before + report.deleted
    changed = report.written - added
    if as_json:
        told: dict[str, object] = {
            "index": str(index),
            "answers": report.answers,
            "formulas": report.formulas,
            "added": added,
            "changed": changed,
            "deleted": report.deleted,
            "skipped": report.skipped,
            "seconds": round(report.seconds, 3),
        }
        click.echo(json_line(told))
    elif report.written or report.deleted:
        click.echo(
            f"{index}: {added:,} added, {changed:,} changed, {report.deleted:,} deleted; "
            f"now {report.answers:,} answers and notes and {report.formulas:,} formulas that look "
            f"different; {duration(report.seconds)}"
        )
    else:
        click.echo(f"{index} is up to date")
    if not as_json:
        for line in skipped_note(report):
            click.echo(line)
