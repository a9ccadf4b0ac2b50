"""``porism serve``: the web application over an index."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.elsewhere import collection_option
from porism.cli.examples import Command
from porism.cli.extras import needs_extra
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.web.settings import Settings

PATH = click.Path(path_type=Path)


@click.command(
    cls=Command,
    epilog="""
    porism serve math/index
    porism serve math/index --port 8080 --runs runs --qrels qrel_task1_2021.tsv
    """,
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; others than this machine reach only 0.0.0.0 or its own address.",
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 takes one that is free.",
)
@click.option("--runs", metavar="DIR", type=PATH, help="Runs to explore; needs --qrels.")
@click.option("--qrels", metavar="FILE", type=PATH, help="The judgments of these runs.")
@click.option("--topics", metavar="FILE", type=PATH, help="The topics of these runs.")
@click.option(
    "--rate",
    metavar="N",
    type=click.FloatRange(0),
    default=100.0,
    show_default=True,
    help="Requests a second that one address may send; 0 for no limit.",
)
@click.option(
    "--origin",
    "origins",
    metavar="URL",
    multiple=True,
    help="A site whose scripts may ask, such as https://example.org; repeatable.",
)
@collection_option
@click.argument("index", type=PATH)
def serve(
    index: Path,
    host: str,
    port: int,
    runs: Path | None,
    qrels: Path | None,
    topics: Path | None,
    rate: float,
    origins: tuple[str, ...],
    collection: Path | None,
) -> None:
    """Serve INDEX as web pages to search with, and as a REST interface."""
    if (runs is None) != (qrels is None):
        raise click.UsageError("--runs and --qrels go together")
    with needs_extra("web"):
        from porism.web.settings import Settings

    settings = Settings(
        index=index,
        collection=collection,
        runs=runs,
        qrels=qrels,
        topics=topics,
        requests_a_second=rate,
        origins=origins,
    )
    run_server(settings, host, port)


def run_server(settings: Settings, host: str, port: int) -> None:
    """Serve until somebody ends it; the address is printed when it can be reached."""
    import uvicorn

    from porism.web.app import create_app

    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        server_header=False,
        timeout_keep_alive=10,
        limit_concurrency=1000,
    )
    with _listening(host, port, config.backlog) as listening:
        address = f"[{host}]" if ":" in host else host
        told = f"http://{address}:{listening.getsockname()[1]}/"
        click.echo(f"Porism is at {told} (Ctrl+C ends it)")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens already, so that nobody is refused who reads the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=backlog)
    except OSError as error:
        why = f"cannot listen on {host}, port {port} ({error.strerror or error})"
        raise PorismError(f"{why}; choose another with --port, or 0 for a free one") from error
