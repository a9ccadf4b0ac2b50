"""Writes a segment from spill files: terms are classified, postings encoded block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import numpy as np

from porism.compiler import Array
from porism.inverted.documents import Field
from porism.inverted.layout import ARRAYS, Layout, SegmentField, SegmentMeta
from porism.inverted.segments.dictionary import TokenTable
from porism.inverted.segments.doc_ids import DocIdTable
from porism.inverted.segments.posting_encoder import (
    CountExceptions,
    PostingBuffers,
    PostingTargets,
    add_list_sizes,
    encode_postings,
    find_key_positions,
)
from porism.inverted.segments.spill_files import SpillFile, document_frequencies
from porism.storage.array_file import ArrayFiles


@dataclass(frozen=True, slots=True)
class NormCoefficients:
    """K of a field for each document length: ``base + slope * length``."""

    base: float
    slope: float


def norm_coefficients(field: Field, average: float) -> NormCoefficients:
    """Return K = k1 * (1 - b + b * length / average) as a linear function of the length."""
    slope = field.k1 * field.b / average if average > 0 else 0.0
    return NormCoefficients(field.k1 * (1 - field.b), slope)


def length_groups(fields: Sequence[Field]) -> list[list[int]]:
    """Return for each field the fields whose lengths add up to its document length."""
    return [
        [
            other
            for other, candidate in enumerate(fields)
            if candidate is field or (field.length and candidate.length == field.length)
        ]
        for field in fields
    ]


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """The source of a segment: documents (``lengths`` by field), their postings, strings."""

    fields: Sequence[Field]
    ids: DocIdTable
    lengths: Array
    spills: Sequence[SpillFile]
    tokens: TokenTable
    averages: Sequence[float]


@dataclass(frozen=True, slots=True)
class _Classes:
    """All terms by kind of postings; ``columns`` is the column of each common term, or -1."""

    terms: Sequence[_Terms]
    fields: tuple[SegmentField, ...]
    columns: Array
    column_count: int
    rare_starts: Array


@dataclass(frozen=True, slots=True)
class _Terms:
    """The terms of one field: all keys, and the target of each as in ``PostingTargets``."""

    keys: Array
    targets: Array


def column_width(layout: Layout, documents: int, block: int) -> int:
    """Return how many documents a column of the block has room for: a multiple of 64."""
    left = documents - block * layout.block
    return min(layout.block, -(-left // 64) * 64)


def block_count(layout: Layout, documents: int) -> int:
    """Return how many blocks that many documents need."""
    return -(-documents // layout.block)


def write_segment(path: Path, source: SegmentSource, layout: Layout) -> SegmentMeta:
    """Write a segment to one file; its arrays grow in a folder beside it."""
    folder = path.with_name(f"{path.name}.arrays")
    folder.mkdir()
    files = ArrayFiles(folder, ARRAYS)
    try:
        meta = _SegmentWriter(files, source, layout).write(path)
        folder.rmdir()
    except BaseException:
        files.abandon()
        raise
    return meta


class _SegmentWriter:
    def __init__(self, files: ArrayFiles, source: SegmentSource, layout: Layout) -> None:
        self._files = files
        self._source = source
        self._layout = layout
        self._documents = len(source.ids)
        self._digest = blake2b(digest_size=16)

    def write(self, path: Path) -> SegmentMeta:
        self._write_documents()
        classes = self._classified()
        self._write_postings(classes)
        self._write_digested("token_keys", self._source.tokens.keys)
        self._files.append("token_starts", self._source.tokens.starts)
        self._files.append("token_text", self._source.tokens.text)
        return SegmentMeta(
            path.name,
            self._documents,
            self._layout,
            classes.column_count,
            classes.fields,
            self._digest.hexdigest(),
            self._files.packed(path),
        )

    def _write_digested(self, name: str, array: Array) -> None:
        """Write an array that is part of the segment's digest."""
        self._files.append(name, array)
        self._digest.update(np.ascontiguousarray(array).data)

    def _write_documents(self) -> None:
        source = self._source
        self._write_digested("lengths", source.lengths.reshape(-1))
        self._write_digested("id_text", source.ids.text)
        self._write_digested("id_starts", source.ids.starts)
        self._files.append("id_order", source.ids.order)
        self._files.append("id_rank", source.ids.rank)

    def _classified(self) -> _Classes:
        """Classify terms as rare, columns or lists, and write their statistics."""
        terms: list[_Terms] = []
        fields: list[SegmentField] = []
        columns: list[Array] = [np.zeros(0, np.int32)]
        rare_starts: list[Array] = [np.zeros(1, np.int64)]
        common_end = rare_end = columns_end = 0
        for number, average in enumerate(self._source.averages):
            keys, sizes = document_frequencies(self._source.spills, number)
            rare = sizes <= self._layout.rare
            dense = sizes[~rare] > self._layout.column_share * self._documents
            column = np.where(dense, columns_end + np.cumsum(dense) - 1, -1).astype(np.int32)
            targets = np.where(
                rare, -(rare_end + np.cumsum(rare)), common_end + np.cumsum(~rare) - 1
            ).astype(np.int32)
            self._write_digested("common_keys", keys[~rare])
            self._write_digested("common_documents", sizes[~rare])
            self._files.append("common_columns", column)
            self._write_digested("rare_keys", keys[rare])
            rare_starts.append(rare_starts[-1][-1] + np.cumsum(sizes[rare], dtype=np.int64))
            if not rare.any():
                rare_starts.pop()
            common, rare_range = (
                (common_end, common_end + len(dense)),
                (rare_end, rare_end + int(rare.sum())),
            )
            fields.append(SegmentField(common, rare_range, float(average)))
            common_end, rare_end, columns_end = (
                common[1],
                rare_range[1],
                columns_end + int(dense.sum()),
            )
            terms.append(_Terms(keys, targets))
            columns.append(column)
        starts = np.concatenate(rare_starts)
        assert starts[-1] < 2**32
        self._write_digested("rare_starts", starts.astype(np.uint32))
        return _Classes(terms, tuple(fields), np.concatenate(columns), columns_end, starts)

    def _write_postings(self, classes: _Classes) -> None:
        rare = PostingBuffers(
            np.empty(int(classes.rare_starts[-1]), np.uint32),
            np.empty(int(classes.rare_starts[-1]), np.uint8),
            classes.rare_starts[:-1].astype(np.uint32),
            _exceptions(int(classes.rare_starts[-1])),
        )
        starts = [0]
        list_exceptions = [0]
        column_exceptions = [np.zeros(1, np.int64)]
        by_block = {
            block: list(spills)
            for block, spills in groupby(self._source.spills, key=lambda spill: spill.block)
        }
        for block in range(block_count(self._layout, self._documents)):
            lists, column_room = self._encoded_block(block, by_block.get(block, []), classes, rare)
            starts.append(starts[-1] + len(lists.documents))
            self._files.append("list_documents", lists.documents)
            self._files.append("list_codes", lists.codes)
            self._files.append("columns", column_room.codes)
            list_exceptions.append(
                list_exceptions[-1] + self._write_exceptions("list", lists.exceptions)
            )
            before = int(column_exceptions[-1][-1])
            self._write_exceptions("column", column_room.exceptions)
            column_exceptions.append(before + _ends(column_room, classes.column_count))
        self._files.append("block_starts", np.array(starts, np.int64))
        self._files.append("list_exception_starts", np.array(list_exceptions, np.int64))
        self._files.append("column_exception_starts", np.concatenate(column_exceptions))
        self._files.append("rare_documents", rare.documents)
        self._files.append("rare_codes", rare.codes)
        self._write_exceptions("rare", rare.exceptions)

    def _encoded_block(
        self, block: int, spills: Sequence[SpillFile], classes: _Classes, rare: PostingBuffers
    ) -> tuple[PostingBuffers, PostingBuffers]:
        """Return the lists and columns of a block; rare terms go to the buffers of the segment."""
        fields = self._source.fields
        columns = classes.columns
        loaded = [spill.read() for spill in spills]
        targets = [
            [_targets(field.keys, of) for field, of in zip(spill, classes.terms, strict=True)]
            for spill in loaded
        ]
        sizes = np.zeros(len(columns), np.int64)
        for spill, spill_targets in zip(loaded, targets, strict=True):
            for field, field_targets in zip(spill, spill_targets, strict=True):
                add_list_sizes(field_targets, field.sizes, columns, sizes)
        list_starts = np.zeros(len(columns) + 1, np.uint32)
        np.cumsum(sizes, out=list_starts[1:])
        self._files.append("list_starts", list_starts)
        postings = sum(len(field.documents) for spill in loaded for field in spill)
        width = column_width(self._layout, self._documents, block)
        lists = PostingBuffers(
            np.empty(int(sizes.sum()), np.uint16),
            np.empty(int(sizes.sum()), np.uint8),
            list_starts[:-1].copy(),
            _exceptions(postings),
        )
        column_room = PostingBuffers(
            np.empty(0, np.uint16),
            np.zeros(classes.column_count * width, np.uint8),
            np.empty(0, np.uint32),
            _exceptions(postings),
        )
        first = block * self._layout.block
        lengths = self._source.lengths[:, first : first + width]
        for number, members in enumerate(length_groups(fields)):
            constants = norm_coefficients(fields[number], self._source.averages[number])
            of_block = np.zeros(width)
            of_block[: lengths.shape[1]] = lengths[members].sum(axis=0)
            of_block = constants.base + constants.slope * of_block
            for spill, spill_targets in zip(loaded, targets, strict=True):
                arrays = (
                    spill[number].sizes,
                    spill[number].documents,
                    spill[number].counts,
                    spill[number].large,
                )
                block_targets = PostingTargets(spill_targets[number], columns)
                encode_postings(arrays, block_targets, of_block, first, lists, column_room, rare)
        return lists, column_room

    def _write_exceptions(self, kind: str, exceptions: CountExceptions) -> int:
        size = int(exceptions.size[0])
        order = np.argsort(exceptions.places[:size])
        self._files.append(f"{kind}_exception_places", exceptions.places[:size][order])
        self._files.append(f"{kind}_exception_counts", exceptions.counts[:size][order])
        return size


def _targets(keys: Array, terms: _Terms) -> Array:
    """Return the target of each key."""
    numbers = np.empty(len(keys), np.uint32)
    find_key_positions(keys, terms.keys, numbers)
    return terms.targets[numbers]


def _ends(columns: PostingBuffers, count: int) -> Array:
    """Return for each column of a block how many exceptions it and those before it have."""
    if not count:
        return np.zeros(1, np.int64)
    width = len(columns.codes) // count
    places = columns.exceptions.places[: int(columns.exceptions.size[0])]
    return np.cumsum(np.bincount(places // width, minlength=count))


def _exceptions(room: int) -> CountExceptions:
    """Return room for exceptions; the system allocates only the pages that are used."""
    return CountExceptions(
        np.empty(room, np.uint32), np.empty(room, np.uint32), np.zeros(1, np.int64)
    )
