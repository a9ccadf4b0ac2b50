"""Clients that hang lose their connection: those that do not ask, and those that do not listen.

The server below waits for the rest of a request, and for a client to take an answer, as long as it
takes. Each that waits is a connection, of which there are only so many.
"""

from __future__ import annotations

import asyncio
from enum import Enum

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 500
"""Files that a process may have open are often 1,024, and indexes are files too."""


class ClientStep(Enum):
    """What a client has to do next."""

    HEAD = "send what it asks for"
    BODY = "send the rest of a request"
    READING = "take the answer"


STEP_SECONDS = {ClientStep.HEAD: 10.0, ClientStep.BODY: 60.0, ClientStep.READING: 60.0}
"""A body may be a run of 20 MB, and a page may go to a telephone in a train."""


class TimeoutProtocol(H11Protocol):
    """HTTP of uvicorn, in which a client that owes something too long is cut off.

    While the server works on an answer, nothing is owed. Where there are more connections than
    allowed, the one that has owed longest makes room.
    """

    _owed: ClientStep | None = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # The base class, too, takes only what it can also write to.
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
        self._wait_for(ClientStep.READING)  # it may lie in our memory still
        super().on_response_complete()
        # The next request may have come together with this one, and is being worked on. That is
        # no excuse for a client that does not take the answers before it.
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

    def _wait_for(self, owed: ClientStep | None) -> None:
        """Note what is owed; the time for what was owed already runs on."""
        if owed is self._owed:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._owed = owed
        if owed is not None:
            self._timer = self.loop.call_later(STEP_SECONDS[owed], self.transport.abort)

    def _make_room(self) -> None:
        owing = [
            (each._timer.when(), each)
            for each in self.connections
            if isinstance(each, TimeoutProtocol) and each._timer is not None
        ]
        _, first = min(owing, key=lambda each: each[0])  # this one owes a request, so there is one
        self.connections.discard(first)  # it is lost only later, and others may come before
        first.transport.abort()
