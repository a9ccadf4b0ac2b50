"""An application on a port of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from porism.errors import PorismError
from porism.web.server.connection_timeouts import TimeoutProtocol


def serve(app: FastAPI, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until somebody ends it; the address is told when it can be reached."""
    server = server_of(app)
    with listening_socket(host, port, server.config.backlog) as opened:
        tell(address_of(host, opened))
        server.run(sockets=[opened])


def address_of(host: str, opened: socket.socket) -> str:
    """The address of what listens there."""
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{opened.getsockname()[1]}/"


PROXIES = "127.0.0.0/8,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
"""Where a proxy may be whose word is taken for where requests come from."""


def server_of(app: FastAPI) -> uvicorn.Server:
    """A server of an application that does not wait for anybody without end.

    Headers that say whom a request is forwarded for are believed only behind a proxy: else anybody
    on this machine could say them.
    """
    config = uvicorn.Config(
        app,
        http=TimeoutProtocol,
        ws="none",
        log_level="warning",
        server_header=False,
        proxy_headers=app.state.settings.is_behind_proxy,
        forwarded_allow_ips=PROXIES,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def listening_socket(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens already, so that nobody is refused who reads the address."""
    if not host.strip():
        raise PorismError(
            "found an empty address to listen on, which would be every address of this machine: "
            "name one with --host, such as 127.0.0.1"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        host.encode("idna")  # as the socket does, which then could not be closed any more
    except UnicodeError as error:
        raise PorismError(f"{host!r} is no name of a host ({error}); see --host") from error
    try:
        opened = socket.create_server((host, port), family=family, backlog=backlog)
    except (OSError, UnicodeError) as error:
        strerror = getattr(error, "strerror", None)
        why = f"cannot listen on {host!r}, port {port} ({strerror or error})"
        raise PorismError(f"{why}; choose another with --port, or 0 for a free one") from error
    # Connections inherit it. Else the second packet of an answer waits for the other side to say
    # that it has the first, which takes some systems 40 ms.
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened
