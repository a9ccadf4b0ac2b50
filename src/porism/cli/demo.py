"""``porism demo``: a tour of Porism on the sample collection."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.browser import open_in_browser
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import FOLDER, output_option
from porism.cli.options.server import browser_option, port_option
from porism.cli.retrieval.serve import print_address
from porism.errors import PorismError
from porism.extras import needs_extra
from porism.model import Task

if TYPE_CHECKING:
    from porism.cli.demo_scores import SampleEvaluation
    from porism.searchindex.index_folder import SearchIndex

THREAD = "101"
"""The question to print."""

FORMULAS = (
    r"a^2 + b^2 = c^2",
    r"x_{1,2} = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}6",
    r"\int_0^1 f(x)\,dx \le \mypi",
)
"""The last one has an unknown command, to show how the parser recovers."""

QUESTION = r"How do I evaluate the Gaussian integral $\int_{-\infty}^{\infty} e^{-x^2}\,dx$?"
FORMULA = r"\sum_{n=1}^\infty \frac{1}{n^2}"
RESULTS = 3
"""Results of each search."""

SCORED = ("porism", "l8", "tangent-l", "tfidf", "linked")
"""The systems that are compared."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism demo
    porism demo -o /tmp/demo --no-serve
    """,
)
@output_option(
    "FOLDER",
    "Folder for the collection and the pages.",
    FOLDER,
    default=Path("demo"),
    show_default=True,
)
@click.option(
    "--serve/--no-serve",
    default=True,
    show_default=True,
    help="Serve the search page, beside all that follows.",
)
@port_option("Port of the page; 0 for a free one.", default=0)
@browser_option
def demo(output: Path, serve: bool, port: int, opens_browser: bool) -> None:
    """Ingest, index and search the packaged sample, and score systems on it.

    FOLDER then has the collection with its index, the page of a thread, and a page of formulas with
    their trees. The address of the search page comes first; it opens when the sample is indexed for
    it, and then the tour goes on.
    """
    if serve:
        _serve_beside_tour(output, port, opens_browser)
    else:
        _tour(output)


def _tour(output: Path) -> None:
    # Loads the parser and its tables, which --help does not need.
    from porism.searchindex.index_folder import open_index

    collection = output / "sample"
    index = collection / "index"
    _ingest(collection)
    pages = _show_thread(collection, output)
    _index(collection, index)
    with open_index(index) as search_index:
        _search(search_index)
        pages += _score(search_index, output)
    click.secho(
        "\nPages: the question, formulas with their trees, and a comparison of systems",
        bold=True,
    )
    click.echo("\n".join(f"  {path}" for path in pages))
    click.secho("\nNext", bold=True)
    click.echo(rf"  .venv/bin/porism search {index} 'group of order $p^2$ is abelian'")
    click.echo(rf"  .venv/bin/porism ask {index} 'why does $\sum \frac1n$ diverge?'")
    click.echo(rf"  .venv/bin/porism search {index} --formulas 'a^2 + b^2' --explain")
    click.echo(f"  .venv/bin/porism show {collection} thread 501")
    click.echo(r"  .venv/bin/porism formula show '\frac{1}{2} + x^2'")
    click.echo("  .venv/bin/porism ingest SOURCE -o COLLECTION   # your own dump or documents")
    click.echo("  .venv/bin/porism --help")


def _serve_beside_tour(output: Path, port: int, opens_browser: bool) -> None:
    """Serve the sample, and run the tour in another process as soon as searches are fast."""
    from porism.collection.sample import sample_source
    from porism.web.live.indexing import LiveOptions
    from porism.web.live.process import LiveIndex
    from porism.web.live.sources import ServedSource, SourceKind
    from porism.web.processes import ServedAddress, run_live_server
    from porism.web.settings import SearchAppSettings

    output.mkdir(parents=True, exist_ok=True)
    collection = output / "sample"
    source = ServedSource(
        sample_source(), SourceKind.DUMP, output, collection, collection / "index"
    )
    tours: list[subprocess.Popen[bytes]] = []
    addresses: list[str] = []

    def on_ready(address: str) -> None:
        addresses.append(address)
        print_address(address)
        if opens_browser:
            open_in_browser(address)

    def run_tour() -> None:
        arguments = ("demo", "-o", str(output), "--no-serve")
        tours.append(subprocess.Popen([sys.executable, "-m", "porism", *arguments]))
        if tours[0].wait() == 0:
            click.secho("\nSearch page", bold=True)
            print_address(addresses[0])

    try:
        run_live_server(
            SearchAppSettings(source.index),
            LiveIndex(source, LiveOptions(has_vectors=False)),
            ServedAddress("127.0.0.1", port),
            on_ready,
            on_warm=run_tour,
        )
    finally:
        for tour in tours:
            tour.terminate()
            tour.wait()


def _ingest(folder: Path) -> None:
    from porism.cli.plain_tables import columns
    from porism.collection.ingest.pipeline import IngestOptions, ingest
    from porism.collection.sample import sample_source

    report = ingest(sample_source(), folder, IngestOptions(jobs=1))
    click.secho(f"The collection {folder} has", bold=True)
    counts = [
        ("questions", report.questions),
        ("answers", report.answers),
        ("formulas", report.instances),
        ("distinct formulas", report.formulas),
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
    click.secho("\nA question\n", bold=True)
    click.echo(post_text(thread.question))
    return list(pages)


def _index(folder: Path, index: Path) -> None:
    from porism import catalog
    from porism.catalog.first_search import search_compiled_meanwhile
    from porism.collection.store import open_collection
    from porism.embed import is_installed
    from porism.searchindex.builder import IndexOptions
    from porism.searchindex.index_folder import open_index
    from porism.searchindex.indexing import VectorChoice, index_collection

    click.secho("\nIndexing", bold=True)
    click.echo("  The first time, compiling the search for this machine takes ten seconds.")
    # An index with vectors, as from an earlier demonstration, is only updated.
    choice = VectorChoice(is_installed())
    with open_collection(folder) as collection:
        plan = catalog.index_plan(catalog.default_systems(collection.count_answers()))
        with search_compiled_meanwhile() as compiled:
            report = index_collection(
                collection, index, plan, choice, IndexOptions(), lambda progress: None
            )
            compiled()
    with open_index(index) as search_index:
        systems = catalog.searchable_systems(catalog.SYSTEMS, search_index)
    click.echo(
        f"  {index} has {report.index.answers:,} answers and {report.index.formulas:,} visually "
        f"distinct formulas, for {len(systems)} systems."
    )
    if report.vectors is None:
        click.echo(
            "  It has no vectors of sentences, because their model is not installed; see "
            "docs/vectors.md."
        )
    else:
        click.echo(f"  {report.vectors.vectors:,} questions and answers have vectors.")


def _search(search_index: SearchIndex) -> None:
    from porism import catalog
    from porism.cli.retrieval.search_text import SearchOutput, result_lines
    from porism.cli.retrieval.text_style import style_of_output
    from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
    from porism.rank.results import search_results

    for title, typed, task in (
        (f"Answers to: {QUESTION}", typed_answer_topic(QUESTION), Task.ANSWERS),
        (f"Formulas like {FORMULA}", typed_formula_topic(FORMULA), Task.FORMULAS),
    ):
        _, ranker = catalog.default_ranker(task, search_index)
        results = search_results(search_index, ranker, typed, RESULTS)
        click.secho(f"\n{title}\n", bold=True)
        output = SearchOutput(results, search_index.collection_path)
        for line in result_lines(output, style_of_output(sys.stdout.isatty())):
            click.echo(line)


def _score(search_index: SearchIndex, output: Path) -> list[Path]:
    """Print scores of systems, and write a report if plots can be drawn."""
    from porism import catalog
    from porism.cli.demo_scores import MEASURES, sample_evaluations

    click.secho("\nSystems on the sample's topics (1 answers, 2 formulas)", bold=True)
    click.echo(f"  task  system     {'  '.join(MEASURES)}")
    names = [name for name in SCORED if name in catalog.SYSTEMS]
    pages: list[Path] = []
    for scored in sample_evaluations(search_index, names):
        task = scored.evaluation.task
        for run in scored.evaluation.runs:
            values = "  ".join(f"{run.mean(measure):.3f}" for measure in MEASURES)
            click.echo(f"  {task:<4}  {run.run:<9}  {values}")
        if task == Task.ANSWERS:
            pages += _report(scored, search_index, output / "report.html")
    return pages


def _report(scored: SampleEvaluation, search_index: SearchIndex, path: Path) -> list[Path]:
    """Write the report; nothing if the extra for plots is not installed."""
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
        posts=CollectionPosts(search_index.collection),
    )
    with open_output(str(path)) as out:
        out.write(evaluation_report_page(report).encode())
    return [path]
