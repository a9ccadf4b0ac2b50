"""The index that is served: opened once for each thread, and anew when it has changed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

from fastapi import Request

from porism.errors import PorismError
from porism.index.layout import META
from porism.indexing.library import (
    ANSWERS,
    FORMULAS,
    LIBRARY,
    Library,
    generation_folder,
    open_library,
    read_contents,
)
from porism.web.problems import Refused


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
        kept: _Kept | None = getattr(self._of_thread, "kept", None)
        if kept is None or kept.state != _state(self.index, kept.library.contents.generation):
            # Looked at before it is opened: what changes meanwhile is opened by the next request.
            state = _state(self.index, read_contents(self.index).generation)
            opened = _Kept(open_library(self.index, self._collection), state)
            if kept is not None:
                kept.library.close()
            self._of_thread.kept = kept = opened
        return kept.library


_State = tuple[tuple[int, int], ...]


class _Kept(NamedTuple):
    library: Library
    state: _State


def _state(index: Path, generation: int) -> _State:
    """What changes whenever an index is made again or updated: the files that say what it is.

    A new generation changes the first, an update of the one in force the others.
    """
    folder = generation_folder(index, generation)
    return tuple(map(_told, (index / LIBRARY, folder / ANSWERS / META, folder / FORMULAS / META)))


def _told(file: Path) -> tuple[int, int]:
    try:
        told = file.stat()
    except FileNotFoundError:
        return 0, 0  # and opening it says what is missing
    return told.st_mtime_ns, told.st_ino


def library_of(request: Request) -> Library:
    """The library for a request; a handler asks for it itself, in the thread that it runs in."""
    served: Served = request.app.state.served
    try:
        return served.library()
    except (PorismError, OSError) as error:
        why = str(error).replace(str(served.index), served.index.name)  # where is nobody's concern
        raise Refused(503, f"the index cannot be read: {why}") from error
