"""A segment on disk from runs of postings: terms classified, postings encoded, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import numpy as np

from porism.index.compiler import Array
from porism.index.documents import Field
from porism.index.segments.dictionary import TokenTable
from porism.index.segments.doc_ids import DocIdTable
from porism.index.segments.posting_encoder import (
    CountExceptions,
    PostingBuffers,
    PostingTargets,
    add_list_sizes,
    encode_postings,
    find_key_positions,
)
from porism.index.segments.spill_files import SpillFile, document_frequencies
from porism.index.storage.array_file import ArrayFiles
from porism.index.storage.layout import ARRAYS, Layout, SegmentField, SegmentMeta


@dataclass(frozen=True, slots=True)
class NormCoefficients:
    """K of a field for each document length: ``base + slope * length``."""

    base: float
    slope: float


def norm_coefficients(field: Field, average: float) -> NormCoefficients:
    """K = k1 * (1 - b + b * length / average), with its constants drawn together."""
    slope = field.k1 * field.b / average if average > 0 else 0.0
    return NormCoefficients(field.k1 * (1 - field.b), slope)


def length_groups(fields: Sequence[Field]) -> list[list[int]]:
    """For each field the fields whose lengths add up to its document length."""
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
    """What a segment is made of: documents (``lengths`` by field), their postings, strings."""

    fields: Sequence[Field]
    ids: DocIdTable
    lengths: Array
    runs: Sequence[SpillFile]
    tokens: TokenTable
    averages: Sequence[float]


@dataclass(frozen=True, slots=True)
class _Classes:
    """All terms by where their postings go; ``columns`` is that of each common term, or -1."""

    terms: Sequence[_Terms]
    fields: tuple[SegmentField, ...]
    columns: Array
    column_count: int
    rare_starts: Array


@dataclass(frozen=True, slots=True)
class _Terms:
    """The terms of one field: all keys, and for each the target that ``PostingTargets`` describes."""

    keys: Array
    targets: Array


def column_width(layout: Layout, documents: int, block: int) -> int:
    """How many documents a column of the block has room for: a multiple of 64."""
    left = documents - block * layout.block
    return min(layout.block, -(-left // 64) * 64)


def block_count(layout: Layout, documents: int) -> int:
    """How many blocks hold so many documents."""
    return -(-documents // layout.block)


def write_segment(path: Path, source: SegmentSource, layout: Layout) -> SegmentMeta:
    """Write a segment to one file; meanwhile its arrays have a folder beside it."""
    folder = path.with_name(f"{path.name}.arrays")
    folder.mkdir()
    files = ArrayFiles(folder, ARRAYS)
    try:
        meta = _Writing(files, source, layout).write(path)
        folder.rmdir()
    except BaseException:
        files.abandon()
        raise
    return meta


class _Writing:
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
        self._keep("token_keys", self._source.tokens.keys)
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

    def _keep(self, name: str, array: Array) -> None:
        """Write an array that tells this segment from others."""
        self._files.append(name, array)
        self._digest.update(np.ascontiguousarray(array).data)

    def _write_documents(self) -> None:
        source = self._source
        self._keep("lengths", source.lengths.reshape(-1))
        self._keep("id_text", source.ids.text)
        self._keep("id_starts", source.ids.starts)
        self._files.append("id_order", source.ids.order)
        self._files.append("id_rank", source.ids.rank)

    def _classified(self) -> _Classes:
        """Sort terms into rare ones, columns and lists, and write what is known of each."""
        terms: list[_Terms] = []
        fields: list[SegmentField] = []
        columns: list[Array] = [np.zeros(0, np.int32)]
        rare_starts: list[Array] = [np.zeros(1, np.int64)]
        common_end = rare_end = columns_end = 0
        for number, average in enumerate(self._source.averages):
            keys, sizes = document_frequencies(self._source.runs, number)
            rare = sizes <= self._layout.rare
            dense = sizes[~rare] > self._layout.column_share * self._documents
            column = np.where(dense, columns_end + np.cumsum(dense) - 1, -1).astype(np.int32)
            targets = np.where(
                rare, -(rare_end + np.cumsum(rare)), common_end + np.cumsum(~rare) - 1
            ).astype(np.int32)
            self._keep("common_keys", keys[~rare])
            self._keep("common_documents", sizes[~rare])
            self._files.append("common_columns", column)
            self._keep("rare_keys", keys[rare])
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
        self._keep("rare_starts", starts.astype(np.uint32))
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
            block: list(runs)
            for block, runs in groupby(self._source.runs, key=lambda run: run.block)
        }
        for block in range(block_count(self._layout, self._documents)):
            lists, column_room = self._placed(block, by_block.get(block, []), classes, rare)
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

    def _placed(
        self, block: int, runs: Sequence[SpillFile], classes: _Classes, rare: PostingBuffers
    ) -> tuple[PostingBuffers, PostingBuffers]:
        """The lists and columns of a block; rare terms go to the room of the segment."""
        fields = self._source.fields
        columns = classes.columns
        loaded = [run.read() for run in runs]
        targets = [
            [_targets(field.keys, of) for field, of in zip(run, classes.terms, strict=True)]
            for run in loaded
        ]
        sizes = np.zeros(len(columns), np.int64)
        for run, run_targets in zip(loaded, targets, strict=True):
            for field, field_targets in zip(run, run_targets, strict=True):
                add_list_sizes(field_targets, field.sizes, columns, sizes)
        list_starts = np.zeros(len(columns) + 1, np.uint32)
        np.cumsum(sizes, out=list_starts[1:])
        self._files.append("list_starts", list_starts)
        postings = sum(len(field.documents) for run in loaded for field in run)
        wide = column_width(self._layout, self._documents, block)
        lists = PostingBuffers(
            np.empty(int(sizes.sum()), np.uint16),
            np.empty(int(sizes.sum()), np.uint8),
            list_starts[:-1].copy(),
            _exceptions(postings),
        )
        column_room = PostingBuffers(
            np.empty(0, np.uint16),
            np.zeros(classes.column_count * wide, np.uint8),
            np.empty(0, np.uint32),
            _exceptions(postings),
        )
        first = block * self._layout.block
        lengths = self._source.lengths[:, first : first + wide]
        for number, members in enumerate(length_groups(fields)):
            constants = norm_coefficients(fields[number], self._source.averages[number])
            of_block = np.zeros(wide)
            of_block[: lengths.shape[1]] = lengths[members].sum(axis=0)
            of_block = constants.base + constants.slope * of_block
            for run, run_targets in zip(loaded, targets, strict=True):
                arrays = (
                    run[number].sizes,
                    run[number].documents,
                    run[number].counts,
                    run[number].large,
                )
                where = PostingTargets(run_targets[number], columns)
                encode_postings(arrays, where, of_block, first, lists, column_room, rare)
        return lists, column_room

    def _write_exceptions(self, kind: str, exceptions: CountExceptions) -> int:
        size = int(exceptions.size[0])
        order = np.argsort(exceptions.places[:size])
        self._files.append(f"{kind}_exception_places", exceptions.places[:size][order])
        self._files.append(f"{kind}_exception_counts", exceptions.counts[:size][order])
        return size


def _targets(keys: Array, terms: _Terms) -> Array:
    """The target of each of some keys."""
    numbers = np.empty(len(keys), np.uint32)
    find_key_positions(keys, terms.keys, numbers)
    return terms.targets[numbers]


def _ends(columns: PostingBuffers, count: int) -> Array:
    """For each column of a block, how many exceptions it and those before it have."""
    if not count:
        return np.zeros(1, np.int64)
    wide = len(columns.codes) // count
    places = columns.exceptions.places[: int(columns.exceptions.size[0])]
    return np.cumsum(np.bincount(places // wide, minlength=count))


def _exceptions(room: int) -> CountExceptions:
    """Room that takes memory only as far as it is used: the system gives it page by page."""
    return CountExceptions(
        np.empty(room, np.uint32), np.empty(room, np.uint32), np.zeros(1, np.int64)
    )
