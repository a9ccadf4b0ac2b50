"""The application on a port of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from porism.errors import PorismError
from porism.web.app import create_app
from porism.web.settings import Settings


def run_server(settings: Settings, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until somebody ends it; the address is told when it can be reached."""
    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        server_header=False,
        timeout_keep_alive=10,
        limit_concurrency=1000,
    )
    with _listening(host, port, config.backlog) as listening:
        address = f"[{host}]" if ":" in host else host
        tell(f"http://{address}:{listening.getsockname()[1]}/")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens already, so that nobody is refused who reads the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=backlog)
    except OSError as error:
        why = f"cannot listen on {host}, port {port} ({error.strerror or error})"
        raise PorismError(f"{why}; choose another with --port, or 0 for a free one") from error
