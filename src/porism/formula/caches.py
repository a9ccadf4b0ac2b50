"""Results cached by label or by node: these are mostly few and short, but sometimes enormous."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Generic, TypeVar

MAX_LABEL = 64
"""Longer labels, such as whole sentences of text, are not cached: they would fill the memory."""

_MAX_ENTRIES = 1 << 16

_MAX_NODES = 1 << 14

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class LabelCache(dict[str, Result], Generic[Result]):
    """The results of a function by label, each computed on first use; cleared when full."""

    def __init__(self, function: Callable[[str], Result]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, label: str) -> Result:
        result = self.function(label)
        if len(label) <= MAX_LABEL:
            if len(self) >= _MAX_ENTRIES:
                self.clear()
            self[label] = result
        return result


def cache_result(known: dict[Key, Result], key: Key, result: Result) -> None:
    """Cache the result for a node or row, which must be short; once full, nothing is added.

    The commonest come first. Clearing and refilling the cache was measured to cost more than it
    saves: long-lived nodes make Python's garbage collector scan all of them.
    """
    if len(known) < _MAX_NODES:
        known[key] = result


def cached_by_label(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """The function with a ``LabelCache``."""
    cache = LabelCache(function)

    @wraps(function)
    def cached(label: str) -> Result:
        return cache[label]

    return cached
