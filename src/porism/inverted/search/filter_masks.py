"""Filters as masks: one byte for each document of a segment, 1 if it passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, IntLike, compiled
from porism.errors import PorismError
from porism.inverted.keys import keys
from porism.inverted.layout import IndexMeta
from porism.inverted.query import LABELS, Filter
from porism.inverted.scoring import LIST, RARE, Postings, block_width, list_range, rare_list
from porism.inverted.segments.segment import ABSENT, Segment

Mask = NDArray[np.uint8]

ALL_DOCUMENTS: Mask = np.zeros(0, np.uint8)
"""The mask of a segment of which all documents pass."""


def filter_mask(segment: Segment, within: Filter, meta: IndexMeta) -> Mask:
    """Return 1 for each live document that passes a filter; ``ALL_DOCUMENTS`` if all do."""
    if not within.labels and within.documents is None:
        return ALL_DOCUMENTS if segment.deleted is None else (1 - segment.deleted).astype(np.uint8)
    mask = np.ones(segment.meta.documents, np.uint8)
    if segment.deleted is not None:
        mask -= segment.deleted
    for group in within.labels:
        mask &= label_mask(segment, group, meta)
    if within.documents is not None:
        wanted = np.zeros_like(mask)
        numbers = segment.numbers(within.documents)
        wanted[numbers[numbers >= 0]] = 1
        mask &= wanted
    return mask


def label_mask(segment: Segment, group: tuple[str, ...], meta: IndexMeta) -> Mask:
    """Return 1 for each document with at least one label of the group, also for deleted ones."""
    names = [field.name for field in meta.fields]
    if LABELS not in names:
        raise PorismError(
            f"this index has no field {LABELS!r}, so documents cannot be filtered by labels"
        )
    terms = segment.find(names.index(LABELS), keys(group))
    mask = np.zeros(segment.meta.documents, np.uint8)
    for kind, place in zip(terms.kinds, terms.places, strict=True):
        if kind != ABSENT:
            mark_documents(segment.postings, int(kind), int(place), mask)
    return mask


@compiled
def mark_documents(postings: Postings, kind: IntLike, place: IntLike, mask: Array) -> None:
    """Write 1 for each document that has a term."""
    if kind != RARE:
        for block in range((postings.documents + postings.block - 1) // postings.block):
            offset = block * postings.block
            if kind == LIST:
                first, last = list_range(postings, block, place)
                start = postings.block_starts[block]
                for document in postings.list_documents[start + first : start + last]:
                    if offset + document < len(mask):
                        mask[offset + document] = 1
            else:
                width = block_width(postings, block)
                begin = offset * postings.columns_count + place * width
                codes = postings.columns[begin : begin + width]
                for document in range(min(width, postings.documents - offset)):
                    if codes[document]:
                        mask[offset + document] = 1
    else:
        first, last = rare_list(postings, place)
        for document in postings.rare_documents[first:last]:
            if document < len(mask):
                mask[document] = 1
