"""Cheap checks that the arrays of a segment fit together.

Lengths, first and last offsets, and values per block are checked when a segment is opened; compiled
loops rely on these. Offsets of single terms and documents are too many for that; readers clamp
them to their arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from porism.inverted.layout import ARRAYS, DELETION_ARRAYS, SegmentMeta
from porism.storage.array_file import Array
from porism.storage.errors import damaged_file_error


def check_arrays(arrays: Mapping[str, Array], meta: SegmentMeta, path: Path) -> None:
    """Raise an IndexFormatError unless the arrays have the lengths that a segment needs."""
    _check_types(arrays, ARRAYS, path)
    size = {name: len(array) for name, array in arrays.items()}
    documents, block = meta.documents, meta.layout.block
    blocks = -(-documents // block)
    terms, rare = size["common_keys"], size["rare_keys"]
    # Columns have room for a multiple of 64 documents, in the last block for as many as are left.
    places = (blocks - 1) * block + min(block, -(-(documents - (blocks - 1) * block) // 64) * 64)
    expected = {
        "lengths": len(meta.fields) * documents,
        "id_starts": documents + 1,
        "id_order": documents,
        "id_rank": documents,
        "common_documents": terms,
        "common_columns": terms,
        "block_starts": blocks + 1,
        "list_starts": blocks * (terms + 1),
        "list_codes": size["list_documents"],
        "columns": meta.columns * places,
        "rare_starts": rare + 1,
        "rare_codes": size["rare_documents"],
        "list_exception_starts": blocks + 1,
        "list_exception_counts": size["list_exception_places"],
        "column_exception_starts": blocks * max(1, meta.columns) + 1,
        "column_exception_counts": size["column_exception_places"],
        "rare_exception_counts": size["rare_exception_places"],
        "token_starts": size["token_keys"] + 1,
    }
    for name, length in expected.items():
        if size[name] != length:
            raise damaged_file_error(
                path, f"{name} has {size[name]:,} entries instead of {length:,}"
            )
    for starts, content in _OFFSETS.items():
        offsets = arrays[starts]
        if int(offsets[0]) != 0 or int(offsets[-1]) != size[content]:
            raise damaged_file_error(path, f"{starts} does not end with {content}")
    for starts in ("block_starts", "list_exception_starts"):
        if any(first > last for first, last in pairwise(arrays[starts].tolist())):
            raise damaged_file_error(path, f"{starts} does not ascend")
    _check_ranges([field.common for field in meta.fields], terms, path)
    _check_ranges([field.rare for field in meta.fields], rare, path)


_OFFSETS = {
    "id_starts": "id_text",
    "block_starts": "list_documents",
    "rare_starts": "rare_documents",
    "list_exception_starts": "list_exception_places",
    "column_exception_starts": "column_exception_places",
    "token_starts": "token_text",
}
"""Arrays of offsets, and what they are offsets into."""


def check_deletions(arrays: Mapping[str, Array], meta: SegmentMeta, terms: int, path: Path) -> None:
    """Raise an IndexFormatError unless the arrays of deleted documents fit their segment."""
    _check_types(arrays, DELETION_ARRAYS, path)
    if len(arrays["deleted"]) != meta.documents or len(arrays["dropped"]) != terms:
        raise damaged_file_error(path, "its deleted documents belong to another segment")


def _check_types(arrays: Mapping[str, Array], expected: Mapping[str, str], path: Path) -> None:
    types = {name: array.dtype.str for name, array in arrays.items()}
    if types != dict(expected):
        raise damaged_file_error(path, "it has other arrays than a segment")


def _check_ranges(ranges: list[tuple[int, int]], terms: int, path: Path) -> None:
    ends = [0, *(end for each in ranges for end in each), terms]
    if any(first > last for first, last in pairwise(ends)):
        raise damaged_file_error(path, "its fields have terms that are not there")
