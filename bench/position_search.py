"""Search by the positions of symbols (``xy-phoc``) among as many formulas as ARQMath has.

Real formulas repeated to nine million are searched with the formulas of real topics, in memory and
on one core. An index of the same formulas is mapped from disk; once it is in the page cache, that
makes no difference.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.mini_scores import YEARS, read_year
from bench.shared_data import real_formulas, shared_folder
from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.model import Task, Topic
from porism.rank.structure.phoc import PositionQuery
from porism.searchindex.components.feature_index import FeaturePart
from porism.structure.feature_rows import feature_rows
from porism.structure.position_masks import VARIANTS, position_features

FORMULAS = 9_000_000
DISTINCT = 40_000
K = 1_000


def report() -> None:
    """Print the size of the postings, and the time of a search by each variant."""
    shared = shared_folder()
    start = time.process_time()
    part = _repeated(_part(real_formulas(shared)), FORMULAS // DISTINCT)
    size = sum(array.nbytes for array in part)
    print(
        f"{len(part.values):,} formulas, {len(part.rows):,} postings, {size / 1e9:.2f} GB; "
        f"{1e6 * (time.process_time() - start) / DISTINCT:.0f} µs a distinct formula to make them"
    )
    topics = list(_topics(shared))
    for variant in VARIANTS:
        queries = [PositionQuery.of(topic, variant) for topic in topics]
        queries[0].best_rows(part, part.is_live, K)  # compiles
        milliseconds = np.array([_milliseconds(part, query) for query in queries])
        clock, processor = milliseconds.T
        print(
            f"{variant.name}, best {K:,} for {len(topics)} topics: "
            f"{np.median(clock):.0f} ms median, {np.quantile(clock, 0.99):.0f} ms at the 99th "
            f"percentile (processor: {np.median(processor):.0f}, "
            f"{np.quantile(processor, 0.99):.0f})",
            flush=True,
        )


def _topics(shared: Path) -> Iterator[Topic]:
    for year in YEARS:
        yield from read_year(shared, Task.FORMULAS, year)


def _milliseconds(part: FeaturePart, query: PositionQuery) -> tuple[float, float]:
    """The clock and the processor time of a search."""
    clock, processor = time.perf_counter(), time.process_time()
    query.best_rows(part, part.is_live, K)
    return 1e3 * (time.perf_counter() - clock), 1e3 * (time.process_time() - processor)


def _part(formulas: Sequence[str]) -> FeaturePart:
    """The postings of the first distinct formulas that can be parsed."""
    rows: list[NDArray[np.uint64]] = []
    for latex in formulas:
        if len(rows) == DISTINCT:
            break
        with suppress(LatexError):
            numbers = position_features(parse_latex(latex).tree).numbers()
            rows.append(np.array(numbers, np.uint64))
    columns = feature_rows(rows, len(VARIANTS))
    order = np.lexsort((columns.rows, columns.features))
    features, counts = np.unique(columns.features, return_counts=True)
    return FeaturePart(
        features,
        np.concatenate(([0], np.cumsum(counts))),
        columns.rows[order],
        columns.payloads[order],
        columns.values,
        np.ones(len(rows), np.uint8),
        words=np.empty(0, np.uint64),
        word_starts=np.empty(0, np.int64),
    )


def _repeated(part: FeaturePart, times: int) -> FeaturePart:
    """The postings of as many copies of all formulas."""
    counts = np.diff(part.starts)
    starts = np.concatenate(([0], np.cumsum(counts * times)))
    rows, payloads = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.uint64)
    offsets = np.arange(times, dtype=np.uint32)[:, None] * np.uint32(len(part.values))
    for place in range(len(counts)):
        span = slice(part.starts[place], part.starts[place + 1])
        copies = slice(starts[place], starts[place + 1])
        rows[copies] = (part.rows[span] + offsets).ravel()
        payloads[copies] = np.tile(part.payloads[span], times)
    return part._replace(
        starts=starts,
        rows=rows,
        payloads=payloads,
        values=np.tile(part.values, (times, 1)),
        is_live=np.tile(part.is_live, times),
    )


if __name__ == "__main__":
    report()
