"""Deleted documents: a byte for each document, and how many each common term lost.

So the statistics of an index are those of live documents at once, not only after a merge.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from porism.compiler import Array, compiled
from porism.inverted.layout import DELETIONS, SegmentMeta
from porism.inverted.scoring import Postings, block_width, list_range
from porism.inverted.segments.segment import Segment
from porism.storage.array_file import verify, write_arrays


def write_deletions(folder: Path, segment: Segment, deleted: Array) -> SegmentMeta:
    """Write the deleted documents of a segment to a new file, and return the segment with it.

    ``folder`` is that of the index. The deletions so far are verified first; otherwise damage in
    them would get a new, valid checksum.
    """
    if segment.meta.deletions_file is not None:
        verify(folder, [segment.meta.deletions_file])
    number = segment.meta.deletions + 1
    columns = segment.checked_columns()
    dropped = np.zeros(len(segment.common_keys), np.uint32)
    _count_dropped(segment.postings, columns, deleted, dropped)
    file = write_arrays(
        folder / f"{segment.meta.name}{DELETIONS}{number:06d}",
        {"deleted": deleted, "dropped": dropped},
    )
    return replace(segment.meta, deletions=number, deleted=int(deleted.sum()), deletions_file=file)


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
        for term in range(postings.terms):
            lost = 0
            if columns[term] < 0:
                first, last = list_range(postings, block, term)
                for document in postings.list_documents[start + first : start + last]:
                    if document < len(gone):
                        lost += gone[document] != 0
            else:
                begin = offset * postings.columns_count + columns[term] * width
                codes = postings.columns[begin : begin + width]
                for document in range(len(gone)):
                    lost += gone[document] != 0 and codes[document] != 0
            dropped[term] += lost
