"""How an index lies on disk: a ``meta.json``, and a folder of plain arrays for each segment.

What ``meta.json`` does not name does not exist. A segment never changes; of documents deleted from
it, a numbered file beside its arrays keeps account.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from porism.errors import PorismError
from porism.index.documents import Field

FORMAT = 1
"""Renewed whenever an index of before would be read wrongly; such an index is refused."""

META = "meta.json"
LOCK = "writer.lock"
SEGMENT = "segment-"
UNFINISHED = "unfinished-"


class IndexFormatError(PorismError):
    """A folder that is not an index this version of Porism can read."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the postings of a term stand, by the number of documents that have it.

    The defaults were measured on 1.4 million documents of 539 terms each: a block's
    scores stay in the second-level cache and its documents have 2-byte numbers; a scattered
    addition takes as long as some 20 neighbouring ones, and a list three bytes a document.
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
    # Lists of a block, one after another in the order of terms; starts are counted in the block.
    "block_starts": "<i8",
    "list_starts": "<u4",
    "list_documents": "<u2",
    "list_codes": "|u1",
    # Columns of a block: a code for each document, 0 if it has not the term.
    "columns": "|u1",
    # Terms in at most ``rare`` documents: one list for the segment.
    "rare_keys": "<u8",
    "rare_starts": "<u4",
    "rare_documents": "<u4",
    "rare_codes": "|u1",
    # Counts that do not come back from their code: place of the posting, and count.
    "list_exception_starts": "<i8",
    "list_exception_places": "<u4",
    "list_exception_counts": "<u4",
    "column_exception_starts": "<i8",
    "column_exception_places": "<u4",
    "column_exception_counts": "<u4",
    "rare_exception_places": "<u4",
    "rare_exception_counts": "<u4",
    # The strings behind keys.
    "token_keys": "<u8",
    "token_starts": "<i8",
    "token_text": "|u1",
}
"""The arrays of a segment with their types; each is one file."""


@dataclass(frozen=True, slots=True)
class SegmentField:
    """Of one field of a segment: where its terms stand, and the average its codes were made for."""

    common: tuple[int, int]
    rare: tuple[int, int]
    average: float


@dataclass(frozen=True, slots=True)
class SegmentMeta:
    """A segment as ``meta.json`` knows it; ``deletions`` numbers its file of deleted documents."""

    name: str
    documents: int
    layout: Layout
    columns: int
    fields: tuple[SegmentField, ...]
    digest: str
    deletions: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class FieldTotals:
    """Of one field over all live documents; ``terms`` counts those of deleted ones till a merge."""

    documents: int
    tokens: int
    terms: int
    average: float


@dataclass(frozen=True, slots=True)
class Meta:
    """All that is known of an index: a commit replaces it as a whole."""

    fields: tuple[Field, ...]
    about: Mapping[str, Any] = field(default_factory=dict)  # whatever JSON its maker put there
    segments: tuple[SegmentMeta, ...] = ()
    totals: tuple[FieldTotals, ...] = ()
    documents: int = 0
    next_segment: int = 1

    def text(self) -> str:
        """As ``meta.json`` has it."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"


def read_meta(folder: Path) -> Meta:
    """The state of the index in ``folder``; IndexFormatError if there is none to be read."""
    try:
        text = (folder / META).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise IndexFormatError(
            f"{folder} is not an index: it has no {META}; make one with porism index"
        ) from None
    except OSError as error:
        raise PorismError(f"cannot read the index {folder}: {error.strerror}") from error
    return _meta(text, folder)


def _meta(text: str, folder: Path) -> Meta:
    try:
        values = json.loads(text)
        version = values.pop("format")
    except (ValueError, KeyError, AttributeError, TypeError):
        raise IndexFormatError(
            f"{folder / META} is damaged or belongs to something else; index again"
        ) from None
    if version != FORMAT:
        raise IndexFormatError(
            f"the index {folder} has format {version!r}, and this version of Porism reads format "
            f"{FORMAT}; index again"
        )
    try:
        segments = tuple(_segment_meta(segment) for segment in values.pop("segments"))
        fields = tuple(Field(**entry) for entry in values.pop("fields"))
        totals = tuple(FieldTotals(**entry) for entry in values.pop("totals"))
        return Meta(fields=fields, segments=segments, totals=totals, **values)
    except (KeyError, TypeError, AttributeError):
        raise IndexFormatError(f"{folder / META} is damaged; index again") from None


def _segment_meta(values: dict[str, Any]) -> SegmentMeta:  # JSON: checked by the constructors
    fields = tuple(
        SegmentField(tuple(entry["common"]), tuple(entry["rare"]), entry["average"])
        for entry in values.pop("fields")
    )
    return SegmentMeta(layout=Layout(**values.pop("layout")), fields=fields, **values)
