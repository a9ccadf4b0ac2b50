"""A cache for functions of labels, which are mostly few and short and now and then enormous."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

MAX_LABEL = 64
"""Longer labels, such as whole sentences of text, are not kept: they would fill the memory."""

_MAX_ENTRIES = 1 << 15

Result = TypeVar("Result")


def cached_by_label(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """The function, with its results for short labels kept."""
    kept = lru_cache(maxsize=_MAX_ENTRIES)(function)

    @wraps(function)
    def looked_up(label: str) -> Result:
        return kept(label) if len(label) <= MAX_LABEL else function(label)

    return looked_up
