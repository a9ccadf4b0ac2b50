"""The layout of an index on disk: a ``meta.json``, and one file of arrays for each segment.

Files that ``meta.json`` does not name are ignored. A segment never changes; a numbered file beside
it lists its deleted documents. An index that is part of a larger whole has no ``meta.json``: the
manifest of the whole has its content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from porism.errors import PorismError
from porism.inverted.documents import Field
from porism.storage.array_file import StoredFile, stored_file
from porism.storage.checked_json import check_json, json_with_checksum, parsed_json
from porism.storage.errors import IndexFormatError, damaged_file_error

FORMAT = 2
"""Raised whenever older indexes would be read wrongly; they are then refused."""

META = "meta.json"
LOCK = "writer.lock"
SEGMENT = "segment-"
DELETIONS = ".deletions-"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the postings of a term are stored, by the number of documents that have it.

    The defaults were measured on 1.4 million documents of 539 terms each: a block's scores stay in
    the second-level cache and its documents have 2-byte numbers; a scattered addition takes as long
    as about 20 adjacent ones, and a list takes three bytes a document.
    """

    block: int = 65_536
    rare: int = 64
    column_share: float = 0.12

    def __post_init__(self) -> None:
        if not (64 <= self.block <= 65_536 and self.block % 64 == 0):
            raise PorismError(f"a block has 64, 128, ... 65536 documents, not {self.block}")


ARRAYS: Mapping[str, str] = {
    # Documents: lengths by field, ids in UTF-8, and the order of ids as strings.
    "lengths": "<u4",
    "id_text": "|u1",
    "id_starts": "<i8",
    "id_order": "<u4",
    "id_rank": "<u4",
    # Terms in more than ``rare`` documents: their keys, ascending in each field; how many documents
    # have them; their column, or -1 if they have lists.
    "common_keys": "<u8",
    "common_documents": "<u4",
    "common_columns": "<i4",
    # Lists of a block in the order of terms; starts are relative to the block.
    "block_starts": "<i8",
    "list_starts": "<u4",
    "list_documents": "<u2",
    "list_codes": "|u1",
    # Columns of a block: a code for each document, 0 if it does not have the term.
    "columns": "|u1",
    # Terms in at most ``rare`` documents: one list for the segment.
    "rare_keys": "<u8",
    "rare_starts": "<u4",
    "rare_documents": "<u4",
    "rare_codes": "|u1",
    # Counts that their codes do not recover: place of the posting, and count.
    "list_exception_starts": "<i8",
    "list_exception_places": "<u4",
    "list_exception_counts": "<u4",
    "column_exception_starts": "<i8",
    "column_exception_places": "<u4",
    "column_exception_counts": "<u4",
    "rare_exception_places": "<u4",
    "rare_exception_counts": "<u4",
    # The strings of keys.
    "token_keys": "<u8",
    "token_starts": "<i8",
    "token_text": "|u1",
}
"""The arrays of a segment with their types."""

DELETION_ARRAYS: Mapping[str, str] = {
    # A byte for each document, and for each common term how many of its documents are deleted.
    "deleted": "|u1",
    "dropped": "<u4",
}
"""The arrays of the deleted documents of a segment."""


@dataclass(frozen=True, slots=True)
class SegmentField:
    """One field of a segment: the ranges of its terms, and the average length for its codes."""

    common: tuple[int, int]
    rare: tuple[int, int]
    average: float


@dataclass(frozen=True, slots=True)
class SegmentMeta:
    """A segment as ``meta.json`` describes it.

    ``deletions`` counts the files of deleted documents so far; the last is in force.
    """

    name: str
    documents: int
    layout: Layout
    columns: int
    fields: tuple[SegmentField, ...]
    digest: str
    file: StoredFile
    deletions: int = 0
    deleted: int = 0
    deletions_file: StoredFile | None = None

    @property
    def files(self) -> tuple[StoredFile, ...]:
        """The files in force."""
        return (self.file,) if self.deletions_file is None else (self.file, self.deletions_file)


@dataclass(frozen=True, slots=True)
class FieldTotals:
    """One field over all live documents; ``terms`` includes deleted ones until a merge."""

    documents: int
    tokens: int
    terms: int
    average: float


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """The state of an index: a commit replaces it as a whole."""

    fields: tuple[Field, ...]
    about: Mapping[str, Any] = field(default_factory=dict)  # any JSON of its maker
    segments: tuple[SegmentMeta, ...] = ()
    totals: tuple[FieldTotals, ...] = ()
    documents: int = 0
    next_segment: int = 1

    @property
    def files(self) -> tuple[StoredFile, ...]:
        """All files of the index."""
        return tuple(file for segment in self.segments for file in segment.files)

    def record(self) -> dict[str, object]:
        """Return the state as JSON values."""
        return {"format": FORMAT, **asdict(self)}

    def text(self) -> bytes:
        """Return the content of ``meta.json``."""
        return json_with_checksum(self.record())


def read_meta(folder: Path) -> IndexMeta:
    """Read the state of the index in ``folder``; IndexFormatError if there is none."""
    path = folder / META
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise IndexFormatError(
            f"{folder} is not an index: it has no {META}; make one with porism index"
        ) from None
    except OSError as error:
        raise PorismError(f"cannot read the index {folder}: {error.strerror}") from error
    values = parsed_json(text, path)
    values.pop("checksum", None)
    check_format(values, path)
    check_json(text, path)
    return parsed_meta(values, path)


def check_format(values: Mapping[str, Any], path: Path) -> None:
    """Raise an IndexFormatError if the values were written in another format."""
    version = values.get("format")
    if version is None:
        raise damaged_file_error(path, "it states no format")
    if version != FORMAT:
        raise IndexFormatError(
            f"the index {path.parent} has format {version!r}, and this version of Porism reads "
            f"format {FORMAT}; index again"
        )


def parsed_meta(record: Mapping[str, Any], path: Path) -> IndexMeta:
    """Return the state that was stored as JSON in ``path``."""
    check_format(record, path)
    try:
        values = {name: value for name, value in record.items() if name != "format"}
        segments = tuple(_segment_meta(segment) for segment in values.pop("segments"))
        fields = tuple(Field(**entry) for entry in values.pop("fields"))
        totals = tuple(FieldTotals(**entry) for entry in values.pop("totals"))
        meta = IndexMeta(fields=fields, segments=segments, totals=totals, **values)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise damaged_file_error(path, "it does not describe an index") from None
    if any(len(segment.fields) != len(fields) for segment in segments) or len(totals) != len(
        fields
    ):
        raise damaged_file_error(path, "the numbers of its fields differ")
    return meta


def _segment_meta(record: Mapping[str, Any]) -> SegmentMeta:  # JSON: checked by the constructors
    values = dict(record)
    fields = tuple(
        SegmentField(tuple(entry["common"]), tuple(entry["rare"]), entry["average"])
        for entry in values.pop("fields")
    )
    deletions = values.pop("deletions_file")
    return SegmentMeta(
        layout=Layout(**values.pop("layout")),
        fields=fields,
        file=stored_file(values.pop("file")),
        deletions_file=None if deletions is None else stored_file(deletions),
        **values,
    )
