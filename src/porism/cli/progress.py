"""Progress on standard error, where someone is watching."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

Item = TypeVar("Item")

QUIET_SECONDS = 2.0
"""Work that ends within this time shows no progress at all."""


def counted(items: Iterable[Item], what: str) -> Iterator[Item]:
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
                click.echo(f"\r{_told(count, what, now - begun)}", nl=False, err=True)
                due = now + 0.5
                shown = True
            yield item
    finally:
        if shown:
            click.echo(f"\r{_told(count, what, time.monotonic() - begun)}", err=True)


def _told(count: int, what: str, seconds: float) -> str:
    return f"{count:,} {what}, {count / seconds:,.0f} a second"
