"""Tangent-S at the size of ARQMath: its two stages for real topics, on one core.

The pairs of the mini collection's formulas are repeated, each time with some left out, until there
are as many rows as a part of a large index has; the search reads that part as often as it takes to
reach nine million formulas. Candidates are aligned with the trees that the mini collection has.
Times are of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.mini_scores import YEARS, read_year
from bench.quality import mini_index
from bench.shared_data import shared_folder
from porism.formula.features import operand_pairs, symbol_pairs
from porism.model import Topic
from porism.rank.structure.tangent_s import FORMULA_DEPTH, PairSearch, TangentS, query_trees
from porism.searchindex.components.feature_index import FeaturePart
from porism.searchindex.index_folder import SearchIndex
from porism.structure.packed_features import PackedFeatures
from porism.structure.pair_overlap import pair_bag

FORMULAS = 9_000_000
PART_ROWS = 500_000
KEPT = 0.85
"""The share of pairs that a repeated formula keeps."""


def report() -> None:
    """Print the times of both stages."""
    shared = shared_folder()
    with mini_index(shared) as search_index:
        for line in pair_search_table(shared, search_index):
            print(line, flush=True)


def repeated_part(part: FeaturePart, rows: int, seed: int = 0) -> FeaturePart:
    """A part of about so many rows, whose features are as frequent as those of a real one."""
    draw = np.random.default_rng(seed)
    size = len(part.is_live)
    copies = max(1, rows // size)
    features = np.tile(np.repeat(np.arange(len(part.features)), np.diff(part.starts)), copies)
    offsets = np.repeat(np.arange(copies) * size, len(part.rows))
    all_rows = np.tile(part.rows.astype(np.int64), copies) + offsets
    payloads = np.tile(part.payloads, copies)
    kept = draw.random(len(all_rows)) < KEPT
    features, all_rows, payloads = features[kept], all_rows[kept], payloads[kept]
    order = np.lexsort((all_rows, features))
    counts = np.bincount(features, minlength=len(part.features))
    totals = np.bincount(all_rows, payloads, minlength=copies * size)
    return part._replace(
        starts=np.concatenate(([0], np.cumsum(counts))),
        rows=all_rows[order].astype(np.uint32),
        payloads=payloads[order],
        values=totals.astype(np.uint32).reshape(-1, 1),
        is_live=np.ones(copies * size, np.uint8),
    )


def pair_search_table(shared: Path, search_index: SearchIndex) -> Iterator[str]:
    """Yield the times of the first stage at full size, and of both stages on the mini index."""
    topics = [topic for year in YEARS for topic in read_year(shared, 2, year)]
    yield f"| Tangent-S, {len(topics)} topics | rows | postings | median ms | p99 ms |"
    yield "|---|---|---|---|---|"
    whole = np.zeros(len(topics))
    for kind in (PackedFeatures.LAYOUT_PAIRS, PackedFeatures.OPERATOR_PAIRS):
        (real,) = search_index.features(kind).parts
        part = repeated_part(real, PART_ROWS)
        parts = round(FORMULAS / len(part.is_live))
        times = np.array([_part_time(part, parts, _pairs(topic, kind)) for topic in topics])
        whole += times
        rows, postings = parts * len(part.is_live), parts * len(part.rows)
        yield _row(f"search of {kind}", f"{rows:,} | {postings:,}", times)
    both = np.array([_both_stages(search_index, topic) for topic in topics])
    rows = search_index.formulas.documents
    yield _row("both stages, mini collection", f"{rows:,} |", both)
    yield _row("sum: an upper bound of both at full size", f"{FORMULAS:,} |", whole + both)


def _pairs(topic: Topic, kind: PackedFeatures) -> Sequence[str]:
    assert topic.focus is not None
    layout, operators = query_trees(topic.focus)
    return symbol_pairs(layout) if kind is PackedFeatures.LAYOUT_PAIRS else operand_pairs(operators)


def _part_time(part: FeaturePart, parts: int, pairs: Sequence[str]) -> float:
    search = PairSearch(pair_bag(pairs))
    start = time.thread_time()
    for _ in range(parts):
        search(part, part.is_live, FORMULA_DEPTH)
    return time.thread_time() - start


def _both_stages(search_index: SearchIndex, topic: Topic) -> float:
    ranker = TangentS(search_index)
    start = time.thread_time()
    ranker.rank(topic, 1000)
    return time.thread_time() - start


def _row(name: str, sizes: str, seconds: np.ndarray) -> str:
    median, worst = np.percentile(seconds * 1e3, [50, 99])
    return f"| {name} | {sizes} | {median:.0f} | {worst:.0f} |"
