"""The collection that candidates are from: opened once for each thread, anew when it changed."""

from __future__ import annotations

import threading
from pathlib import Path

from fastapi import Request

from porism.collection.schema import DATABASE
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.web.server.problems import RequestRefused


class CollectionHandle:
    """Gives each thread a collection of its own, because a database connection belongs to one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._of_thread = threading.local()
        self.collection()  # so that a missing one is told when the server starts

    @property
    def state(self) -> tuple[int, int]:
        """What changes when the collection is made anew."""
        return (0, 0) if self._path is None else _state(self._path)

    def collection(self) -> Collection | None:
        """The collection as it is now, for this thread; None if none is served."""
        if self._path is None:
            return None
        state = self.state
        kept: tuple[Collection, object] | None = getattr(self._of_thread, "kept", None)
        if kept is None or kept[1] != state:
            opened = open_collection(self._path)
            if kept is not None:
                kept[0].close()
            self._of_thread.kept = kept = (opened, state)
        return kept[0]


def collection_of(request: Request) -> Collection | None:
    """The collection for a request; a handler asks for it itself, in the thread it runs in."""
    shown: CollectionHandle = request.app.state.collection_handle
    try:
        return shown.collection()
    except (PorismError, OSError) as error:
        raise RequestRefused(
            503, "The collection cannot be read now. Try again soon.", 5
        ) from error


def _state(path: Path) -> tuple[int, int]:
    try:
        told = (path / DATABASE).stat()
    except FileNotFoundError:
        return 0, 0  # and opening it says what is missing
    return told.st_mtime_ns, told.st_ino
