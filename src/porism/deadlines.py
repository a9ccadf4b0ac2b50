"""Limits on the work of one request: CPU time, and cancellation by another thread.

Code that does much work for one query calls ``check()`` between formulas, terms, segments and
results. Nothing is limited, and a check costs next to nothing, unless a caller has set a
``Deadline`` with ``limited``; the web applications do, the library and the command do not.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from porism.errors import PorismError


class DeadlineExceeded(PorismError):
    """A request exceeded its CPU time."""


class Cancelled(PorismError):
    """A request was cancelled by its sender."""


class Deadline:
    """CPU seconds that a request may take, measured by ``clock``, and whether it was cancelled.

    Only a thread itself can read its CPU time, so time is counted from the first check in a thread
    and added up if the request continues in another. None means no time limit.
    """

    def __init__(
        self, seconds: float | None, clock: Callable[[], float] = time.thread_time
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._is_cancelled = False
        self._thread = 0
        self._last = 0.0
        self._spent = 0.0

    def cancel(self) -> None:
        """Make every later check raise ``Cancelled``; any thread may call this."""
        self._is_cancelled = True

    def check(self) -> None:
        """Raise if the request was cancelled or its time is spent."""
        if self._is_cancelled:
            raise Cancelled("the request was cancelled")
        if self.seconds is None:
            return
        now, thread = self._clock(), threading.get_ident()
        if thread == self._thread:
            self._spent += now - self._last
        self._thread, self._last = thread, now
        if self._spent > self.seconds:
            raise DeadlineExceeded(
                f"the request took more than {self.seconds:g} s of computing time and was stopped; "
                "shorten the query or ask for fewer results"
            )


_CURRENT: ContextVar[Deadline | None] = ContextVar("porism_deadline", default=None)


@contextmanager
def limited(deadline: Deadline) -> Iterator[None]:
    """Have ``check`` obey a deadline, in this context and in those copied from it."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Deadline | None:
    """Return the deadline of this context, so that another thread can obey or cancel it."""
    return _CURRENT.get()


def check() -> None:
    """Raise if this context has a deadline and it has passed."""
    deadline = _CURRENT.get()
    if deadline is not None:
        deadline.check()
