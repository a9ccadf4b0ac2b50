"""Counts for people at a terminal, as columns and as bars."""

from __future__ import annotations

from collections.abc import Sequence

BAR_WIDTH = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def columns(rows: Sequence[tuple[str, int]], indent: str = "  ") -> list[str]:
    """A line for each name and number, right-aligned.

    >>> columns([("answers", 1200), ("links", 7)])
    ['  answers  1,200', '  links        7']
    """
    names = max((len(name) for name, _ in rows), default=0)
    width = max((len(f"{number:,}") for _, number in rows), default=0)
    return [f"{indent}{name:<{names}}  {number:>{width},}" for name, number in rows]


def bars(rows: Sequence[tuple[str, int]], indent: str = "  ") -> list[str]:
    """As ``columns``, with a bar behind each number."""
    largest = max((number for _, number in rows), default=0)
    return [
        f"{line}  {_bar(number, largest)}".rstrip()
        for line, (_, number) in zip(columns(rows, indent), rows, strict=True)
    ]


def _bar(number: int, largest: int) -> str:
    eighths = round(8 * BAR_WIDTH * number / largest) if largest else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
