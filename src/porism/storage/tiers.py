"""Which parts of a store are merged, so that there are few and each is rewritten seldom."""

from __future__ import annotations

from collections.abc import Sequence


def first_to_merge(sizes: Sequence[int], largest: int | None = None) -> int:
    """Return the first of some parts, the newest last, to merge with all newer ones.

    It is the last part if none should be merged. Parts are merged up to a total of ``largest``.

    >>> first_to_merge([8, 2, 1]), first_to_merge([8, 2, 1, 1]), first_to_merge([3, 2, 1, 1])
    (2, 1, 0)
    """
    first = len(sizes) - 1
    newer = sum(sizes[first:])
    for number in range(len(sizes) - 2, -1, -1):
        together = newer + sizes[number]
        if newer < sizes[number] or (largest is not None and together > largest):
            break
        first, newer = number, together
    return first
