"""Deleted documents: a byte for each document, and how many each common term lost by it.

With these the statistics of an index are those of live documents at once, not after a merge.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from porism.index.compiled import Array, compiled
from porism.index.disk import DELETED, DROPPED, write_array
from porism.index.layout import SegmentMeta
from porism.index.scoring import Postings, block_width
from porism.index.segment import Segment


def write_deletions(segment: Segment, deleted: Array) -> SegmentMeta:
    """Keep account of deleted documents in a new file; the segment with it comes back."""
    number = segment.meta.deletions + 1
    dropped = np.zeros(len(segment.common_keys), np.uint32)
    _count_dropped(segment.postings, segment.common_columns, deleted, dropped)
    write_array(segment.folder / f"{DELETED}{number:06d}", deleted)
    write_array(segment.folder / f"{DROPPED}{number:06d}", dropped)
    return replace(segment.meta, deletions=number, deleted=int(deleted.sum()))


@compiled
def _count_dropped(postings: Postings, columns: Array, deleted: Array, dropped: Array) -> None:
    """Count the postings of deleted documents for each common term."""
    for block in range((postings.documents + postings.block - 1) // postings.block):
        offset = block * postings.block
        gone = deleted[offset : offset + postings.block]
        if not gone.any():
            continue
        width = block_width(postings, block)
        start = postings.block_starts[block]
        row = block * (postings.terms + 1)
        for term in range(postings.terms):
            lost = 0
            if columns[term] < 0:
                first = start + postings.list_starts[row + term]
                last = start + postings.list_starts[row + term + 1]
                for document in postings.list_documents[first:last]:
                    lost += gone[document]
            else:
                begin = offset * postings.columns_count + columns[term] * width
                codes = postings.columns[begin : begin + width]
                for document in range(len(gone)):
                    lost += gone[document] != 0 and codes[document] != 0
            dropped[term] += lost
