"""The collection of the candidates: opened once per thread, and again when it has changed."""

from __future__ import annotations

import threading
from pathlib import Path

from fastapi import Request

from porism.collection.schema import DATABASE
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.web.server.problems import RequestRefused


class CollectionHandle:
    """Gives each thread its own collection, because a database connection belongs to one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._of_thread = threading.local()
        self.collection()  # a missing one is an error when the server starts

    @property
    def state(self) -> tuple[int, int]:
        """Changes when the collection is rebuilt."""
        return (0, 0) if self._path is None else _state(self._path)

    def collection(self) -> Collection | None:
        """The current collection, for this thread; None if none is served."""
        if self._path is None:
            return None
        state = self.state
        opened: tuple[Collection, object] | None = getattr(self._of_thread, "opened", None)
        if opened is None or opened[1] != state:
            collection = open_collection(self._path)
            if opened is not None:
                opened[0].close()
            self._of_thread.opened = opened = (collection, state)
        return opened[0]


def collection_of(request: Request) -> Collection | None:
    """The collection for a request; call it in the thread of the handler."""
    handle: CollectionHandle = request.app.state.collection_handle
    try:
        return handle.collection()
    except (PorismError, OSError) as error:
        raise RequestRefused(
            503, "The collection cannot be read now. Try again soon.", 5
        ) from error


def _state(path: Path) -> tuple[int, int]:
    try:
        stat = (path / DATABASE).stat()
    except FileNotFoundError:
        return 0, 0  # opening it reports what is missing
    return stat.st_mtime_ns, stat.st_ino
