"""A response read by a thread of its own, so that whoever waits for it can stop waiting.

A server that reads a long prompt is silent for a minute, and a blocked read cannot be interrupted.
The caller waits for a queue instead, and can be cancelled within a tenth of a second.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx

_POLL_SECONDS = 0.1
_QUEUED = 64


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The status and headers of a response."""

    status: int
    headers: Mapping[str, str]


class BackgroundResponse:
    """Sends a request; ``head``, then ``chunk`` until it is empty, give the response."""

    def __init__(self, client: httpx.Client, request: httpx.Request) -> None:
        self._client = client
        self._request = request
        self._parts: queue.Queue[ResponseHead | bytes | Exception] = queue.Queue(_QUEUED)
        self._is_abandoned = threading.Event()
        self._socket: socket.socket | None = None
        request.extensions["trace"] = self._trace
        self._thread = threading.Thread(target=self._read, name="porism-endpoint", daemon=True)
        self._thread.start()

    def head(self, check: Callable[[], None]) -> ResponseHead:
        """Wait for the status; ``check`` is called meanwhile, and may raise."""
        part = self._next(check)
        assert isinstance(part, ResponseHead)
        return part

    def chunk(self, check: Callable[[], None]) -> bytes:
        """Wait for the next bytes of the body; empty at its end."""
        part = self._next(check)
        assert isinstance(part, bytes)
        return part

    def close(self) -> None:
        """End the connection, also while the thread waits for the server."""
        self._is_abandoned.set()
        if self._socket is not None:
            with suppress(OSError):  # it is closed already
                self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(_POLL_SECONDS)

    def _next(self, check: Callable[[], None]) -> ResponseHead | bytes:
        while True:
            check()
            try:
                part = self._parts.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(part, Exception):
                raise part
            return part

    def _read(self) -> None:
        try:
            response = self._client.send(self._request, stream=True)
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                self._put(ResponseHead(response.status_code, headers))
                for data in response.iter_bytes():
                    if data and not self._put(data):
                        return
                self._put(b"")
            finally:
                response.close()
        # Whatever it is belongs to the caller, who would wait for ever.
        except Exception as error:
            self._put(error)

    def _put(self, part: ResponseHead | bytes | Exception) -> bool:
        while not self._is_abandoned.is_set():
            with suppress(queue.Full):
                self._parts.put(part, timeout=_POLL_SECONDS)
                return True
        return False

    # The values of httpcore's events have no types.
    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the socket, also before there is a response."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
