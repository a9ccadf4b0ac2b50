"""The search application on a port of this machine."""

from __future__ import annotations

from collections.abc import Callable

from porism.web.app import create_app
from porism.web.listening import serve
from porism.web.settings import Settings


def run_server(settings: Settings, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until somebody ends it; the address is told when it can be reached."""
    serve(create_app(settings), host, port, tell)
