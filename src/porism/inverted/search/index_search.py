"""The best documents of an index: blocks shared among threads, and their results combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from porism import deadlines
from porism.compiler import Array
from porism.inverted.layout import IndexMeta
from porism.inverted.scoring import COLUMN, LIST, RARE, SegmentQuery, workspace
from porism.inverted.search.filter_masks import Mask
from porism.inverted.search.query_plan import QueryPlan, code_drift, segment_query
from porism.inverted.search.segment_search import FirstPass, search_all, search_best
from porism.inverted.search.thresholds import TopKGoal
from porism.inverted.search.top_k import empty_top_k, ranks_of, scores_of
from porism.inverted.segments.segment import Segment
from porism.model import DocId

Result = TypeVar("Result")

_SMALLEST, _LARGEST = 1e-30, 1e30
"""Weights between these can be added up in 32-bit numbers without underflow or overflow."""


@dataclass(slots=True)
class _Part:
    """A segment being searched: the best numbers so far, and the threshold of each block."""

    number: int
    segment: Segment
    query: SegmentQuery
    first_pass: FirstPass
    allowed: Mask
    best: Array
    used: Array


def best_documents(
    plan: QueryPlan,
    meta: IndexMeta,
    segments: Sequence[Segment],
    masks: Sequence[Mask],
    k: int,
    cores: int,
) -> list[tuple[float, DocId]]:
    """Return the best ``k`` documents as (score, id), in the order of ``model.ranked``.

    Scores are 32-bit numbers.
    """
    k = min(k, meta.documents)
    parts = _parts(plan, meta, segments, masks)
    if _needs_all(plan):
        for part in parts:
            deadlines.check()
            _search_all(part, k, cores)
    else:
        for part in parts:
            deadlines.check()
            goal = TopKGoal(k, _kth(parts, k), meta.documents)
            _search_best(part, goal, np.arange(part.segment.blocks), cores)
        _search_again(parts, k, cores)
    least = _kth(parts, k)
    hits: list[tuple[float, DocId]] = []
    for part in parts:
        numbers = part.best[scores_of(part.best) >= least] if least > 0 else part.best
        ids = part.segment.ids
        doc_ids = ids.doc_ids(ids.documents(ranks_of(numbers)))
        hits.extend(zip(scores_of(numbers).tolist(), doc_ids, strict=True))
    return sorted(hits, reverse=True)[:k]


def _parts(
    plan: QueryPlan, meta: IndexMeta, segments: Sequence[Segment], masks: Sequence[Mask]
) -> list[_Part]:
    """Return the segments that have a term of the query, the largest first."""
    parts = []
    for number, segment in sorted(enumerate(segments), key=lambda item: -item[1].meta.documents):
        query = segment_query(plan, number, segment, meta)
        if len(query.kinds):
            parts.append(
                _Part(
                    number,
                    segment,
                    query,
                    _first_pass(query, segment, meta),
                    masks[number],
                    np.zeros(0, np.uint64),
                    np.zeros(segment.blocks),
                )
            )
    return parts


def _needs_all(plan: QueryPlan) -> bool:
    """Whether sums of codes do not bound scores, so that every document must be scored."""
    together = plan.tf_weights + plan.deltas
    positive = together[together > 0]
    return (
        plan.has_negative_weights
        or bool(plan.logarithmic.any())
        or bool(len(positive) and (positive.min() < _SMALLEST or positive.sum() > _LARGEST))
    )


def _first_pass(query: SegmentQuery, segment: Segment, meta: IndexMeta) -> FirstPass:
    """Return the weights of codes, and how far a sum of codes may be below the true score."""
    weights = (query.tf_weights / 255).astype(np.float32)
    deltas = query.deltas.astype(np.float32)
    bounds = query.tf_weights + query.deltas
    drifts = np.array(
        [
            code_drift(field, total.average, written.average)
            for field, total, written in zip(
                meta.fields, meta.totals, segment.meta.fields, strict=True
            )
        ]
    )
    # Half a code, the change of the average length since, and the rounding of 32-bit sums.
    error = float(
        (query.tf_weights * (0.5 / 255 + drifts[query.fields])).sum()
        + bounds.sum() * (len(bounds) + 8) * 2.0**-23
    )
    rare, lists, columns = (
        np.flatnonzero((query.kinds == kind) & (bounds > 0)) for kind in (RARE, LIST, COLUMN)
    )
    columns = columns[np.argsort(-bounds[columns], kind="stable")]
    rest = np.zeros(len(columns) + 1)
    rest[:-1] = np.cumsum(bounds[columns][::-1])[::-1]
    return FirstPass(
        query.places[rare],
        weights[rare],
        deltas[rare],
        query.places[lists],
        weights[lists],
        deltas[lists],
        query.places[columns],
        weights[columns],
        deltas[columns],
        rest,
        error,
    )


def _search_all(part: _Part, k: int, cores: int) -> None:
    postings = part.segment.postings

    def search(blocks: Array) -> Array:
        kept = empty_top_k(k, postings.block)
        work = workspace(postings.block, len(part.query.kinds))
        search_all(postings, part.query, blocks, part.allowed, k, kept, work)
        return kept.numbers[: kept.size[0]]

    shares = _shares(np.arange(part.segment.blocks), cores)
    part.best = np.concatenate(_each(search, shares))


def _search_best(part: _Part, goal: TopKGoal, blocks: Array, cores: int) -> None:
    """Add the best documents of blocks to those of the part."""
    postings = part.segment.postings

    def search(blocks: Array) -> tuple[Array, Array]:
        kept = empty_top_k(goal.k, postings.block)
        used = np.zeros(len(blocks))
        work = workspace(postings.block, len(part.query.kinds))
        search_best(
            postings, part.query, part.first_pass, goal, blocks, part.allowed, kept, used, work
        )
        return kept.numbers[: kept.size[0]], used

    shares = _shares(blocks, cores)
    results = _each(search, shares)
    for share, (_, used) in zip(shares, results, strict=True):
        part.used[share] = used
    part.best = np.unique(np.concatenate([part.best, *(best for best, _ in results)]))


def _search_again(parts: Sequence[_Part], k: int, cores: int) -> None:
    """Search blocks again whose threshold was above the final k-th score.

    k documents reach that score, so it cannot be too high.
    """
    least = _kth(parts, k)
    for part in parts:
        blocks = np.flatnonzero(part.used > least)
        if len(blocks):
            deadlines.check()
            _search_best(part, TopKGoal(k, least, 0), blocks, cores)


def _kth(parts: Sequence[_Part], k: int) -> float:
    """Return the k-th best score so far, 0 if there are fewer."""
    scores = np.concatenate([np.zeros(0, np.float32), *(scores_of(part.best) for part in parts)])
    if len(scores) < k:
        return 0.0
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def _shares(blocks: Array, cores: int) -> list[Array]:
    """Deal out blocks in turn; each share is contiguous, as the compiled loops expect."""
    return [np.ascontiguousarray(blocks[core::cores]) for core in range(min(cores, len(blocks)))]


def _each(work: Callable[[Array], Result], shares: Sequence[Array]) -> list[Result]:
    """Work on each share, all but the first in threads of their own.

    Compiled loops release the interpreter's lock.
    """
    if len(shares) == 1:
        return [work(shares[0])]
    with ThreadPoolExecutor(len(shares) - 1) as threads:
        others = threads.map(work, shares[1:])
        return [work(shares[0]), *others]
