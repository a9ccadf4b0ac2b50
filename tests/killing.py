"""Work that ends at a chosen event instead of at a moment: at its n-th call that changes files."""

import os
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

CHANGING = ("fsync", "replace", "rename", "unlink", "rmdir", "mkdir")
"""Calls of the system that change files, or make changes last."""

End = Callable[[], None]


def kill() -> None:
    """End this process at once, as the system does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt() -> None:
    """What Ctrl-C does."""
    raise KeyboardInterrupt


def forked(work: Callable[[], None], at: int, end: End) -> int:
    """Work in a child that ends at an event; how many events it counted, 0 if it was killed.

    The child is a copy of this process, which has compiled code loaded, so that hundreds of them
    take seconds.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of threads that hold a lock at that moment; the child uses none of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            seen = _count_events(at, end)
            with suppress(KeyboardInterrupt, click.Abort):
                work()
            os.write(writing, str(seen[0]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as counted:
        events = int(counted.read() or 0)
    os.waitpid(child, 0)
    return events


def _count_events(at: int, end: End) -> list[int]:
    """Have ``end`` called at the event of this number; the list has the number so far."""
    seen = [0]

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:  # as the call of the system
        def counted(*arguments: Any, **options: Any) -> Any:
            seen[0] += 1
            if seen[0] == at:
                end()
            return call(*arguments, **options)

        return counted

    for name in CHANGING:
        # To wait for the disk would change nothing: the event counts.
        call = (lambda descriptor: None) if name == "fsync" else getattr(os, name)
        setattr(os, name, counting(call))
    return seen
