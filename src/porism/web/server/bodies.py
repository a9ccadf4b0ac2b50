"""Request bodies, read completely before the request is processed, within limits.

A slow client must not keep others waiting. So a body is read before its request takes a worker, up
to the size limit of its path, with a timeout, and within one memory budget for all bodies. When the
budget is exceeded, the large upload that started first is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from porism.web.server.limits import too_large_message
from porism.web.server.problems import RequestRefused

SMALL = 64 * 1024
"""Bytes that are allowed regardless of the budget; there are at most 500 connections."""

SECONDS, UPLOAD_SECONDS = 20.0, 60.0
"""Timeouts for a body; an upload may come from a phone on a train."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Size limits of bodies in bytes.

    ``uploads`` has the limits of single paths, ``largest`` is that of all others, and ``budget``
    limits all bodies in memory together.
    """

    largest: int
    uploads: Mapping[str, int] = field(default_factory=dict)
    budget: int = 100_000_000

    def bytes_for(self, path: str) -> int:
        """The size limit of a path."""
        return self.uploads.get(path, self.largest)

    def seconds_for(self, path: str) -> float:
        """The timeout of a path."""
        return UPLOAD_SECONDS if path in self.uploads else SECONDS


@dataclass(eq=False, slots=True)
class _BufferedBody:
    """A body in memory; ``timeout`` ends receiving it, and is None once it is complete."""

    timeout: asyncio.Timeout | None
    size: int = 0
    is_evicted: bool = False


class RequestBodies:
    """The bodies in memory; for use in one event loop."""

    def __init__(self, limits: BodyLimits) -> None:
        self._limits = limits
        self._held: list[_BufferedBody] = []  # the oldest first

    @asynccontextmanager
    async def received(self, path: str, receive: Receive) -> AsyncIterator[bytes]:
        """The body of a request, which counts against the budget until this ends.

        Raises ``RequestRefused`` if it is too large or too slow, and ``ClientDisconnect``.
        """
        seconds = self._limits.seconds_for(path)
        timeout = asyncio.timeout(seconds)
        held = _BufferedBody(timeout)
        self._held.append(held)
        try:
            try:
                async with timeout:
                    body = await self._read(receive, self._limits.bytes_for(path), held)
            except TimeoutError:
                raise _too_slow(held, seconds) from None
            held.timeout = None
            yield body
        finally:
            self._held.remove(held)

    async def _read(self, receive: Receive, most: int, held: _BufferedBody) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            held.size = len(body)
            if len(body) > most:
                raise RequestRefused(413, too_large_message(most))
            self._make_room(held)
            if not message.get("more_body", False):
                return bytes(body)

    def _make_room(self, newest: _BufferedBody) -> None:
        """Keep within the budget, dropping the oldest incomplete uploads if necessary."""
        if newest.size <= SMALL:
            return
        used = sum(each.size for each in self._held if not each.is_evicted)
        for each in self._held:
            if used <= self._limits.budget:
                return
            if each is newest or each.timeout is None or each.is_evicted or each.size <= SMALL:
                continue
            each.is_evicted = True
            each.timeout.reschedule(asyncio.get_running_loop().time())
            used -= each.size
        if used > self._limits.budget:
            raise _no_room()


def _too_slow(held: _BufferedBody, seconds: float) -> RequestRefused:
    if held.is_evicted:
        return _no_room()
    return RequestRefused(408, f"the body of the request did not arrive within {seconds:g} seconds")


def _no_room() -> RequestRefused:
    return RequestRefused(503, "too many uploads at once; try again soon", 5)
