"""``porism demo``: the sample collection and a few formulas, to see at once what Porism does."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.examples import Command

THREAD = "101"
"""The question that is shown."""

FORMULAS = (
    r"a^2 + b^2 = c^2",
    r"x_{1,2} = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}6",
    r"\int_0^1 f(x)\,dx \le \mypi",
)
"""The last one has a command that does not exist, to show how Porism goes on."""


@click.command(
    cls=Command,
    epilog="""
    porism demo
    porism demo -o /tmp/demo
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
def demo(output: Path) -> None:
    """Make a collection of the sample that comes with Porism, and show what is in it.

    In FOLDER are then the collection, the page of a thread, and a page of formulas with their
    trees.
    """
    # Loads the parser and its tables, which --help can do without.
    from porism.cli.output import open_output
    from porism.cli.plain_tables import columns
    from porism.cli.show_text import post_text
    from porism.collection.ingest import Options, ingest
    from porism.collection.sample import sample_source
    from porism.collection.store import open_collection
    from porism.pages.formula_sheet import formula_sheet
    from porism.pages.thread import thread_page

    collection_folder = output / "sample"
    report = ingest(sample_source(), collection_folder, Options(jobs=1))
    click.secho(f"A collection, in {collection_folder}, of", bold=True)
    counts = [
        ("questions", report.questions),
        ("answers", report.answers),
        ("formulas", report.instances),
        ("distinct formulas, each with its trees", report.formulas),
    ]
    click.echo("\n".join(columns(counts)))
    with open_collection(collection_folder) as collection:
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
    click.secho("\nSee it as a page, with its answers, and formulas with their trees", bold=True)
    click.echo("\n".join(f"  {path}" for path in pages))
    click.secho("\nTry", bold=True)
    click.echo(f"  .venv/bin/porism stats {collection_folder}")
    click.echo(f"  .venv/bin/porism show {collection_folder} thread 501")
    click.echo(r"  .venv/bin/porism formula show '\frac{1}{2} + x^2'")
    click.echo("  .venv/bin/porism --help")
