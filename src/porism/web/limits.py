"""Nobody gets more than a share: requests a second, bytes, and searches at the same time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from porism.web.problems import Refused

ADDRESSES = 10_000
"""How many addresses are remembered; the one that was silent longest is forgotten first."""

PATIENCE = 10.0
"""Seconds that a search may wait for its turn."""


class RequestRate:
    """So many requests a second for each address, and twice as many at once."""

    def __init__(self, a_second: float) -> None:
        self._a_second = a_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, address: str, now: float | None = None) -> float:
        """0 if the address may ask now, else the seconds until it may."""
        if not self._a_second:
            return 0.0
        now = time.monotonic() if now is None else now
        most = 2 * self._a_second
        with self._lock:
            left, since = self._left.pop(address, (most, now))
            left = min(most, left + (now - since) * self._a_second)
            is_allowed = left >= 1
            self._left[address] = (left - is_allowed, now)
            if len(self._left) > ADDRESSES:
                self._left.popitem(last=False)
        return 0.0 if is_allowed else (1 - left) / self._a_second


class Turns:
    """At most so many searches at the same time, and so many that wait for a turn."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = threading.Semaphore(at_once)
        self._most = at_once + waiting
        self._here = 0
        self._lock = threading.Lock()

    @contextmanager
    def one(self) -> Iterator[None]:
        """A turn; refused where too many wait already, or it does not come in time."""
        with self._lock:
            if self._here >= self._most:
                raise Refused(503, "too many searches are waiting; try again soon", 1)
            self._here += 1
        try:
            if not self._free.acquire(timeout=PATIENCE):
                raise Refused(503, "the search did not get its turn; try again soon", 1)
            try:
                yield
            finally:
                self._free.release()
        finally:
            with self._lock:
                self._here -= 1


class BodyLimit:
    """Ends a request whose body is larger than allowed, also where it did not say so before."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise HTTPException(413, told_too_large(self._most))
            return message

        await self._app(scope, counted, send)


def told_too_large(most: int) -> str:
    """What is said of a request that is too large."""
    return f"the request is too large: at most {most:,} bytes"
