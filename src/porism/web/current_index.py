"""The index being served: opened once for all threads, and again when it changes."""

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
    """Gives each request a ``SearchIndex``; all requests share one opened state of the index.

    An index that is rebuilt or updated while it is served is opened by the next request, once for
    all threads. Running requests finish with the old state, which is released after the last of
    them. Only the database connection belongs to a thread.
    """

    def __init__(self, index: Path, collection: Path | None = None) -> None:
        self.index = index_path(index)
        self._collection = collection
        self._of_thread = threading.local()
        self._opening = threading.Lock()
        self._current: _Current | None = None
        self.search_index()  # a missing index is an error when the server starts

    def search_index(self) -> SearchIndex:
        """The current state of the index, for use in this thread."""
        current = self._opened()

        def open_once(path: Path) -> Collection:
            return self._collection_of_thread(path, current.version)

        return SearchIndex(self.index, self._collection, state=current.state, opened=open_once)

    def _opened(self) -> _Current:
        version = _version(self.index)
        current = self._current
        if current is None or current.version != version:
            with self._opening:
                # Read before opening: a change meanwhile is picked up by the next request.
                version = _version(self.index)
                current = self._current
                if current is None or current.version != version:
                    self._current = current = _Current(version, open_index_state(self.index))
        return current

    def _collection_of_thread(self, path: Path, version: _Version) -> Collection:
        """The database connection of this thread, reopened when the index has changed."""
        connection: _Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None or (connection.path, connection.version) != (path, version):
            opened = _Connection(path, version, open_collection(path))
            if connection is not None:
                connection.collection.close()
            self._of_thread.connection = connection = opened
        return connection.collection


_Version = tuple[int, int, int]


class _Current(NamedTuple):
    version: _Version
    state: IndexState


class _Connection(NamedTuple):
    path: Path
    version: _Version
    collection: Collection


def _version(index: Path) -> _Version:
    """Identifies a state of an index: builds and updates replace its manifest."""
    try:
        manifest = (index / MANIFEST).stat()
    except FileNotFoundError:
        return 0, 0, 0  # opening it reports what is missing
    return manifest.st_mtime_ns, manifest.st_ino, manifest.st_size


def index_of_request(request: Request) -> SearchIndex:
    """The index for a request; to be called in the thread that handles it."""
    current: CurrentIndex = request.app.state.current_index
    try:
        return current.search_index()
    except (PorismError, OSError) as error:
        # Clients need not know where the index is.
        reason = str(error).replace(str(current.index), current.index.name)
        raise RequestRefused(503, f"the index cannot be read: {reason}") from error
