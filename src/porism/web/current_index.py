"""The index that is served: opened once for all threads, and again when it has changed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

from fastapi import Request

from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.searchindex.index_folder import IndexState, SearchIndex, open_index_state
from porism.searchindex.manifest import MANIFEST, index_path
from porism.web.server.problems import RequestRefused


class CurrentIndex:
    """Gives each request a library; all requests share one opened state of the index.

    An index that is made again or updated while it is served is opened by the next request, once
    for all threads. Requests that are under way end with the state they began with, which is
    released after the last of them. Only the database connection belongs to a thread.
    """

    def __init__(self, index: Path, collection: Path | None = None) -> None:
        self.index = index_path(index)
        self._collection = collection
        self._of_thread = threading.local()
        self._opening = threading.Lock()
        self._current: _Current | None = None
        self.library()  # so that a missing index is told when the server starts

    def library(self) -> SearchIndex:
        """A library of the index as it is now, for use in this thread."""
        current = self._opened()

        def open_once(path: Path) -> Collection:
            return self._collection_of_thread(path, current.version)

        return SearchIndex(self.index, self._collection, state=current.state, opened=open_once)

    def _opened(self) -> _Current:
        version = _version(self.index)
        current = self._current
        if current is None or current.version != version:
            with self._opening:
                # Looked at before it is opened: what changes meanwhile is opened by the next one.
                version = _version(self.index)
                current = self._current
                if current is None or current.version != version:
                    self._current = current = _Current(version, open_index_state(self.index))
        return current

    def _collection_of_thread(self, path: Path, version: _Version) -> Collection:
        """The connection of this thread, opened again when the index has changed."""
        kept: _Connection | None = getattr(self._of_thread, "kept", None)
        if kept is None or (kept.path, kept.version) != (path, version):
            opened = _Connection(path, version, open_collection(path))
            if kept is not None:
                kept.collection.close()
            self._of_thread.kept = kept = opened
        return kept.collection


_Version = tuple[int, int, int]


class _Current(NamedTuple):
    version: _Version
    state: IndexState


class _Connection(NamedTuple):
    path: Path
    version: _Version
    collection: Collection


def _version(index: Path) -> _Version:
    """What changes whenever an index is made again or updated: that file is then replaced."""
    try:
        found = (index / MANIFEST).stat()
    except FileNotFoundError:
        return 0, 0, 0  # and opening it says what is missing
    return found.st_mtime_ns, found.st_ino, found.st_size


def index_of_request(request: Request) -> SearchIndex:
    """The library for a request; a handler asks for it itself, in the thread that it runs in."""
    served: CurrentIndex = request.app.state.served
    try:
        return served.library()
    except (PorismError, OSError) as error:
        why = str(error).replace(str(served.index), served.index.name)  # where is nobody's concern
        raise RequestRefused(503, f"the index cannot be read: {why}") from error
