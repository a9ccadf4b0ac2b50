"""Merging of segments: live documents are renumbered, postings become spill files again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.inverted.count_codes import ambiguous, doubtful, estimate
from porism.inverted.documents import Field
from porism.inverted.layout import IndexMeta, Layout
from porism.inverted.scoring import (
    COLUMN,
    LIST,
    RARE,
    Postings,
    block_width,
    exact_count,
    list_range,
    rare_list,
)
from porism.inverted.segments.dictionary import EMPTY_TABLE, merged_tables, restricted_table
from porism.inverted.segments.doc_ids import DocIdTableBuilder
from porism.inverted.segments.segment import Segment
from porism.inverted.segments.segment_writer import (
    SegmentSource,
    length_groups,
    norm_coefficients,
)
from porism.inverted.segments.spill_files import SpillField, SpillFile, write_spill_file


def merge_segments(
    segments: Sequence[Segment], meta: IndexMeta, layout: Layout, work: Path
) -> SegmentSource:
    """Return the live documents of segments, in order, as the source of one segment.

    Spill files are written to ``work``.
    """
    spills: list[SpillFile] = []
    ids = DocIdTableBuilder()
    lengths: list[Array] = [np.zeros((len(meta.fields), 0), np.uint32)]
    tokens = EMPTY_TABLE
    for segment in segments:
        live = np.ones(segment.meta.documents, np.bool_)
        if segment.deleted is not None:
            live = segment.deleted == 0
        numbers = np.where(live, ids.documents + np.cumsum(live) - 1, -1)
        for block, fields in _parts(segment, meta.fields, numbers, layout.block):
            spills.append(write_spill_file(work / f"spill-{len(spills):06d}", block, fields))
        doc_ids = [segment.ids.doc_id(int(document)) for document in np.flatnonzero(live)]
        if doc_ids:
            ids.add(doc_ids)
        lengths.append(segment.lengths[:, live])
        tokens = merged_tables(tokens, segment.tokens)
    spills.sort(key=lambda spill: spill.block)
    table, _ = ids.finished()
    return SegmentSource(
        meta.fields,
        table,
        np.concatenate(lengths, axis=1),
        spills,
        restricted_table(tokens, _all_keys(spills, len(meta.fields))),
        [of.average for of in meta.totals],
    )


def _all_keys(spills: Sequence[SpillFile], fields: int) -> Array:
    keys = np.zeros(0, np.uint64)
    for spill in spills:
        for field in range(fields):
            keys = np.union1d(keys, spill.sizes(field)[0])
    return keys


def _parts(
    segment: Segment, fields: Sequence[Field], numbers: Array, size: int
) -> Iterator[tuple[int, list[SpillField]]]:
    """Yield the live postings of each old block, split where a new block of ``size`` begins."""
    old = segment.postings.block
    for block in range(segment.blocks):
        of_block = numbers[block * old : (block + 1) * old]
        live = of_block[of_block >= 0]
        if not len(live):
            continue
        for new in range(int(live[0]) // size, int(live[-1]) // size + 1):
            inside = (of_block >= new * size) & (of_block < (new + 1) * size)
            local = np.where(inside, of_block - new * size, -1)
            yield (
                new,
                [
                    block_postings(segment, fields, field, block, local)
                    for field in range(len(fields))
                ],
            )


def block_postings(
    segment: Segment, fields: Sequence[Field], field: int, block: int, local: Array
) -> SpillField:
    """Return one field's postings of a block for documents with a number >= 0 in ``local``.

    ``local`` has the new number of each document of the block.
    """
    postings = segment.postings
    of = segment.meta.fields[field]
    first = block * postings.block
    constants = norm_coefficients(fields[field], of.average)
    lengths = segment.lengths[length_groups(fields)[field], first : first + len(local)].sum(axis=0)
    of_codes = constants.base + constants.slope * lengths.astype(np.float64)
    columns = segment.checked_columns()[slice(*of.common)]
    room = _room(postings, block, of.common, columns, of.rare)
    documents, counts = np.empty(room, np.uint16), np.empty(room, np.uint32)
    sizes = np.zeros(of.common[1] - of.common[0] + of.rare[1] - of.rare[0], np.uint32)
    _collect(
        postings, block, of.common, columns, of.rare, of_codes, local, (sizes, documents, counts)
    )
    keys = segment.keys(field)
    present = np.flatnonzero(sizes)
    order = present[np.argsort(keys[present])]
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    ordered = np.empty(int(starts[-1]), np.uint16), np.empty(int(starts[-1]), np.uint32)
    _in_order(order, starts, documents, counts, ordered)
    large = ordered[1] >= 255
    return SpillField(
        keys[order],
        sizes[order],
        ordered[0],
        np.minimum(ordered[1], 255).astype(np.uint8),
        ordered[1][large],
    )


@compiled
def _room(
    postings: Postings,
    block: IntLike,
    common: tuple[IntLike, IntLike],
    columns: Array,
    rare: tuple[IntLike, IntLike],
) -> IntLike:
    """Return an upper bound of the number of postings of some terms in a block."""
    width = block_width(postings, block)
    room = 0
    for term in range(common[0], common[1]):
        first, last = list_range(postings, block, term)
        room += width if columns[term - common[0]] >= 0 else last - first
    for term in range(rare[0], rare[1]):
        first, last = rare_list(postings, term)
        room += last - first
    return room


@compiled
def _collect(
    postings: Postings,
    block: IntLike,
    common: tuple[IntLike, IntLike],
    columns: Array,
    rare: tuple[IntLike, IntLike],
    norms: Array,
    local: Array,
    out: tuple[Array, Array, Array],
) -> None:
    """Write the documents and counts of each term, common ones first, and how many it has."""
    sizes, documents, counts = out
    offset = block * postings.block
    start = postings.block_starts[block]
    width = block_width(postings, block)
    end = 0
    for term in range(common[0], common[1]):
        begin = end
        column = np.int64(columns[term - common[0]])
        if column < 0:
            first, last = list_range(postings, block, term)
            for at in range(first, last):
                document = postings.list_documents[start + at]
                if document < len(local) and local[document] >= 0:
                    code = postings.list_codes[start + at]
                    documents[end] = local[document]
                    counts[end] = _count(postings, LIST, block, at, code, norms[document])
                    end += 1
        else:
            codes = offset * postings.columns_count + column * width
            for document in range(len(local)):
                code = postings.columns[codes + document]
                if code and local[document] >= 0:
                    place = column * width + document
                    documents[end] = local[document]
                    counts[end] = _count(postings, COLUMN, block, place, code, norms[document])
                    end += 1
        sizes[term - common[0]] = end - begin
    for term in range(rare[0], rare[1]):
        begin = end
        first, last = rare_list(postings, term)
        for at in range(first, last):
            document = np.int64(postings.rare_documents[at]) - offset
            if 0 <= document < len(local) and local[document] >= 0:
                code = postings.rare_codes[at]
                documents[end] = local[document]
                counts[end] = _count(postings, RARE, block, at, code, norms[document])
                end += 1
        sizes[common[1] - common[0] + term - rare[0]] = end - begin


@compiled
def _count(
    postings: Postings,
    kind: IntLike,
    block: IntLike,
    place: IntLike,
    code: IntLike,
    norm: FloatLike,
) -> FloatLike:
    count = estimate(code, norm)
    if doubtful(code, count, norm) and ambiguous(code, count, norm):
        return exact_count(postings, kind, block, np.int64(place), count)
    return count


@compiled
def _in_order(
    order: Array, starts: Array, documents: Array, counts: Array, out: tuple[Array, Array]
) -> None:
    end = 0
    for term in order:
        for at in range(starts[term], starts[term + 1]):
            out[0][end] = documents[at]
            out[1][end] = counts[at]
            end += 1
