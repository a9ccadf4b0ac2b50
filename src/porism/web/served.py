"""The index that is served: opened once for each thread, and anew when it has been replaced."""

from __future__ import annotations

import threading
from pathlib import Path

from fastapi import Request

from porism.indexing.library import LIBRARY, Library, open_library


class Served:
    """Gives each thread a library of its own, because a database connection belongs to one.

    An index that is made again or updated while it is served is opened by the next request of each
    thread; requests that are under way end with the one they began with.
    """

    def __init__(self, index: Path, collection: Path | None = None) -> None:
        self.index = index
        self._collection = collection
        self._of_thread = threading.local()
        self.library()  # so that a missing index is told when the server starts

    def library(self) -> Library:
        """The library of this thread, of the index as it is now."""
        state = self._state()
        if getattr(self._of_thread, "state", None) != state:
            opened = open_library(self.index, self._collection)
            previous: Library | None = getattr(self._of_thread, "library", None)
            if previous is not None:
                previous.close()
            self._of_thread.library = opened
            self._of_thread.state = state
        library: Library = self._of_thread.library
        return library

    def _state(self) -> tuple[int, int]:
        """What changes whenever the index is replaced: the file that says what it is."""
        try:
            told = (self.index / LIBRARY).stat()
        except FileNotFoundError:
            return 0, 0  # and opening it says what is missing
        return told.st_mtime_ns, told.st_ino


def library_of(request: Request) -> Library:
    """The library for a request; a handler asks for it itself, in the thread that it runs in."""
    served: Served = request.app.state.served
    return served.library()
