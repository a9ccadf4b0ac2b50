"""Writes an index: documents are collected in bounded memory, and visible when committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import TracebackType

import numpy as np

from porism.compiler import Array
from porism.errors import PorismError
from porism.inverted.documents import DocumentBatch, Field, batch, check_batch
from porism.inverted.files import (
    disk_errors,
    remove,
    remove_unreferenced,
    write_meta,
    writer_lock,
)
from porism.inverted.layout import (
    META,
    SEGMENT,
    IndexMeta,
    Layout,
    SegmentMeta,
    read_meta,
)
from porism.inverted.segments.deletions import write_deletions
from porism.inverted.segments.dictionary import TokenTableBuilder
from porism.inverted.segments.doc_ids import DocIdTableBuilder
from porism.inverted.segments.inversion import FieldInverter
from porism.inverted.segments.merge import merge_segments
from porism.inverted.segments.segment import Segment
from porism.inverted.segments.segment_writer import SegmentSource, write_segment
from porism.inverted.segments.spill_files import SpillFile, write_spill_file
from porism.inverted.statistics import average_lengths, field_totals
from porism.storage.array_file import UNFINISHED, sync_folder, verify
from porism.storage.tiers import first_to_merge

_HELD = 1000
"""Documents of ``add`` that are held as strings before they become a batch."""


class IndexWriter:
    """The only writer of an index, which it creates if need be.

    Nothing is visible before ``commit``; without it, or if the process is killed, the index stays
    as the last commit left it. ``memory`` is the limit in bytes for documents not yet written.

    For an index that is part of a larger whole, pass its state there as ``committed``. Such an
    index is not committed by itself: ``flush`` writes all changes, and ``meta`` is then the state
    to store in the whole.
    """

    def __init__(
        self,
        path: str | Path,
        fields: Sequence[Field],
        memory: int = 2 << 30,
        about: Mapping[str, object] | None = None,
        layout: Layout | None = None,
        committed: IndexMeta | None = None,
    ) -> None:
        self._folder = Path(path)
        self._layout = layout or Layout()
        self._memory = memory
        self._fields = tuple(fields)
        if not fields or len({field.name for field in fields}) < len(fields):
            raise PorismError("an index needs fields, and each its own name")
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = writer_lock(self._folder)
            try:
                self._meta = self._opened(about) if committed is None else committed
                self._check_fields()
                remove_unreferenced(self._folder, self._meta)
                self._begin()
            except BaseException:
                self._lock.close()
                raise

    def _opened(self, about: Mapping[str, object] | None) -> IndexMeta:
        if not (self._folder / META).exists():
            others = [path.name for path in self._folder.iterdir() if not _ours(path.name)]
            if others:
                raise PorismError(
                    f"{self._folder} is not an index and not empty ({sorted(others)[0]} is there); "
                    "choose another folder"
                )
            return empty_meta(self._fields, about)
        meta = read_meta(self._folder)
        return meta if about is None else replace(meta, about=dict(about))

    def _check_fields(self) -> None:
        if self._meta.fields != self._fields:
            raise PorismError(
                f"the index {self._folder} has other fields ({_named(self._meta.fields)}) than "
                f"those requested ({_named(self._fields)}); index to another folder, or rebuild it"
            )

    def _begin(self) -> None:
        """Start to collect documents for the next segment."""
        self._work = self._folder / f"{UNFINISHED}{self._meta.next_segment:06d}"
        remove(self._work)
        self._work.mkdir()
        self._held: list[tuple[str, Mapping[str, Sequence[str]]]] = []
        self._ids = DocIdTableBuilder()
        self._lengths: list[Array] = []
        self._spills: list[SpillFile] = []
        self._inverters = [FieldInverter() for _ in self._fields]
        self._tokens = TokenTableBuilder(self._work)
        self._deleted: set[str] = set()
        self._new_ids: list[Sequence[str]] = []

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock; what was not committed is lost."""
        remove(self._work)
        self._lock.close()

    def add(self, doc_id: str, fields: Mapping[str, Sequence[str]]) -> None:
        """Add a document, or replace the one of this id."""
        self._held.append((doc_id, fields))
        if len(self._held) >= _HELD:
            self._add_held()

    def _add_held(self) -> None:
        held, self._held = self._held, []
        if held:
            self._add(batch(held))

    def add_batch(self, documents: DocumentBatch) -> None:
        """Add documents, each in the place of an earlier one with its id."""
        self._add_held()
        self._add(documents)

    def _add(self, documents: DocumentBatch) -> None:
        check_batch(documents, [field.name for field in self._fields])
        count = len(documents.doc_ids)
        with disk_errors(self._folder):
            self._tokens.add(documents.tokens)
        if not count:
            return
        lengths = np.zeros((len(self._fields), count), np.uint32)
        for number, field in enumerate(self._fields):
            if field.name in documents.fields:
                lengths[number] = np.diff(documents.fields[field.name].starts)
        with disk_errors(self._folder):
            self._invert(documents, count)
        self._ids.add(documents.doc_ids)
        self._lengths.append(lengths)
        if self._meta.segments:
            self._new_ids.append(documents.doc_ids)

    def _invert(self, documents: DocumentBatch, count: int) -> None:
        """Count tokens; spill after each block and whenever memory is full."""
        first = 0
        at = self._ids.documents
        while first < count:
            last = min(count, first + self._layout.block - (at + first) % self._layout.block)
            last = min(last, first + _PART)
            for field, inverter in zip(self._fields, self._inverters, strict=True):
                if field.name in documents.fields:
                    inverter.add(documents.fields[field.name], first, last)
                else:
                    inverter.add_empty(last - first)
            first = last
            used = sum(inverter.bytes for inverter in self._inverters)
            if (at + first) % self._layout.block == 0 or used > self._memory // 2:
                self._spill(at + first)

    def _spill(self, end: int) -> None:
        documents = self._inverters[0].documents
        if documents:
            block, first = divmod(end - documents, self._layout.block)
            path = self._work / f"spill-{len(self._spills):06d}"
            fields = [inverter.inverted(first) for inverter in self._inverters]
            self._spills.append(write_spill_file(path, block, fields))
            self._inverters = [FieldInverter() for _ in self._fields]

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Delete documents; ids that are not in the index are ignored."""
        self._add_held()
        wanted = list(doc_ids)
        self._ids.delete(wanted)
        self._deleted.update(wanted)

    def commit(self) -> None:
        """Make all changes so far visible, at once and durably."""
        self.flush()
        self._publish()

    def flush(self) -> None:
        """Write all changes so far, without making them visible."""
        self._add_held()
        with disk_errors(self._folder):
            segments = self._segments()
            changed = [self._with_deletions(segment) for segment in segments]
            new = self._new_segment()
            self._set_segments([*changed, *new])

    @property
    def meta(self) -> IndexMeta:
        """The state of the index with all flushed changes."""
        return self._meta

    def _segments(self) -> list[Segment]:
        return [Segment(self._folder, of) for of in self._meta.segments]

    def _with_deletions(self, segment: Segment) -> SegmentMeta:
        """Return the segment without documents that were deleted or replaced."""
        numbers = segment.numbers(chain(self._deleted, *self._new_ids))
        numbers = numbers[numbers >= 0]
        if not len(numbers):
            return segment.meta
        deleted = np.zeros(segment.meta.documents, np.uint8)
        if segment.deleted is not None:
            deleted |= segment.deleted
        deleted[numbers] = 1
        return write_deletions(self._folder, segment, deleted)

    def _new_segment(self) -> list[SegmentMeta]:
        """Return the documents added since the last flush as a segment, if there are any."""
        if not self._ids.documents:
            return []
        self._spill(self._ids.documents)
        ids, gone = self._ids.finished()
        lengths = np.concatenate(self._lengths, axis=1)
        source = SegmentSource(
            self._fields,
            ids,
            lengths,
            self._spills,
            self._tokens.finished(),
            average_lengths(self._fields, self._meta, lengths[:, gone == 0]),
        )
        return [self._written(source, gone)]

    def _written(self, source: SegmentSource, gone: Array) -> SegmentMeta:
        """Write a segment beside the others; it is not part of the index yet."""
        path = self._work / f"{SEGMENT}{self._meta.next_segment:06d}"
        meta = write_segment(path, source, self._layout)
        path.replace(self._folder / path.name)
        sync_folder(self._folder)
        if gone.any():
            meta = write_deletions(self._folder, Segment(self._folder, meta), gone)
        return meta

    def _set_segments(self, segments: Sequence[SegmentMeta]) -> None:
        """Compute statistics with these segments, and start to collect for the next one."""
        kept = [segment for segment in segments if segment.deleted < segment.documents]
        meta = replace(self._meta, segments=tuple(kept), next_segment=self._meta.next_segment + 1)
        opened = [Segment(self._folder, of) for of in kept]
        counted = field_totals(meta, opened)
        live = sum(segment.live for segment in opened)
        remove(self._work)
        self._meta = replace(meta, totals=counted, documents=live)
        self._begin()

    def _publish(self) -> None:
        with disk_errors(self._folder):
            write_meta(self._folder, self._meta)
            work = self._work.name
            remove_unreferenced(self._folder, self._meta, work)

    @property
    def segments(self) -> int:
        """The number of segments."""
        return len(self._meta.segments)

    def merge(self) -> None:
        """Merge all segments into one, without deleted documents and with new codes, and commit."""
        self.flush()
        segments = self._meta.segments
        if len(segments) > 1 or any(segment.deleted for segment in segments):
            self._merge_from(0)
        self._publish()

    def merge_recent(self) -> None:
        """Merge the newest segments where they are as large as their older neighbours.

        Each segment is then larger than all newer ones together, so there are few, and a document
        is rewritten only as often as the index doubles.
        """
        sizes = [segment.documents - segment.deleted for segment in self._meta.segments]
        first = first_to_merge(sizes)
        if first < len(sizes) - 1:
            self._merge_from(first)

    def _merge_from(self, first: int) -> None:
        """Merge the segments from a place on; damaged ones are refused."""
        old = self._meta.segments
        with disk_errors(self._folder):
            for segment in old[first:]:
                verify(self._folder, segment.files)
            source = merge_segments(self._segments()[first:], self._meta, self._layout, self._work)
            new = self._written(source, np.zeros(len(source.ids), np.uint8))
            self._set_segments([*old[:first], new])


_PART = 4096
"""Documents that are counted before the memory in use is checked again."""


def empty_meta(fields: Sequence[Field], about: Mapping[str, object] | None = None) -> IndexMeta:
    """Return the state of an index without documents."""
    empty = IndexMeta(tuple(fields), dict(about or {}))
    return replace(empty, totals=field_totals(empty, []))


def _ours(name: str) -> bool:
    return name.startswith((SEGMENT, UNFINISHED, META)) or name.endswith(".lock")


def _named(fields: Sequence[Field]) -> str:
    return ", ".join(str(field) for field in fields)
