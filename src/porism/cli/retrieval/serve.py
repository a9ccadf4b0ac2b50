"""``porism serve``: serve the web application for an index, or for what one can be made of."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from porism.cli.browser import open_in_browser
from porism.cli.command import PorismCommand
from porism.cli.editor import editor_option
from porism.cli.options.generation import generator_options
from porism.cli.options.inputs import PATH, collection_option, qrels_option, topics_option
from porism.cli.options.jobs import jobs_option
from porism.cli.options.server import (
    browser_option,
    host_names,
    host_option,
    port_option,
    trust_options,
)
from porism.cli.progress import StatusPrinter
from porism.generation.settings import GeneratorSettings

_SITE = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?/?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def origins_of(
    context: click.Context, option: click.Parameter, sites: tuple[str, ...]
) -> tuple[str, ...]:
    """The sites as browsers name them in ``Origin`` headers."""
    return tuple(map(_origin, sites))


def _origin(site: str) -> str:
    """A site without a trailing slash and without a default port.

    >>> _origin("https://Example.org:443/")
    'https://example.org'
    """
    match = _SITE.fullmatch(site.strip().lower())
    if match is None:
        raise click.BadParameter(
            f"found {site!r}: expected a site such as https://example.org or "
            "http://localhost:3000, without a path"
        )
    scheme, host, port = match.groups()
    is_default = port in (None, _DEFAULT_PORTS[scheme])
    return f"{scheme}://{host}" if is_default else f"{scheme}://{host}:{port}"


@click.command(
    cls=PorismCommand,
    epilog="""
    porism serve ~/notes
    porism serve ~/notes --editor 'vscode://file/{path}:{line}'
    porism serve math.stackexchange.com.7z
    porism serve math/index
    porism serve math/index --port 8080 --runs runs --qrels qrel_task1_2021.tsv
    porism serve math/index --endpoint http://localhost:11434/v1 --model qwen3
    """,
)
@host_option
@port_option()
@trust_options
@click.option("--runs", metavar="DIR", type=PATH, help="Runs to explore; needs --qrels.")
@qrels_option("The judgments of these runs.")
@topics_option("The topics of these runs.")
@click.option(
    "--rate",
    metavar="N",
    type=click.FloatRange(0),
    default=100.0,
    show_default=True,
    help="Requests per second allowed from one address; 0 for no limit.",
)
@click.option(
    "--origin",
    "origins",
    metavar="URL",
    multiple=True,
    callback=origins_of,
    help="A site whose scripts may send requests, such as https://example.org; repeatable.",
)
@click.option(
    "--processes",
    metavar="N",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Number of processes; each opens the index.",
)
@click.option(
    "--vectors/--no-vectors",
    "has_vectors",
    default=None,
    help="Whether the texts of a source get vectors, while it is served already. If not given: for "
    "up to 200,000 posts, if the model is installed.",
)
@jobs_option()
@browser_option
@editor_option(
    "The editor in which the page opens notes: a command that opens a window, such as code, or an "
    "address such as vscode://file/{path}:{line}."
)
@generator_options
@collection_option("The collection of an index, if it has moved.")
@click.argument("source", metavar="PATH", type=PATH)
def serve(
    source: Path,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    is_behind_proxy: bool,
    runs: Path | None,
    qrels: Path | None,
    topics: Path | None,
    rate: float,
    origins: tuple[str, ...],
    processes: int,
    has_vectors: bool | None,
    jobs: int,
    opens_browser: bool,
    editor: str | None,
    language_model: GeneratorSettings,
    collection: Path | None,
) -> None:
    """Serve PATH as a web application and a REST interface.

    PATH is an index, a collection, a dump, or a file or folder of notes. What is no index is
    indexed in a cache, which the next start brings up to date, and a page shows the progress.
    Changes of notes are followed: the next search finds them.

    With a language model, it also writes answers from the posts that a search finds, and cites
    them.
    """
    if (runs is None) != (qrels is None):
        raise click.UsageError("--runs and --qrels need each other")
    from porism.storage.bus_errors import exit_on_bus_error
    from porism.web.live.indexing import LiveOptions
    from porism.web.live.process import LiveIndex
    from porism.web.live.sources import SourceKind, served_source
    from porism.web.processes import ServedAddress, run_live_server, run_server
    from porism.web.settings import SearchAppSettings

    exit_on_bus_error()
    served = served_source(source)
    is_made = served.kind is not SourceKind.INDEX
    settings = SearchAppSettings(
        index=served.index,
        collection=served.collection if is_made else collection,
        runs=runs,
        qrels=qrels,
        topics=topics,
        requests_a_second=rate,
        origins=origins,
        hosts=host_names(host, hosts),
        is_behind_proxy=is_behind_proxy,
        language_model=language_model,
        editor=editor,
    )

    def on_ready(address: str) -> None:
        print_address(address)
        if opens_browser:
            open_in_browser(address)

    if is_made:
        live = LiveIndex(served, LiveOptions(has_vectors, jobs))
        printer = StatusPrinter()
        address = ServedAddress(host, port, processes)
        run_live_server(
            settings,
            live,
            address,
            on_ready,
            lambda status: printer.show(status.progress, status.problem),
        )
    else:
        run_server(settings, host, port, on_ready, processes)


def print_address(address: str) -> None:
    """Print the address of the server."""
    click.echo(f"Porism is at {address} (Ctrl+C stops it)")
    sys.stdout.flush()
