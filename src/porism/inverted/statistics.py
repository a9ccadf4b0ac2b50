"""Statistics of fields over the live documents of an index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from porism.compiler import Array
from porism.inverted.documents import Field
from porism.inverted.layout import FieldTotals, IndexMeta
from porism.inverted.segments.segment import Segment
from porism.inverted.segments.segment_writer import length_groups


def average_lengths(fields: Sequence[Field], meta: IndexMeta, new_lengths: Array) -> list[float]:
    """Return the average document length of each field over the index and new documents."""
    tokens = [of.tokens + int(row.sum()) for of, row in zip(meta.totals, new_lengths, strict=True)]
    return _averages(fields, tokens, meta.documents + new_lengths.shape[1])


def _averages(fields: Sequence[Field], tokens: Sequence[int], documents: int) -> list[float]:
    return [
        sum(tokens[other] for other in members) / documents if documents else 0.0
        for members in length_groups(fields)
    ]


def field_totals(meta: IndexMeta, segments: Sequence[Segment]) -> tuple[FieldTotals, ...]:
    """Return the totals of each field over all live documents of the segments."""
    documents = 0
    having = [0] * len(meta.fields)
    tokens = [0] * len(meta.fields)
    for segment in segments:
        documents += segment.live
        for number, row in enumerate(segment.lengths):
            live = row if segment.deleted is None else row[segment.deleted == 0]
            having[number] += int(np.count_nonzero(live))
            tokens[number] += int(live.sum(dtype=np.int64))
    lengths = _averages(meta.fields, tokens, documents)
    return tuple(
        FieldTotals(
            having[number], tokens[number], distinct_terms(segments, number), lengths[number]
        )
        for number in range(len(meta.fields))
    )


def distinct_terms(segments: Sequence[Segment], field: int) -> int:
    """Count the distinct terms of a field, looking up each segment's in all larger ones."""
    total = 0
    larger: list[Segment] = []
    for segment in sorted(segments, key=lambda of: -_size(of, field)):
        keys = segment.keys(field)
        new = np.ones(len(keys), np.bool_)
        for other in larger:
            new &= ~other.has(field, keys)
        total += int(new.sum())
        larger.append(segment)
    return total


def _size(segment: Segment, field: int) -> int:
    of = segment.meta.fields[field]
    return of.common[1] - of.common[0] + of.rare[1] - of.rare[0]
