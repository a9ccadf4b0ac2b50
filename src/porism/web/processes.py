"""The search application, served by one process or several."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import uvicorn
from fastapi import FastAPI

from porism.catalog.first_search import search_compiled_meanwhile
from porism.errors import PorismError
from porism.storage.bus_errors import exit_on_bus_error
from porism.web.app import create_app, warm
from porism.web.live.process import LiveIndex
from porism.web.live.served_app import ServedApp
from porism.web.live.status import LiveStatus
from porism.web.server.listener import address_of, listening_socket, server_of
from porism.web.settings import SearchAppSettings

log = logging.getLogger(__name__)


class ServedAddress(NamedTuple):
    """Where to listen, and with how many processes."""

    host: str
    port: int
    processes: int = 1


def run_server(
    settings: SearchAppSettings,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    processes: int = 1,
) -> None:
    """Serve until interrupted; ``on_ready`` gets the address once connections succeed.

    Python code of searches runs one at a time in a process; of several processes, a free one takes
    the next connection. They share nothing, so each applies rate limits and counts on its own.

    A process whose index is overwritten in place reports it and exits. If it is the first, all
    exit with it; another is started again with the new index.
    """
    exit_on_bus_error()
    server = _warm_server(settings)
    with (
        listening_socket(host, port, server.config.backlog) as opened,
        _others(settings, opened, processes - 1),
    ):
        on_ready(address_of(host, opened))
        server.run(sockets=[opened])


def run_live_server(
    settings: SearchAppSettings,
    live: LiveIndex,
    address: ServedAddress,
    on_ready: Callable[[str], None],
    on_status: Callable[[LiveStatus], None] = lambda status: None,
    on_warm: Callable[[], None] = lambda: None,
) -> None:
    """Serve a source until interrupted, at first with a page that says how far its index is.

    ``on_status`` gets each state of the index, in a thread; ``on_warm`` is called when searches are
    as fast as they will be. Raises ``PorismError`` if there can be no index.
    """
    exit_on_bus_error()
    failures: list[str] = []
    is_open = threading.Event()

    def open_app() -> FastAPI:
        app = create_app(settings, is_warm=False)
        # A search that comes meanwhile waits for the code that is being compiled.
        threading.Thread(target=_warm, args=(app, compiled, on_warm), daemon=True).start()
        is_open.set()
        return app

    def fail(message: str) -> None:
        failures.append(message)
        server.should_exit = True

    app = ServedApp(settings, live, open_app, on_status, fail)
    server = server_of(app, settings.is_behind_proxy)
    with (
        listening_socket(address.host, address.port, server.config.backlog) as opened,
        _others(settings, opened, address.processes - 1, is_open),
        search_compiled_meanwhile() as compiled,
    ):
        on_ready(address_of(address.host, opened))
        server.run(sockets=[opened])
    if failures:
        raise PorismError(failures[0])


def _warm(app: FastAPI, compiled: Callable[[], None], on_warm: Callable[[], None]) -> None:
    compiled()
    try:
        warm(app)
        _keep_in_memory()
    except Exception:  # requests report it, too
        log.exception("the first search failed")
    on_warm()


@contextmanager
def _others(
    settings: SearchAppSettings,
    opened: socket.socket,
    number: int,
    has_index: threading.Event | None = None,
) -> Iterator[None]:
    """Run ``number`` more processes on the same socket, and restart each that dies.

    They start when there is an index.
    """
    stopping = threading.Event()
    # Spawned, not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    running: dict[int, BaseProcess] = {}

    def keep_one(place: int) -> None:
        if has_index is not None:
            has_index.wait()
        while not stopping.is_set():
            running[place] = context.Process(
                target=_serve_until_parent_ends, args=(settings, opened)
            )
            running[place].start()
            running[place].join()
            stopping.wait(1.0)  # do not loop over one that fails to start

    keepers = [threading.Thread(target=keep_one, args=(place,)) for place in range(number)]
    for keeper in keepers:
        keeper.start()
    try:
        yield
    finally:
        stopping.set()
        if has_index is not None:
            has_index.set()
        for process in list(running.values()):
            process.terminate()
        for keeper in keepers:
            keeper.join()


def _serve_until_parent_ends(settings: SearchAppSettings, opened: socket.socket) -> None:
    """Serve in another process until the first one ends, however it ends."""
    exit_on_bus_error()
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()
    _warm_server(settings).run(sockets=[opened])


def _warm_server(settings: SearchAppSettings) -> uvicorn.Server:
    """A server whose application has searched once."""
    server = server_of(create_app(settings), settings.is_behind_proxy)
    _keep_in_memory()
    return server


def _keep_in_memory() -> None:
    """Keep what is there: looking for garbage among it took 0.2 s, in one request of fifty."""
    gc.collect()
    gc.freeze()


def _exit_with(parent: BaseProcess) -> None:
    wait([parent.sentinel])
    os._exit(0)
