"""Times of several searchers over the same topics, in turns so that all meet the same noise."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.real_tokens import WeightedTopic

SearchFunction = Callable[[WeightedTopic], object]

ROUNDS = 5
"""How often each topic is searched by each; its time is the median of these."""


class Spread(NamedTuple):
    """How milliseconds are spread over topics."""

    median: float
    p99: float
    largest: float


class Times(NamedTuple):
    """Of one searcher: by the clock, and of the processor, which a busy machine changes less."""

    clock: Spread
    processor: Spread

    def __str__(self) -> str:
        return (
            f"{self.clock.median:.1f} ms median, {self.clock.p99:.1f} ms at the 99th percentile, "
            f"{self.clock.largest:.1f} ms at most (processor: {self.processor.median:.1f}, "
            f"{self.processor.p99:.1f}, {self.processor.largest:.1f})"
        )


def times(
    searchers: Mapping[str, SearchFunction], queries: Sequence[WeightedTopic]
) -> dict[str, Times]:
    """The times of each searcher; each topic is searched by all in turn, another first each round.

    Every searcher must have seen the topics before, so that compiling and reading from disk do not
    count.
    """
    names = list(searchers)
    taken = {name: np.zeros((2, ROUNDS, len(queries))) for name in names}
    for turn in range(ROUNDS):
        for at, query in enumerate(queries):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                begun, begun_working = time.perf_counter(), time.process_time()
                searchers[name](query)
                taken[name][0, turn, at] = time.perf_counter() - begun
                taken[name][1, turn, at] = time.process_time() - begun_working
    return {name: Times(*map(_spread, seconds)) for name, seconds in taken.items()}


def _spread(seconds: NDArray[np.float64]) -> Spread:
    milliseconds = np.median(seconds, axis=0) * 1000
    return Spread(*np.percentile(milliseconds, [50, 99, 100]).tolist())
