"""``porism ingest``: create or update a collection from a source."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.jobs import jobs_option
from porism.cli.options.outputs import FOLDER, json_option, output_option
from porism.cli.plain_tables import columns
from porism.cli.progress import duration, progress_reporter

if TYPE_CHECKING:
    from porism.collection.ingest.report import IngestReport

FORMATS = ("stack-exchange", "arqmath", "documents")
"""The names of the formats, so that ``--help`` need not load their readers."""

REPAIRS = {
    "unmarked": "between dollars, without a span",
    "no-id": "in a span without an id",
    "dollars": "with dollars inside their span",
    "double-escaped": "escaped twice",
    "id-recovered": "with a lost id that was recovered",
}


@click.command(
    cls=PorismCommand,
    epilog="""
    porism ingest sample -o sample
    porism ingest math.stackexchange.com.7z -o math --until 2018 --jobs 4
    porism ingest ARQMath/Collection -o arqmath
    porism ingest notes/ -o notes --format documents
    """,
)
@output_option(
    "COLLECTION", "The collection, created or brought up to date.", FOLDER, required=True
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="The format of SOURCE, if it cannot be detected.",
)
@click.option(
    "--until",
    metavar="YEAR",
    type=click.IntRange(1000, 9999),
    help="Leave out posts created after that year.",
)
@jobs_option()
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be ingested.")
@click.option(
    "--max-files",
    metavar="N",
    type=click.IntRange(1),
    help="The most files in a folder of documents; 200,000 by default.",
)
@json_option
@click.argument("source")
def ingest(
    source: str,
    output: Path,
    form: str | None,
    until: int | None,
    jobs: int,
    skip_bad: bool,
    max_files: int | None,
    as_json: bool,
) -> None:
    """Ingest SOURCE into a collection: posts, comments, links, and every formula parsed.

    SOURCE is a Stack Exchange dump (a folder, a .7z archive, a Posts.xml), the ARQMath
    distribution (a folder), or documents (a folder or a file: Markdown, LaTeX, PDF, HTML, ...).
    The word "sample", unless there is such a source, is the small collection that comes with
    Porism, and "sample-notes" the notes.

    Posts that the collection already has are skipped. The command can be interrupted at any time;
    run again, it continues where it stopped.
    """
    # Loads the readers and the parser, which --help does not need.
    from porism.collection.ingest.pipeline import REJECTS, IngestOptions
    from porism.collection.ingest.pipeline import ingest as ingest_source
    from porism.collection.ingest.sources import SourceFormat
    from porism.collection.sample import named_source
    from porism.formula.jsonl import json_line
    from porism.parallel import reduce_garbage_collection

    reduce_garbage_collection()
    options = IngestOptions(SourceFormat(form) if form else None, until, jobs, skip_bad)
    if max_files is not None:
        options = dataclasses.replace(options, max_files=max_files)
    with progress_reporter() as report_progress:
        report = ingest_source(named_source(source), output, options, report_progress)
    if as_json:
        click.echo(json_line(dataclasses.asdict(report)))
    else:
        click.echo("\n".join(_summary_lines(report, output, output / REJECTS)))


def _summary_lines(report: IngestReport, folder: Path, rejects: Path) -> list[str]:
    """The report as text: what the collection has, repairs, and problems."""
    kinds = [
        ("questions", report.questions),
        ("answers", report.answers),
        ("documents", report.documents),
        ("comments", report.comments),
        ("links", report.links),
        ("formulas in the texts", report.instances),
        ("distinct formulas", report.formulas),
    ]
    counts = [(name, number) for name, number in kinds if number] or [("posts", 0)]
    lines = [f"{folder} has", *columns(counts)]
    if report.instances and (report.official or report.fresh):
        ids = [("with the lab's visual ids", report.official), ("with ids by Porism", report.fresh)]
        lines += ["Formulas in the texts", *columns(ids)]
    if report.repairs:
        repairs = [(REPAIRS.get(name, name), number) for name, number in report.repairs.items()]
        lines += ["Repaired formulas", *columns(repairs)]
    problems = [
        ("distinct formulas with problems", report.problems),
        ("of these refused by the parser, kept as LaTeX", report.refused),
        ("bad rows left out or changed", report.left_out),
        ("files and posts skipped because of errors", report.skipped),
        ("files whose encoding was guessed, or that changed", report.guessed),
        ("lines of formula files whose formula is in no post", report.spurious),
        ("comments on missing posts", report.lost_comments),
    ]
    if any(number for _, number in problems):
        rows = columns([(name, number) for name, number in problems if number])
        lines += ["Problems", *rows, f"  see {rejects}"]
    if report.other_files:
        lines += ["Files left out", *columns(list(report.other_files.items())), f"  see {rejects}"]
    lines.append(f"{report.new_formulas:,} new formulas parsed in {duration(report.seconds)}")
    return lines
