"""Per-client rate limits, and a limit on requests at the same time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

ADDRESSES = 10_000
"""How many addresses are remembered; the one that was silent longest is forgotten first."""


class RateLimit:
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


class ConcurrencyLimit:
    """How many requests are here: those that are worked on, and those that wait for their turn.

    It is for one event loop, in which nothing happens at the same time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._here = 0

    @contextmanager
    def one_more(self) -> Iterator[bool]:
        """Whether there is room for one more, who is here until this ends."""
        has_room = self._here < self._most
        self._here += has_room
        try:
            yield has_room
        finally:
            self._here -= has_room


def too_large_message(most: int) -> str:
    """What is said of a request that is too large."""
    return f"the request is too large: at most {most:,} bytes"
