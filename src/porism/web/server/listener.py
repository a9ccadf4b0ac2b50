"""Serving an application on a port of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from porism.errors import PorismError
from porism.web.server.connection_timeouts import TimeoutProtocol


def serve(app: FastAPI, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until interrupted; ``on_ready`` gets the address once connections succeed."""
    server = server_of(app, app.state.settings.is_behind_proxy)
    with listening_socket(host, port, server.config.backlog) as opened:
        on_ready(address_of(host, opened))
        server.run(sockets=[opened])


def address_of(host: str, opened: socket.socket) -> str:
    """The URL of a listening socket."""
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{opened.getsockname()[1]}/"


PROXIES = "127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
"""Networks of proxies whose forwarding headers are trusted."""


LONGEST_HEAD = 500_000
"""Bytes of an address with its headers; a character of an address takes up to 12 bytes."""


def server_of(app: ASGIApp, is_behind_proxy: bool = False) -> uvicorn.Server:
    """A server for an application, with timeouts for every client.

    Forwarding headers are trusted only behind a proxy: otherwise any local client could forge them.
    """
    config = uvicorn.Config(
        app,
        http=TimeoutProtocol,
        ws="none",
        log_level="warning",
        server_header=False,
        proxy_headers=is_behind_proxy,
        forwarded_allow_ips=PROXIES,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def listening_socket(host: str, port: int, backlog: int) -> socket.socket:
    """A listening socket, so that connections succeed as soon as the address is known."""
    if not host.strip():
        raise PorismError(
            "found an empty address to listen on, which would mean all addresses of this machine: "
            "expected one, such as --host 127.0.0.1"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        host.encode("idna")  # otherwise the socket does, and could not be closed
    except UnicodeError as error:
        raise PorismError(f"{host!r} is not a host name ({error}); see --host") from error
    try:
        opened = socket.create_server((host, port), family=family, backlog=backlog)
    except (OSError, UnicodeError) as error:
        strerror = getattr(error, "strerror", None)
        why = f"cannot listen on {host!r}, port {port} ({strerror or error})"
        raise PorismError(f"{why}; choose another with --port, or 0 for a free one") from error
    # Connections inherit it. Without it the second packet of a response waits for the client to
    # acknowledge the first, which takes some systems 40 ms.
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened
