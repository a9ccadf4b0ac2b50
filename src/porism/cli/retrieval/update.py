"""``porism update``: update an index after its collection changed."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import index_argument, index_collection_option
from porism.cli.options.jobs import jobs_option, useful_jobs
from porism.cli.options.outputs import json_option
from porism.cli.progress import duration, progress_reporter
from porism.cli.retrieval.index import skipped_note, vector_lines, vector_record
from porism.cli.retrieval.write_errors import index_write_errors
from porism.errors import PorismError


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
    """Update INDEX with documents added to, changed in or deleted from its collection.

    An answer has changed if anything indexed with it has: its question, comments on either, titles
    of linked questions. If the index has vectors, new texts get theirs.
    """
    # Loads the engine, which --help does not need.
    from porism.formula.jsonl import json_line
    from porism.searchindex.builder import IndexOptions, update_index
    from porism.searchindex.index_folder import open_index
    from porism.searchindex.vector_filling import fill_vectors

    with open_index(index, collection) as search_index, progress_reporter() as report_progress:
        before = search_index.answers.documents + search_index.formulas.documents
        options = IndexOptions(useful_jobs(jobs, search_index.answers.documents))
        with index_write_errors(search_index.folder):
            report = update_index(
                search_index.collection, search_index.folder, options, report_progress
            )
            vectors = None
            if search_index.vectors is not None:
                try:
                    vectors = fill_vectors(
                        search_index.collection, search_index.folder, options, report_progress
                    )
                except PorismError as error:  # the rest of the update is in force
                    click.echo(f"New texts have no vectors: {error}", err=True)
    added = report.answers + report.formulas - before + report.deleted
    changed = report.written - added
    if as_json:
        record: dict[str, object] = {
            "index": str(index),
            "answers": report.answers,
            "formulas": report.formulas,
            "added": added,
            "changed": changed,
            "deleted": report.deleted,
            "skipped": report.skipped,
            **vector_record(vectors),
            "seconds": round(report.seconds, 3),
        }
        click.echo(json_line(record))
    elif report.written or report.deleted or (vectors is not None and vectors.encoded):
        click.echo(
            f"{index}: {added:,} added, {changed:,} changed, {report.deleted:,} deleted; "
            f"now {report.answers:,} answers and notes and {report.formulas:,} visually distinct "
            f"formulas; {duration(report.seconds)}"
        )
    else:
        click.echo(f"{index} is up to date")
    if not as_json:
        for line in skipped_note(report):
            click.echo(line)
        if vectors is not None and (vectors.encoded or vectors.without_vector):
            for line in vector_lines(vectors):
                click.echo(line)
