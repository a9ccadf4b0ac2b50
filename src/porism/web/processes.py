"""The search application, served by one process or several."""

from __future__ import annotations

import gc
import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

import uvicorn

from porism.storage.bus_errors import exit_on_bus_error
from porism.web.app import create_app
from porism.web.server.listener import address_of, listening_socket, server_of
from porism.web.settings import SearchAppSettings


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


@contextmanager
def _others(settings: SearchAppSettings, opened: socket.socket, number: int) -> Iterator[None]:
    """Run ``number`` more processes on the same socket, and restart each that dies."""
    stopping = threading.Event()
    # Spawned, not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    running: dict[int, BaseProcess] = {}

    def keep_one(place: int) -> None:
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
    """A server whose application has searched once.

    What is in memory now stays: looking for garbage among it took 0.2 s, in one request of fifty.
    """
    server = server_of(create_app(settings))
    gc.collect()
    gc.freeze()
    return server


def _exit_with(parent: BaseProcess) -> None:
    wait([parent.sentinel])
    os._exit(0)
