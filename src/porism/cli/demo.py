"""``porism demo``: the sample collection and a few formulas, to see at once what Porism does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.extras import needs_extra
from porism.cli.retrieval.serve import print_address
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.cli.demo_scores import SampleEvaluation
    from porism.searchindex.index_folder import IndexPlan, SearchIndex

THREAD = "101"
"""The question that is shown."""

FORMULAS = (
    r"a^2 + b^2 = c^2",
    r"x_{1,2} = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}6",
    r"\int_0^1 f(x)\,dx \le \mypi",
)
"""The last one has a command that does not exist, to show how Porism goes on."""

QUESTION = r"How do I evaluate the Gaussian integral $\int_{-\infty}^{\infty} e^{-x^2}\,dx$?"
FORMULA = r"\sum_{n=1}^\infty \frac{1}{n^2}"
RESULTS = 3
"""How many results are shown of each search."""

SCORED = ("porism", "l8", "tangent-l", "tfidf", "linked")
"""The systems that are compared, as far as they are there."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism demo
    porism demo -o /tmp/demo --no-serve
    """,
)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder to put the collection and the pages in.",
)
@click.option(
    "--serve/--no-serve", default=True, show_default=True, help="End with a page to search in."
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port of that page; one that is free if not said.",
)
def demo(output: Path, serve: bool, port: int) -> None:
    """Make a collection of the sample that comes with Porism, search it, and score systems on it.

    In FOLDER are then the collection with its index, the page of a thread, and a page of formulas
    with their trees.
    """
    # Loads the parser and its tables, which --help can do without.
    from porism.searchindex.index_folder import open_index

    collection = output / "sample"
    index = collection / "index"
    _ingest(collection)
    pages = _show_thread(collection, output)
    _index(collection, index)
    with open_index(index) as library:
        _search(library)
        pages += _score(library, output)
    click.secho(
        "\nPages of that question, of formulas with their trees, and of how systems compare",
        bold=True,
    )
    click.echo("\n".join(f"  {path}" for path in pages))
    click.secho("\nGo on with", bold=True)
    click.echo(rf"  .venv/bin/porism search {index} 'group of order $p^2$ is abelian'")
    click.echo(rf"  .venv/bin/porism search {index} --formulas 'a^2 + b^2' --explain")
    click.echo(f"  .venv/bin/porism show {collection} thread 501")
    click.echo(r"  .venv/bin/porism formula show '\frac{1}{2} + x^2'")
    click.echo("  .venv/bin/porism ingest SOURCE -o COLLECTION   # your own: a dump, or documents")
    click.echo("  .venv/bin/porism --help")
    if serve:
        _serve(index, port)


def _serve(index: Path, port: int) -> None:
    with needs_extra("web"):
        from porism.web.processes import run_server
        from porism.web.settings import SearchAppSettings

    click.secho("\nA page to search in", bold=True)
    run_server(SearchAppSettings(index), "127.0.0.1", port, print_address)


def _ingest(folder: Path) -> None:
    from porism.cli.plain_tables import columns
    from porism.collection.ingest.pipeline import IngestOptions, ingest
    from porism.collection.sample import sample_source

    report = ingest(sample_source(), folder, IngestOptions(jobs=1))
    click.secho(f"A collection, in {folder}, of", bold=True)
    counts = [
        ("questions", report.questions),
        ("answers", report.answers),
        ("formulas", report.instances),
        ("distinct formulas, each with its trees", report.formulas),
    ]
    click.echo("\n".join(columns(counts)))


def _show_thread(folder: Path, output: Path) -> list[Path]:
    from porism.cli.collection.show_text import post_text
    from porism.cli.output import open_output
    from porism.collection.store import open_collection
    from porism.pages.formula_sheet import formula_sheet
    from porism.pages.thread import thread_page

    with open_collection(folder) as collection:
        thread = collection.thread(THREAD)
        pages = {
            output / "thread.html": thread_page(thread, collection),
            output / "formulas.html": formula_sheet(FORMULAS),
        }
    for path, text in pages.items():
        with open_output(str(path)) as out:
            out.write(text.encode())
    click.secho("\nOne of the questions\n", bold=True)
    click.echo(post_text(thread.question))
    return list(pages)


def _index(folder: Path, index: Path) -> None:
    from porism import catalog
    from porism.collection.store import open_collection
    from porism.searchindex.builder import IndexOptions, build_index, update_index

    click.secho("\nMaking it searchable", bold=True)
    click.echo("  The first time Porism compiles its search for this machine, for half a minute.")
    plan = catalog.index_plan(catalog.SYSTEMS)
    with open_collection(folder) as collection:
        if _has(index, plan):
            report = update_index(collection, index, IndexOptions(), lambda progress: None)
        else:
            report = build_index(collection, index, plan, IndexOptions(), lambda progress: None)
    click.echo(
        f"  {index} has {report.answers:,} answers and {report.formulas:,} formulas that look "
        f"different, for {len(catalog.SYSTEMS)} systems."
    )


def _has(index: Path, plan: IndexPlan) -> bool:
    """Whether an index is there that has just what is planned."""
    from porism.index import IndexFormatError
    from porism.searchindex.index_folder import is_search_index, read_manifest

    try:
        return is_search_index(index) and read_manifest(index).plan == plan
    except IndexFormatError:
        return False


def _search(library: SearchIndex) -> None:
    from porism import catalog
    from porism.cli.retrieval.search_text import SearchOutput, result_lines
    from porism.model import Task
    from porism.rank.results import search_results
    from porism.rank.typed_topics import typed_answer_topic, typed_formula_topic

    for title, typed, task in (
        (f"Answers to: {QUESTION}", typed_answer_topic(QUESTION), Task.ANSWERS),
        (f"Formulas like {FORMULA}", typed_formula_topic(FORMULA), Task.FORMULAS),
    ):
        _, ranker = catalog.default_ranker(task, library)
        found = search_results(library, ranker, typed, RESULTS)
        click.secho(f"\n{title}\n", bold=True)
        shown = SearchOutput(found, library.collection_path)
        for line in result_lines(shown, sys.stdout.isatty()):
            click.echo(line)


def _score(library: SearchIndex, output: Path) -> list[Path]:
    """Tell how well systems do, and write a report of answers where plots can be drawn."""
    from porism import catalog
    from porism.cli.demo_scores import MEASURES, sample_evaluations
    from porism.model import Task

    click.secho("\nSystems on the sample's topics (1 answers, 2 formulas)", bold=True)
    click.echo(f"  task  system     {'  '.join(MEASURES)}")
    names = [name for name in SCORED if name in catalog.SYSTEMS]
    pages: list[Path] = []
    for scored in sample_evaluations(library, names):
        task = scored.evaluation.task
        for run in scored.evaluation.runs:
            values = "  ".join(f"{run.mean(measure):.3f}" for measure in MEASURES)
            click.echo(f"  {task:<4}  {run.run:<9}  {values}")
        if task == Task.ANSWERS:
            pages += _report(scored, library, output / "report.html")
    return pages


def _report(scored: SampleEvaluation, library: SearchIndex, path: Path) -> list[Path]:
    """Write the report; nothing if the extra that draws is not installed."""
    from porism.cli.output import open_output
    from porism.pages.topic_hits import CollectionPosts

    try:
        with needs_extra("lab"):
            from porism.pages.reports.evaluation_report import (
                EvaluationReport,
                evaluation_report_page,
            )
    except PorismError as error:
        click.echo(f"  (no report: {error})")
        return []
    report = EvaluationReport(
        "Systems on the sample's topics",
        scored.evaluation,
        {run.name: run for run in scored.runs},
        scored.qrels,
        topics={topic.id: topic for topic in scored.topics},
        posts=CollectionPosts(library.collection),
    )
    with open_output(str(path)) as out:
        out.write(evaluation_report_page(report).encode())
    return [path]
