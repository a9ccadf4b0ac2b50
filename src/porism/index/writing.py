"""Making and changing an index: documents gathered in bounded memory, visible when committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import TracebackType

import numpy as np

from porism.errors import PorismError
from porism.index.compiled import Array
from porism.index.deleting import write_deletions
from porism.index.dictionary import TokenGatherer
from porism.index.disk import (
    remove,
    remove_unnamed,
    sync_folder,
    write_meta,
    writer_lock,
    writing_to,
)
from porism.index.documents import Batch, Field, batch, check
from porism.index.gathering import FieldGatherer
from porism.index.ids import IdGatherer
from porism.index.layout import META, SEGMENT, UNFINISHED, Layout, Meta, SegmentMeta, read_meta
from porism.index.merging import merge_segments
from porism.index.runs import Run, write_run
from porism.index.segment import Segment
from porism.index.segment_writing import Source, write_segment
from porism.index.totals import averages, totals

_HELD = 1000
"""How many documents of ``add`` are held as strings before they are taken as a batch."""


class IndexWriter:
    """The one writer of an index, which it makes if it is not there.

    Nothing is visible before ``commit``; leaving without it, or being killed, leaves the index as
    the last commit left it. ``memory`` bounds what documents not yet written may take, in bytes.
    """

    def __init__(
        self,
        path: str | Path,
        fields: Sequence[Field],
        memory: int = 2 << 30,
        about: Mapping[str, object] | None = None,
        layout: Layout | None = None,
    ) -> None:
        self._folder = Path(path)
        self._layout = layout or Layout()
        self._memory = memory
        self._fields = tuple(fields)
        if not fields or len({field.name for field in fields}) < len(fields):
            raise PorismError("an index needs fields, and each its own name")
        with writing_to(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = writer_lock(self._folder)
            try:
                self._meta = self._opened(about)
                remove_unnamed(self._folder, self._meta)
                self._begin()
            except BaseException:
                self._lock.close()
                raise

    def _opened(self, about: Mapping[str, object] | None) -> Meta:
        if not (self._folder / META).exists():
            others = [path.name for path in self._folder.iterdir() if not _ours(path.name)]
            if others:
                raise PorismError(
                    f"{self._folder} is not an index and not empty ({sorted(others)[0]} is there); "
                    "choose another folder"
                )
            empty = Meta(self._fields, dict(about or {}))
            return replace(empty, totals=totals(empty, []))
        meta = read_meta(self._folder)
        if meta.fields != self._fields:
            raise PorismError(
                f"the index {self._folder} has other fields ({_named(meta.fields)}) than those "
                f"asked for ({_named(self._fields)}); index to another folder, or all again"
            )
        return meta if about is None else replace(meta, about=dict(about))

    def _begin(self) -> None:
        """Start to gather documents for the next segment."""
        self._work = self._folder / f"{UNFINISHED}{self._meta.next_segment:06d}"
        remove(self._work)
        self._work.mkdir()
        self._held: list[tuple[str, Mapping[str, Sequence[str]]]] = []
        self._ids = IdGatherer()
        self._lengths: list[Array] = []
        self._runs: list[Run] = []
        self._gatherers = [FieldGatherer() for _ in self._fields]
        self._tokens = TokenGatherer(self._work)
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
        """Leave the index to others; what was not committed is gone."""
        remove(self._work)
        self._lock.close()

    def add(self, doc_id: str, fields: Mapping[str, Sequence[str]]) -> None:
        """Add a document, or replace the one of this id."""
        self._held.append((doc_id, fields))
        if len(self._held) >= _HELD:
            self._take_held()

    def _take_held(self) -> None:
        held, self._held = self._held, []
        if held:
            self._take(batch(held))

    def add_batch(self, documents: Batch) -> None:
        """Add documents; one whose id is there already, or came before, takes its place."""
        self._take_held()
        self._take(documents)

    def _take(self, documents: Batch) -> None:
        check(documents, [field.name for field in self._fields])
        count = len(documents.doc_ids)
        with writing_to(self._folder):
            self._tokens.add(documents.tokens)
        if not count:
            return
        lengths = np.zeros((len(self._fields), count), np.uint32)
        for number, field in enumerate(self._fields):
            if field.name in documents.fields:
                lengths[number] = np.diff(documents.fields[field.name].starts)
        with writing_to(self._folder):
            self._gather(documents, count)
        self._ids.add(documents.doc_ids)
        self._lengths.append(lengths)
        if self._meta.segments:
            self._new_ids.append(documents.doc_ids)

    def _gather(self, documents: Batch, count: int) -> None:
        """Count tokens, ending a run with each block and whenever memory is full."""
        first = 0
        at = self._ids.documents
        while first < count:
            last = min(count, first + self._layout.block - (at + first) % self._layout.block)
            last = min(last, first + _PART)
            for field, gatherer in zip(self._fields, self._gatherers, strict=True):
                if field.name in documents.fields:
                    gatherer.add(documents.fields[field.name], first, last)
                else:
                    gatherer.add_empty(last - first)
            first = last
            used = sum(gatherer.bytes for gatherer in self._gatherers)
            if (at + first) % self._layout.block == 0 or used > self._memory // 2:
                self._end_run(at + first)

    def _end_run(self, end: int) -> None:
        gathered = self._gatherers[0].documents
        if gathered:
            block, first = divmod(end - gathered, self._layout.block)
            path = self._work / f"run-{len(self._runs):06d}"
            fields = [gatherer.turned(first) for gatherer in self._gatherers]
            self._runs.append(write_run(path, block, fields))
            self._gatherers = [FieldGatherer() for _ in self._fields]

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Delete documents; those that are not there are passed over."""
        self._take_held()
        wanted = list(doc_ids)
        self._ids.delete(wanted)
        self._deleted.update(wanted)

    def commit(self) -> None:
        """Make all changes so far visible, at once and for good."""
        self._take_held()
        with writing_to(self._folder):
            segments = self._segments()
            changed = [self._with_deletions(segment) for segment in segments]
            new = self._new_segment()
            self._publish([*changed, *new])

    def _segments(self) -> list[Segment]:
        return [Segment(self._folder / of.name, of) for of in self._meta.segments]

    def _with_deletions(self, segment: Segment) -> SegmentMeta:
        """The segment without documents that were deleted or replaced."""
        found = segment.numbers(chain(self._deleted, *self._new_ids))
        found = found[found >= 0]
        if not len(found):
            return segment.meta
        deleted = np.zeros(segment.meta.documents, np.uint8)
        if segment.deleted is not None:
            deleted |= segment.deleted
        deleted[found] = 1
        return write_deletions(segment, deleted)

    def _new_segment(self) -> list[SegmentMeta]:
        """The documents gathered since the last commit as a segment, if there are any."""
        if not self._ids.documents:
            return []
        self._end_run(self._ids.documents)
        ids, gone = self._ids.finished()
        lengths = np.concatenate(self._lengths, axis=1)
        source = Source(
            self._fields,
            ids,
            lengths,
            self._runs,
            self._tokens.finished(),
            averages(self._fields, self._meta, lengths[:, gone == 0]),
        )
        return [self._written(source, gone)]

    def _written(self, source: Source, gone: Array) -> SegmentMeta:
        """A segment written beside the others, under its name, but not yet part of the index."""
        name = f"{SEGMENT}{self._meta.next_segment:06d}"
        folder = self._folder / f"{UNFINISHED}{name}"
        remove(folder)
        folder.mkdir()
        meta = write_segment(folder, name, source, self._layout)
        if gone.any():
            meta = write_deletions(Segment(folder, meta), gone)
        final = self._folder / name
        remove(final)
        folder.rename(final)
        sync_folder(self._folder)
        return meta

    def _publish(self, segments: Sequence[SegmentMeta]) -> None:
        kept = [segment for segment in segments if segment.deleted < segment.documents]
        meta = replace(self._meta, segments=tuple(kept), next_segment=self._meta.next_segment + 1)
        opened = [Segment(self._folder / of.name, of) for of in kept]
        counted = totals(meta, opened)
        live = sum(segment.live for segment in opened)
        self._meta = replace(meta, totals=counted, documents=live)
        write_meta(self._folder, self._meta)
        remove_unnamed(self._folder, self._meta)
        self._begin()

    @property
    def segments(self) -> int:
        """How many segments the index has since the last commit."""
        return len(self._meta.segments)

    def merge(self) -> None:
        """Commit, then make all segments one, without deleted documents and with new codes."""
        self.commit()
        segments = self._segments()
        if len(segments) < 2 and not any(segment.meta.deleted for segment in segments):
            return
        with writing_to(self._folder):
            source = merge_segments(segments, self._meta, self._layout, self._work)
            new = self._written(source, np.zeros(len(source.ids), np.uint8))
            self._publish([new])


_PART = 4096
"""How many documents are counted before memory is looked at again."""


def _ours(name: str) -> bool:
    return name.startswith((SEGMENT, UNFINISHED, META)) or name.endswith(".lock")


def _named(fields: Sequence[Field]) -> str:
    return ", ".join(str(field) for field in fields)
