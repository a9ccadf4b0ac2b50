"""The search application on a port of this machine, by one process or several."""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from porism.index.storage.bus_errors import exit_on_bus_error
from porism.web.app import create_app
from porism.web.server.listener import address_of, listening_socket, server_of
from porism.web.settings import SearchAppSettings


def run_server(
    settings: SearchAppSettings,
    host: str,
    port: int,
    tell: Callable[[str], None],
    processes: int = 1,
) -> None:
    """Serve until somebody ends it; the address is told when it can be reached.

    Searches wait for each other in one process, as far as they are Python; of several, each that
    is free takes the next connection. They share nothing, so each counts requests for itself.

    One whose index is overwritten in place says so and ends. If that is the first, all end with
    it; another is started again, with the index as it is then.
    """
    exit_on_bus_error()
    server = server_of(create_app(settings))
    with (
        listening_socket(host, port, server.config.backlog) as opened,
        _others(settings, opened, processes - 1),
    ):
        tell(address_of(host, opened))
        server.run(sockets=[opened])


@contextmanager
def _others(settings: SearchAppSettings, opened: socket.socket, number: int) -> Iterator[None]:
    """So many more processes at the same socket, each of which is replaced if it dies."""
    ending = threading.Event()
    # Begun anew, not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    running: dict[int, BaseProcess] = {}

    def keep_one(place: int) -> None:
        while not ending.is_set():
            running[place] = context.Process(target=_serve_too, args=(settings, opened))
            running[place].start()
            running[place].join()
            ending.wait(1.0)  # one that cannot begin must not keep us busy

    keepers = [threading.Thread(target=keep_one, args=(place,)) for place in range(number)]
    for keeper in keepers:
        keeper.start()
    try:
        yield
    finally:
        ending.set()
        for process in list(running.values()):
            process.terminate()
        for keeper in keepers:
            keeper.join()


def _serve_too(settings: SearchAppSettings, opened: socket.socket) -> None:
    """What each of the other processes does, until the first one ends, however that does."""
    exit_on_bus_error()
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    server_of(create_app(settings)).run(sockets=[opened])


def _end_with(parent: BaseProcess) -> None:
    wait([parent.sentinel])
    os._exit(0)
