"""The process that keeps the index of a source up to date, seen from the server."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable

from porism.web.live.indexing import LiveOptions, keep_current
from porism.web.live.sources import ServedSource
from porism.web.live.status import LiveState, LiveStatus


class LiveIndex:
    """The index of a source that another process makes and follows; ``status`` is its state."""

    def __init__(self, source: ServedSource, options: LiveOptions) -> None:
        self.source = source
        self.status = LiveStatus(LiveState.STARTING, "starting")
        # Spawned, not forked: the server has threads.
        context = multiprocessing.get_context("spawn")
        self._receiving, sending = context.Pipe(duplex=False)
        self._process = context.Process(target=keep_current, args=(source, options, sending))
        self._sending = sending
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def start(self, on_status: Callable[[LiveStatus], None]) -> None:
        """Start the process; ``on_status`` is called with each state, in a thread."""
        self._process.start()
        self._sending.close()  # so that reading ends with the process
        self._thread = threading.Thread(target=self._read, args=(on_status,))
        self._thread.start()

    def _read(self, on_status: Callable[[LiveStatus], None]) -> None:
        is_last = False
        while not is_last:
            try:
                status: LiveStatus = self._receiving.recv()
            except EOFError:
                is_last = True
                if self._is_closed or self.status.state is LiveState.FAILED:
                    break
                self._process.join()
                if self._process.exitcode == 0:  # a source that does not change is complete
                    break
                message = "the process that makes the index has ended unexpectedly"
                was_ready = self.status.state in (LiveState.READY, LiveState.PROBLEM)
                status = LiveStatus(LiveState.PROBLEM if was_ready else LiveState.FAILED, message)
            self.status = status
            on_status(status)

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        if self._thread is not None:
            self._process.terminate()
            self._process.join()
            self._thread.join()
