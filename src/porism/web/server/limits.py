"""Per-client rate limits, and a limit on requests at the same time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

ADDRESSES = 10_000
"""Client addresses remembered; the one inactive longest is forgotten first."""


class RateLimit:
    """Requests a second allowed for each client address, with bursts of twice as many."""

    def __init__(self, requests_a_second: float) -> None:
        self._rate = requests_a_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, address: str, now: float | None = None) -> float:
        """0 if a request of the address is allowed now, else the seconds until the next one is."""
        if not self._rate:
            return 0.0
        now = time.monotonic() if now is None else now
        most = 2 * self._rate
        with self._lock:
            left, since = self._left.pop(address, (most, now))
            left = min(most, left + (now - since) * self._rate)
            is_allowed = left >= 1
            self._left[address] = (left - is_allowed, now)
            if len(self._left) > ADDRESSES:
                self._left.popitem(last=False)
        return 0.0 if is_allowed else (1 - left) / self._rate


class ConcurrencyLimit:
    """A limit on the requests that are running or waiting; for use in one event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._requests = 0

    @contextmanager
    def slot(self) -> Iterator[bool]:
        """Whether there is room for one more request, which counts until this ends."""
        has_room = self._requests < self._most
        self._requests += has_room
        try:
            yield has_room
        finally:
            self._requests -= has_room


def too_large_message(most: int) -> str:
    """The message for a request body that is too large."""
    return f"the request is too large: at most {most:,} bytes"
