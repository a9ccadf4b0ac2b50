"""Times of several searchers over the same topics, in turns so that all meet the same noise."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bench.real_tokens import Query

Searcher = Callable[[Query], object]

ROUNDS = 5
"""How often each topic is searched by each; its time is the median of these."""


class Times(NamedTuple):
    """Of one searcher, over topics, in milliseconds."""

    median: float
    p99: float
    largest: float

    def __str__(self) -> str:
        return (
            f"{self.median:.1f} ms median, {self.p99:.1f} ms at the 99th percentile, "
            f"{self.largest:.1f} ms at most"
        )


def times(searchers: Mapping[str, Searcher], queries: Sequence[Query]) -> dict[str, Times]:
    """The times of each searcher; each topic is searched by all in turn, another first each round.

    Every searcher must have seen the topics before, so that compiling and reading from disk do not
    count.
    """
    names = list(searchers)
    seconds = {name: np.zeros((ROUNDS, len(queries))) for name in names}
    for turn in range(ROUNDS):
        for at, query in enumerate(queries):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                begun = time.perf_counter()
                searchers[name](query)
                seconds[name][turn, at] = time.perf_counter() - begun
    return {name: _times(np.median(taken, axis=0) * 1000) for name, taken in seconds.items()}


def _times(milliseconds: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Times:
    median, p99, largest = np.percentile(milliseconds, [50, 99, 100]).tolist()
    return Times(median, p99, largest)
