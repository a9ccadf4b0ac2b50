"""Progress on standard error, where someone is watching."""

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
"""Work that ends within this time shows no progress at all."""

REFRESH_SECONDS = 0.5
"""So long a line stays as it is."""

WIDTH = 79


def with_progress(items: Iterable[Item], what: str) -> Iterator[Item]:
    """The same items, telling on a terminal twice a second how many went by and how fast."""
    if not sys.stderr.isatty():
        yield from items
        return
    begun = time.monotonic()
    due = begun + QUIET_SECONDS
    shown = False
    count = 0
    try:
        for item in items:
            count += 1
            now = time.monotonic()
            if now >= due:
                click.echo(f"\r{_count_message(count, what, now - begun)}", nl=False, err=True)
                due = now + REFRESH_SECONDS
                shown = True
            yield item
    finally:
        if shown:
            click.echo(f"\r{_count_message(count, what, time.monotonic() - begun)}", err=True)


def _count_message(count: int, what: str, seconds: float) -> str:
    return f"{count:,} {what}, {count / seconds:,.0f} a second"


@contextmanager
def progress_reporter() -> Iterator[Callable[[StepProgress], None]]:
    """What to give to work that tells how far it is: on a terminal it is told there.

    One line for each step: how much is done, how fast, and when that step will have ended.
    """
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    line = _StepLine()
    try:
        yield line.show
    finally:
        line.end()


class _StepLine:
    """A line on the terminal that is written again and again, until another step begins."""

    def __init__(self) -> None:
        self._due = time.monotonic() + QUIET_SECONDS
        self._first: StepProgress | None = None
        self._last: StepProgress | None = None
        self._begun = 0.0
        self._is_open = False

    def show(self, progress: StepProgress) -> None:
        now = time.monotonic()
        last = self._last
        # A step may go over several files, and begins again with each of them.
        if last is None or last.step != progress.step or last.done > progress.done:
            self.end()
            self._first, self._begun = progress, now
        self._last = progress
        if now < self._due or self._first is None:
            return
        self._due = now + REFRESH_SECONDS
        told = step_message(self._first, progress, now - self._begun)
        click.echo(f"\r{told:<{WIDTH}}", nl=False, err=True)
        self._is_open = True

    def end(self) -> None:
        """Leave the line as it is and go on below it."""
        if self._is_open:
            click.echo(err=True)
        self._is_open = False


def step_message(first: StepProgress, now: StepProgress, seconds: float) -> str:
    """How far a step is that stood at ``first`` so many seconds ago."""
    if not now.done and (now.total or now.records):  # some steps do not tell how far they are
        return f"{now.step}: {now.records:,}"
    share = min(1.0, now.done / now.total) if now.total else 1.0
    told = f"{now.step}: {share:.0%}, {now.records:,}"
    if seconds <= 0 or now.done <= first.done:
        return told
    rate = (now.records - first.records) / seconds
    left = seconds * max(0, now.total - now.done) / (now.done - first.done)
    return f"{told}, {rate:,.0f} a second, {duration(left)} left"


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(7.2), duration(200), duration(4000)
    ('7 s', '3 min', '1 h 7 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
