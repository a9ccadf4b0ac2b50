"""Timeouts for clients that do not send a request or do not read a response.

Uvicorn waits for both without limit, and every waiting client holds one of a limited number of
connections.
"""

from __future__ import annotations

import asyncio
from enum import Enum

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 500
"""A process can often open only 1,024 files, and indexes are files too."""


class ClientStep(Enum):
    """What a client has to do next."""

    HEAD = "send a request"
    BODY = "send the body of a request"
    READING = "read the response"


STEP_SECONDS = {ClientStep.HEAD: 10.0, ClientStep.BODY: 60.0, ClientStep.READING: 60.0}
"""A body may be a run of 20 MB, and a client may be a phone on a train."""


class TimeoutProtocol(H11Protocol):
    """Uvicorn's HTTP protocol, which disconnects a client whose next step takes too long.

    No timeout runs while the server works on a response. When there are more connections than
    allowed, the one whose timeout ends first is closed.
    """

    _step: ClientStep | None = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # The base class, too, expects a transport that it can write to.
        super().connection_made(transport)
        self._wait_for(ClientStep.HEAD)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait_for(ClientStep.HEAD)
        elif self.cycle.more_body:
            self._wait_for(ClientStep.BODY)
        elif not self.flow.write_paused:
            self._wait_for(None)

    def on_response_complete(self) -> None:
        self._wait_for(ClientStep.READING)  # it may still be in our memory
        super().on_response_complete()
        # A pipelined request may be running already. Its client must still read the responses
        # before it.
        is_working = self.cycle is not None and not self.cycle.response_complete
        if is_working and not self.flow.write_paused:
            self._wait_for(None)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for(ClientStep.READING)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_for(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_for(None)
        super().connection_lost(exc)

    def _wait_for(self, step: ClientStep | None) -> None:
        """Start the timeout of a step, unless the client is at this step already."""
        if step is self._step:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._step = step
        if step is not None:
            self._timer = self.loop.call_later(STEP_SECONDS[step], self.transport.abort)

    def _make_room(self) -> None:
        waiting = [
            (each._timer.when(), each)
            for each in self.connections
            if isinstance(each, TimeoutProtocol) and each._timer is not None
        ]
        _, first = min(waiting, key=lambda each: each[0])  # this connection waits, so there is one
        self.connections.discard(first)  # it is closed later, and others may come before
        first.transport.abort()
