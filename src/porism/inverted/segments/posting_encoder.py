"""Compiled loops that encode postings and put them place the layout has them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.compiler import Array, IntLike, compiled
from porism.inverted.count_codes import code, estimate


class PostingTargets(NamedTuple):
    """Where the postings of each term go: n for common term n, -n - 1 for rare term n.

    ``columns`` is the column of each common term, -1 if it has lists.
    """

    terms: Array
    columns: Array


class CountExceptions(NamedTuple):
    """Counts that their codes do not recover: places, counts, and how many so far."""

    places: Array
    counts: Array
    size: Array


class PostingBuffers(NamedTuple):
    """Buffers for postings, and the place of the next one of each term."""

    documents: Array
    codes: Array
    cursors: Array
    exceptions: CountExceptions


@compiled
def find_key_positions(some: Array, all_: Array, numbers: Array) -> None:
    """Write the place of each key of ``some`` in ``all_``; both ascend, and none is missing."""
    at = 0
    for i in range(len(some)):
        while all_[at] < some[i]:
            at += 1
        numbers[i] = at


@compiled
def add_list_sizes(terms: Array, sizes: Array, columns: Array, totals: Array) -> None:
    """Add the sizes of the lists of a block to the totals by common term."""
    for i in range(len(terms)):
        term = terms[i]
        if term >= 0 and columns[term] < 0:
            totals[term] += sizes[i]


@compiled
def encode_postings(
    spill: tuple[Array, Array, Array, Array],
    targets: PostingTargets,
    norms: Array,
    first: IntLike,
    lists: PostingBuffers,
    columns: PostingBuffers,
    rare: PostingBuffers,
) -> None:
    """Encode the postings of a spill file (sizes, documents, counts, large counts).

    ``norms`` are those of the block's documents, the first of which is ``first`` in the segment.
    """
    sizes, documents, counts, large_counts = spill
    width = len(norms)
    at = 0
    large = 0
    for i in range(len(sizes)):
        term = targets.terms[i]
        column = targets.columns[term] if term >= 0 else -1
        for posting in range(at, at + sizes[i]):
            count = np.int64(counts[posting])
            if count == 255:
                count = np.int64(large_counts[large])
                large += 1
            document = np.int64(documents[posting])
            norm = norms[document]
            byte = code(count, norm)
            exception = estimate(byte, norm) != count
            if term < 0:
                place = np.int64(rare.cursors[-term - 1])
                rare.cursors[-term - 1] += 1
                rare.documents[place] = first + document
                rare.codes[place] = byte
                if exception:
                    _except(rare.exceptions, place, count)
            elif column >= 0:
                place = column * width + document
                columns.codes[place] = byte
                if exception:
                    _except(columns.exceptions, place, count)
            else:
                place = np.int64(lists.cursors[term])
                lists.cursors[term] += 1
                lists.documents[place] = document
                lists.codes[place] = byte
                if exception:
                    _except(lists.exceptions, place, count)
        at += sizes[i]


@compiled
def _except(exceptions: CountExceptions, place: IntLike, count: IntLike) -> None:
    size = exceptions.size[0]
    exceptions.places[size] = place
    exceptions.counts[size] = count
    exceptions.size[0] = size + 1
