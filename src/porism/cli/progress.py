"""Progress on standard error, if it is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from porism.collection.progress import StepProgress

Item = TypeVar("Item")

QUIET_SECONDS = 2.0
"""Shorter work shows no progress."""

REFRESH_SECONDS = 0.5
"""Time between two updates of the line."""

WIDTH = 79


def with_progress(items: Iterable[Item], what: str) -> Iterator[Item]:
    """The same items; on a terminal, their number and rate are printed twice a second."""
    if not sys.stderr.isatty():
        yield from items
        return
    started = time.monotonic()
    due = started + QUIET_SECONDS
    is_open = False
    count = 0
    try:
        for item in items:
            count += 1
            now = time.monotonic()
            if now >= due:
                click.echo(f"\r{_count_message(count, what, now - started)}", nl=False, err=True)
                due = now + REFRESH_SECONDS
                is_open = True
            yield item
    finally:
        if is_open:
            click.echo(f"\r{_count_message(count, what, time.monotonic() - started)}", err=True)


def _count_message(count: int, what: str, seconds: float) -> str:
    return f"{count:,} {what}, {count / seconds:,.0f} a second"


@contextmanager
def progress_reporter() -> Iterator[Callable[[StepProgress], None]]:
    """A progress callback; on a terminal it prints one line per step.

    The line has the share that is done, the rate, and the time left.
    """
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    line = _StepLine()
    try:
        yield line.show
    finally:
        line.end()


class StatusPrinter:
    """Prints what a server does: progress on a terminal, and each problem once."""

    def __init__(self) -> None:
        self._line = _StepLine() if sys.stderr.isatty() else None
        self._problem = ""

    def show(self, progress: StepProgress | None, problem: str) -> None:
        """Show progress, or that there is none, and a problem, if it has just occurred."""
        if progress is not None and self._line is not None:
            self._line.show(progress)
            return
        if self._line is not None:
            self._line.end()
        if problem and problem != self._problem:
            click.echo(f"Problem: {problem}", err=True)
        self._problem = problem


class _StepLine:
    """A line on the terminal that is rewritten until another step begins."""

    def __init__(self) -> None:
        self._due = time.monotonic() + QUIET_SECONDS
        self._first: StepProgress | None = None
        self._last: StepProgress | None = None
        self._started = 0.0
        self._is_open = False

    def show(self, progress: StepProgress) -> None:
        now = time.monotonic()
        last = self._last
        # A step may cover several files, and starts again with each.
        if last is None or last.step != progress.step or last.done > progress.done:
            self.end()
            self._first, self._started = progress, now
        self._last = progress
        if now < self._due or self._first is None:
            return
        self._due = now + REFRESH_SECONDS
        message = step_message(self._first, progress, now - self._started)
        click.echo(f"\r{message:<{WIDTH}}", nl=False, err=True)
        self._is_open = True

    def end(self) -> None:
        """Keep the line and continue below it."""
        if self._is_open:
            click.echo(err=True)
        self._is_open = False


def step_message(first: StepProgress, now: StepProgress, seconds: float) -> str:
    """The progress of a step that was at ``first`` some seconds ago."""
    if not now.done and (now.total or now.records):  # some steps do not know their total
        return f"{now.step}: {now.records:,}"
    share = min(1.0, now.done / now.total) if now.total else 1.0
    message = f"{now.step}: {share:.0%}, {now.records:,}"
    if seconds <= 0 or now.done <= first.done:
        return message
    rate = (now.records - first.records) / seconds
    left = seconds * max(0, now.total - now.done) / (now.done - first.done)
    return f"{message}, {rate:,.0f} a second, {duration(left)} left"


def duration(seconds: float) -> str:
    """A time in rounded units.

    >>> duration(7.2), duration(200), duration(4000)
    ('7 s', '3 min', '1 h 7 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
