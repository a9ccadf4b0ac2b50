"""Numbers of things, as sentences have them."""

from __future__ import annotations


def count_of(number: int, what: str) -> str:
    """How many there are of what has a plural in s.

    >>> count_of(1, "topic"), count_of(1200, "candidate"), count_of(0, "look")
    ('1 topic', '1,200 candidates', '0 looks')
    """
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"
