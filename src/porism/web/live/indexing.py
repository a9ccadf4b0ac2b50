"""Keeps the index of a source up to date, in a process of its own.

The cache can be searched whenever an index is in force. An update replaces the collection and then
the index; a process that is killed in between leaves a mark, and the next start finishes the update
before anything is served.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from queue import Empty, SimpleQueue

from watchfiles import Change, DefaultFilter, watch

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.progress import StepProgress
from porism.collection.schema import DatabaseError
from porism.collection.store import open_collection
from porism.embed import is_installed
from porism.errors import PorismError, error_summary
from porism.locking import ProcessLock
from porism.parallel import reduce_garbage_collection
from porism.searchindex.builder import IndexOptions
from porism.searchindex.index_folder import open_index
from porism.searchindex.indexing import (
    SMALL_COLLECTION,
    VectorChoice,
    index_collection,
    update_collection_index,
)
from porism.searchindex.manifest import is_search_index
from porism.web.live.sources import COLLECTION, ServedSource, SourceKind
from porism.web.live.status import LiveState, LiveStatus

log = logging.getLogger(__name__)

SYSTEMS = ("porism",)
"""The systems for which a source is indexed: the one by which pages rank."""

FEW_DOCUMENTS = 2_000
"""Up to this many documents, one process is done before others have started."""

QUIET_MILLISECONDS = 50
LONGEST_MILLISECONDS = 300
"""Changes are taken together until there is none for the one time, or for at most the other."""


LOCK = ".serve.lock"


class _Interrupted(Exception):
    """Vectors are made later, because files have changed."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Whether texts get vectors (None: if their model is installed), and how many processes."""

    has_vectors: bool | None = None
    jobs: int = 1


def keep_current(source: ServedSource, options: LiveOptions, connection: Connection) -> None:
    """Make the index of a source, report each state, and follow changes, until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    reduce_garbage_collection()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(BrokenPipeError):  # the parent has ended
        _LiveIndexing(source, options, connection.send).run()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


class _LiveIndexing:
    def __init__(
        self, source: ServedSource, options: LiveOptions, send: Callable[[LiveStatus], None]
    ) -> None:
        self._source = source
        self._options = options
        self._send = send
        self._changes: SimpleQueue[str] = SimpleQueue()
        self._has_problem = False

    def run(self) -> None:
        source = self._source
        if self._can_be_served():
            self._send(LiveStatus(LiveState.READY))
        with self._lock():
            try:
                self._start()
            except Exception as error:  # for its message; nothing can be served
                self._send(LiveStatus(LiveState.FAILED, _message(error)))
                return
            self._send(LiveStatus(LiveState.READY))
            if source.is_watched:
                threading.Thread(target=self._watch, daemon=True).start()
                self._follow()
            else:
                self._fill_vectors()

    def _can_be_served(self) -> bool:
        """Whether the cache has a finished index that this version can open."""
        if not self._source.is_finished:
            return False
        try:
            with open_index(self._source.index, self._source.collection) as search_index:
                return search_index.collection.count_posts() >= 0
        except (PorismError, DatabaseError):
            return False

    def _lock(self) -> ProcessLock:
        """Wait until no other server keeps this index up to date; meanwhile it is served, too."""
        is_ready = self._can_be_served()
        while True:
            try:
                return ProcessLock(self._source.folder / LOCK, "")
            except PorismError:
                if not is_ready and self._can_be_served():
                    self._send(LiveStatus(LiveState.READY))
                    is_ready = True

    def _start(self) -> None:
        """Bring the cache up to date; one that cannot be read, such as an older one, goes."""
        has_cache = is_search_index(self._source.index)
        try:
            self._update()
        except (PorismError, DatabaseError) as error:
            if not has_cache:
                raise
            log.warning("%s: made again (%s)", self._source.folder, error)
            for folder in (self._source.index, self._source.folder / COLLECTION):
                shutil.rmtree(folder, ignore_errors=True)
            self._update()

    def _follow(self) -> None:
        """Update the index after each change; vectors are made while there is none."""
        has_vectors = False
        while True:
            if not has_vectors and self._changes.empty():
                has_vectors = self._try(self._fill_vectors)
                continue
            self._changes.get()
            with suppress(Empty):
                while True:
                    self._changes.get_nowait()
            if self._try(self._update):
                self._send(LiveStatus(LiveState.READY))

    def _try(self, work: Callable[[], None]) -> bool:
        """Whether something was done; what went wrong is reported, and tried again later."""
        try:
            work()
        except _Interrupted:
            return False
        except Exception as error:  # one broken file must not end the service
            self._send(LiveStatus(LiveState.PROBLEM, _message(error)))
            return work == self._fill_vectors
        return True

    def _update(self) -> None:
        source = self._source
        source.unfinished.touch()
        if source.kind is not SourceKind.COLLECTION:
            ingest(
                source.path,
                source.collection,
                IngestOptions(jobs=self._options.jobs, skip_bad=True),
                self._progress,
            )
        with open_collection(source.collection) as collection:
            documents = collection.count_answers()
            options = IndexOptions(1 if documents <= FEW_DOCUMENTS else self._options.jobs)
            if is_search_index(source.index):
                update_collection_index(collection, source.index, options, self._progress)
            else:
                plan = catalog.index_plan(SYSTEMS)
                choice = VectorChoice(is_wanted=False)
                index_collection(collection, source.index, plan, choice, options, self._progress)
        source.unfinished.unlink()

    def _fill_vectors(self) -> None:
        """Make the vectors of all texts, if they are to have any."""
        with open_collection(self._source.collection) as collection:
            wanted = self._options.has_vectors
            if wanted is None:
                wanted = is_installed() and collection.count_posts() <= SMALL_COLLECTION
            if wanted:
                index_collection(
                    collection,
                    self._source.index,
                    catalog.index_plan(SYSTEMS),
                    VectorChoice(is_wanted=True),
                    IndexOptions(self._options.jobs),
                    self._progress_of_vectors,
                )

    def _progress(self, progress: StepProgress) -> None:
        self._send(LiveStatus(LiveState.STARTING, progress=progress))

    def _progress_of_vectors(self, progress: StepProgress) -> None:
        if not self._changes.empty():
            raise _Interrupted

    def _watch(self) -> None:
        """Pass changes on. The first is made up: files may have changed before this."""
        path = self._source.path.resolve()
        # A file is watched by its folder, because editors replace files.
        folder = path if path.is_dir() else path.parent
        self._changes.put("")
        try:
            for changes in watch(
                folder,
                watch_filter=_DocumentFilter(folder),
                step=QUIET_MILLISECONDS,
                debounce=LONGEST_MILLISECONDS,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                self._changes.put(next(iter(changes))[1])
        except (OSError, RuntimeError) as error:
            reason = f"changes of {folder} cannot be watched ({error}); restart to see them"
            self._send(LiveStatus(LiveState.PROBLEM, reason))


class _DocumentFilter(DefaultFilter):
    """Leaves out what ingest leaves out: hidden files, and those of version control and editors."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __call__(self, change: Change, path: str) -> bool:
        parts = Path(path).relative_to(self._folder).parts
        return not any(part.startswith(".") for part in parts) and super().__call__(change, path)


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, PorismError | OSError) else error_summary(error)
