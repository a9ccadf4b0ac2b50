"""Sizes in bytes: parsed from options, and printed."""

from __future__ import annotations

import re

import click

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)

LEAST_MEMORY = 64 << 20


def memory_size(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """Bytes of an option such as ``500M`` or ``2G``; the letters are powers of 1024."""
    written = _SIZE.fullmatch(value.strip())
    if written is None:
        raise click.BadParameter(f"{value!r} is not a size: expected one such as 500M or 2G")
    size = int(float(written[1]) * _UNITS.get(written[2].upper(), 1))
    if size < LEAST_MEMORY:
        raise click.BadParameter(
            f"{value} is too small: expected at least {size_text(LEAST_MEMORY)}"
        )
    return size


def size_text(size: int) -> str:
    """Bytes in a readable unit.

    >>> size_text(900), size_text(2_150_000), size_text(2 << 30)
    ('900 bytes', '2.1 MB', '2.0 GB')
    """
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"
