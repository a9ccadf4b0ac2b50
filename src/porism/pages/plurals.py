"""Counts with singular or plural nouns."""

from __future__ import annotations


def count_of(number: int, noun: str) -> str:
    """A count with its noun, whose plural ends in s.

    >>> count_of(1, "topic"), count_of(1200, "candidate"), count_of(0, "run")
    ('1 topic', '1,200 candidates', '0 runs')
    """
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
