"""``porism update``: update an index after its collection changed."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import index_argument, index_collection_option
from porism.cli.options.jobs import jobs_option, useful_jobs
from porism.cli.options.outputs import json_option
from porism.cli.progress import duration, progress_reporter
from porism.cli.retrieval.index import (
    formula_vector_counts,
    formula_vector_lines,
    skipped_note,
    vector_lines,
    vector_record,
)
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
    """Update INDEX with documents added to, changed in or deleted from its collection.

    An answer has changed if anything indexed with it has: its question, comments on either, titles
    of linked questions. If the index has vectors, new texts and formulas get theirs.
    """
    # Loads the engine, which --help does not need.
    from porism.formula.jsonl import json_line
    from porism.searchindex.builder import IndexOptions
    from porism.searchindex.index_folder import open_index
    from porism.searchindex.indexing import update_collection_index

    with open_index(index, collection) as search_index, progress_reporter() as report_progress:
        before = search_index.documents
        options = IndexOptions(useful_jobs(jobs, search_index.answers.documents))
        with index_write_errors(search_index.folder):
            indexed = update_collection_index(
                search_index.collection, search_index.folder, options, report_progress
            )
    report, vectors = indexed.index, indexed.vectors
    added = report.documents - before + report.deleted
    changed = report.written - added
    if indexed.vector_problem:
        click.echo(f"New texts or formulas have no vectors: {indexed.vector_problem}", err=True)
    if as_json:
        record: dict[str, object] = {
            "index": str(index),
            "answers": report.answers,
            "questions": report.questions,
            "formulas": report.formulas,
            "added": added,
            "changed": changed,
            "deleted": report.deleted,
            "skipped": report.skipped,
            **vector_record(vectors),
            "formula_vectors": formula_vector_counts(indexed),
            "seconds": round(report.seconds, 3),
        }
        click.echo(json_line(record))
    elif report.written or report.deleted or (vectors is not None and vectors.encoded):
        click.echo(
            f"{index}: {added:,} added, {changed:,} changed, {report.deleted:,} deleted; "
            f"now {report.answers:,} answers and notes, {report.questions:,} questions and "
            f"{report.formulas:,} visually distinct formulas; {duration(report.seconds)}"
        )
    else:
        click.echo(f"{index} is up to date")
    if not as_json:
        for line in skipped_note(report):
            click.echo(line)
        for each in (*filter(None, (vectors,)), *indexed.more_vectors):
            if each.encoded or each.without_vector:
                for line in vector_lines(each):
                    click.echo(line)
        for line in formula_vector_lines(indexed):
            click.echo(line)
