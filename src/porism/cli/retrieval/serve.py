"""``porism serve``: serve the web application for an index."""

from __future__ import annotations

import re
from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.generation import generator_options
from porism.cli.options.inputs import (
    PATH,
    index_argument,
    index_collection_option,
    qrels_option,
    topics_option,
)
from porism.cli.options.server import host_names, host_option, port_option, trust_options
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
@generator_options
@index_collection_option
@index_argument
def serve(
    index: Path,
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
    language_model: GeneratorSettings,
    collection: Path | None,
) -> None:
    """Serve INDEX as a web application and a REST interface.

    With a language model, it also writes answers from the posts that a search finds, and cites
    them.
    """
    if (runs is None) != (qrels is None):
        raise click.UsageError("--runs and --qrels need each other")
    from porism.web.processes import run_server
    from porism.web.settings import SearchAppSettings

    settings = SearchAppSettings(
        index=index,
        collection=collection,
        runs=runs,
        qrels=qrels,
        topics=topics,
        requests_a_second=rate,
        origins=origins,
        hosts=host_names(host, hosts),
        is_behind_proxy=is_behind_proxy,
        language_model=language_model,
    )
    run_server(settings, host, port, print_address, processes)


def print_address(address: str) -> None:
    """Print the address of the server."""
    click.echo(f"Porism is at {address} (Ctrl+C stops it)")
