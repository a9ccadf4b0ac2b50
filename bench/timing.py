"""Interleaved timing of several search functions, so that noise affects all equally."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.real_tokens import WeightedTopic

SearchFunction = Callable[[WeightedTopic], object]

ROUNDS = 5
"""Searches of each topic by each function; its time is the median of these."""


class Spread(NamedTuple):
    """The distribution of milliseconds over topics."""

    median: float
    p99: float
    largest: float


class Times(NamedTuple):
    """Wall-clock and processor times; the latter vary less on a busy machine."""

    clock: Spread
    processor: Spread

    def __str__(self) -> str:
        return (
            f"{self.clock.median:.1f} ms median, {self.clock.p99:.1f} ms at the 99th percentile, "
            f"at most {self.clock.largest:.1f} ms (processor: {self.processor.median:.1f}, "
            f"{self.processor.p99:.1f}, {self.processor.largest:.1f})"
        )


def times(
    searchers: Mapping[str, SearchFunction], queries: Sequence[WeightedTopic]
) -> dict[str, Times]:
    """The times of each function; each topic is searched by all in turn, in rotating order.

    Every function must have searched the topics before, so that compilation and reading from disk
    do not count.
    """
    names = list(searchers)
    taken = {name: np.zeros((2, ROUNDS, len(queries))) for name in names}
    for turn in range(ROUNDS):
        for at, query in enumerate(queries):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                start, processor_start = time.perf_counter(), time.process_time()
                searchers[name](query)
                taken[name][0, turn, at] = time.perf_counter() - start
                taken[name][1, turn, at] = time.process_time() - processor_start
    return {name: Times(*map(_spread, seconds)) for name, seconds in taken.items()}


def _spread(seconds: NDArray[np.float64]) -> Spread:
    milliseconds = np.median(seconds, axis=0) * 1000
    return Spread(*np.percentile(milliseconds, [50, 99, 100]).tolist())
