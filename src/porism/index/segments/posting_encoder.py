"""Postings put where the layout has them: the loops of writing a segment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from porism.index.compiler import Array, IntLike, compiled
from porism.index.count_codes import code, estimate


class PostingTargets(NamedTuple):
    """Where the postings of each term go: a common term's number, or minus a rare one's, less 1.

    ``columns`` has the column of each common term, -1 if it has lists.
    """

    terms: Array
    columns: Array


class CountExceptions(NamedTuple):
    """Room for counts that do not come back from their code: places, counts, how many so far."""

    places: Array
    counts: Array
    size: Array


class PostingBuffers(NamedTuple):
    """Where postings go, and where the next one of each term."""

    documents: Array
    codes: Array
    cursors: Array
    exceptions: CountExceptions


@compiled
def find_key_positions(some: Array, all_: Array, numbers: Array) -> None:
    """Note the place of each key of ``some`` in ``all_``; both ascend, and all are there."""
    at = 0
    for i in range(len(some)):
        while all_[at] < some[i]:
            at += 1
        numbers[i] = at


@compiled
def add_list_sizes(terms: Array, sizes: Array, columns: Array, totals: Array) -> None:
    """Add the sizes of lists that stand in the block to the totals by common term."""
    for i in range(len(terms)):
        term = terms[i]
        if term >= 0 and columns[term] < 0:
            totals[term] += sizes[i]


@compiled
def encode_postings(
    run: tuple[Array, Array, Array, Array],
    targets: PostingTargets,
    norms: Array,
    first: IntLike,
    lists: PostingBuffers,
    columns: PostingBuffers,
    rare: PostingBuffers,
) -> None:
    """Encode the postings of a run (sizes, documents, counts, large counts) and put them in place.

    ``norms`` are those of the block's documents, the first of which is ``first`` in the segment.
    """
    sizes, documents, counts, large_counts = run
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
                where = np.int64(rare.cursors[-term - 1])
                rare.cursors[-term - 1] += 1
                rare.documents[where] = first + document
                rare.codes[where] = byte
                if exception:
                    _except(rare.exceptions, where, count)
            elif column >= 0:
                where = column * width + document
                columns.codes[where] = byte
                if exception:
                    _except(columns.exceptions, where, count)
            else:
                where = np.int64(lists.cursors[term])
                lists.cursors[term] += 1
                lists.documents[where] = document
                lists.codes[where] = byte
                if exception:
                    _except(lists.exceptions, where, count)
        at += sizes[i]


@compiled
def _except(exceptions: CountExceptions, where: IntLike, count: IntLike) -> None:
    size = exceptions.size[0]
    exceptions.places[size] = where
    exceptions.counts[size] = count
    exceptions.size[0] = size + 1
