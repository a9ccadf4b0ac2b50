"""``porism ingest``: a source becomes a collection, or brings one up to date."""

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
"""The formats by name, known here too so that ``--help`` need not load their readers."""

SAMPLE = "sample"

REPAIRS = {
    "unmarked": "stood between dollars, without a span",
    "no-id": "had a span without an id",
    "dollars": "had dollars within their span",
    "double-escaped": "were escaped twice",
    "id-recovered": "got back an id that they had lost",
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
    help="What SOURCE is; normally seen from its files.",
)
@click.option(
    "--until",
    metavar="YEAR",
    type=click.IntRange(1000, 9999),
    help="Leave out what was created after that year.",
)
@jobs_option()
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be taken in.")
@json_option
@click.argument("source")
def ingest(
    source: str,
    output: Path,
    form: str | None,
    until: int | None,
    jobs: int,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Take SOURCE into a collection: posts, comments, links, and every formula parsed.

    SOURCE is a Stack Exchange dump (a folder, a .7z archive, a Posts.xml), the ARQMath
    distribution (a folder), or documents (a folder or a file: HTML, Markdown, LaTeX, ...). The
    word "sample", where no other source is called so, means the small one that comes with Porism.

    What the collection already has is not done again. Broken off at any moment, the same command
    goes on where it stopped.
    """
    # Loads the readers and the parser, which --help can do without.
    from porism.collection.ingest.pipeline import REJECTS, IngestOptions
    from porism.collection.ingest.pipeline import ingest as take_in
    from porism.collection.ingest.sources import SourceFormat
    from porism.collection.sample import sample_source
    from porism.collection.store import is_collection
    from porism.formula.jsonl import json_line
    from porism.parallel import reduce_garbage_collection

    reduce_garbage_collection()
    path = Path(source)
    # The collection that was made of it may well be called so too.
    if source == SAMPLE and (not path.exists() or is_collection(path)):
        path = sample_source()
    options = IngestOptions(SourceFormat(form) if form else None, until, jobs, skip_bad)
    with progress_reporter() as watch:
        report = take_in(path, output, options, watch)
    if as_json:
        click.echo(json_line(dataclasses.asdict(report)))
    else:
        click.echo("\n".join(_summary_lines(report, output, output / REJECTS)))


def _summary_lines(report: IngestReport, folder: Path, rejects: Path) -> list[str]:
    """The report for a person: what there is, what was mended, and what is not as it should be."""
    kinds = [
        ("questions", report.questions),
        ("answers", report.answers),
        ("documents", report.documents),
        ("comments", report.comments),
        ("links", report.links),
        ("formulas in the texts", report.instances),
        ("distinct formulas", report.formulas),
    ]
    found = [(name, number) for name, number in kinds if number] or [("posts", 0)]
    lines = [f"{folder} has", *columns(found)]
    if report.instances and (report.official or report.fresh):
        ids = [("with the lab's visual ids", report.official), ("with ids by Porism", report.fresh)]
        lines += ["Of the formulas in the texts are", *columns(ids)]
    if report.repairs:
        mended = [(REPAIRS.get(name, name), number) for name, number in report.repairs.items()]
        lines += ["Understood although they", *columns(mended)]
    amiss = [
        ("distinct formulas with problems", report.problems),
        ("of these refused by the parser, kept as LaTeX", report.refused),
        ("rows left out or changed, because they are bad", report.left_out),
        ("skipped, because they cannot be read", report.skipped),
        ("files whose encoding was guessed", report.guessed),
        ("lines of formula files whose formula is in no post", report.spurious),
        ("comments whose post is not there", report.lost_comments),
    ]
    if any(number for _, number in amiss):
        told = columns([(name, number) for name, number in amiss if number])
        lines += ["Not as it should be", *told, f"  see {rejects}"]
    lines.append(f"{report.new_formulas:,} new formulas parsed, {duration(report.seconds)} in all")
    return lines
