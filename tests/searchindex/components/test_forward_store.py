"""Rows of numbers by key: the last one written is read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.inverted import IndexFormatError
from porism.searchindex.components import forward_store
from porism.searchindex.components.forward_store import (
    ForwardStore,
    ForwardWriter,
    NumberRows,
    distinct_numbers,
    doc_keys,
    row_starts,
)
from porism.storage.array_file import StoredFile

Written = list[dict[str, list[int]]]


def rows(values: list[list[int]]) -> NumberRows:
    flat = [number for value in values for number in value]
    lengths = np.array([len(value) for value in values], np.int64)
    return NumberRows(np.array(flat, np.uint64), row_starts(lengths))


def listed(stored: NumberRows) -> list[list[int]]:
    return [piece.tolist() for piece in np.split(stored.numbers, stored.starts[1:-1])]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdefgh"),
            st.lists(st.integers(0, 2**64 - 1), max_size=4),
            max_size=6,
        ),
        max_size=4,
    )
)
def test_the_newest_part_has_priority(
    tmp_path_factory: pytest.TempPathFactory, parts: Written
) -> None:
    folder = tmp_path_factory.mktemp("store")
    expected: dict[str, list[int]] = {}
    files: tuple[StoredFile, ...] = ()
    for part in parts:
        writer = ForwardWriter(folder, files)
        writer.add(doc_keys(part), rows(list(part.values())))
        writer.flush()
        files = writer.files
        expected |= part
    merged = ForwardWriter(folder, files)
    merged.merge_recent()
    names = [*"hgfedcba", "unknown"]
    for parts_read in (files, merged.files):
        assert listed(ForwardStore(folder, parts_read).rows(doc_keys(names))) == [
            expected.get(name, []) for name in names
        ]


def test_a_large_store_has_several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward_store, "MAX_HELD", 10)
    writer = ForwardWriter(tmp_path)
    for name in "abcdef":
        writer.add(doc_keys([name]), rows([[ord(name)] * 5]))
    writer.flush()
    assert len(writer.files) > 1
    store = ForwardStore(tmp_path, writer.files)
    assert listed(store.rows(doc_keys("fa"))) == [[ord("f")] * 5, [ord("a")] * 5]


def test_the_number_of_parts_grows_with_the_logarithm_of_updates(tmp_path: Path) -> None:
    files: tuple[StoredFile, ...] = ()
    for number in range(64):
        writer = ForwardWriter(tmp_path, files)
        writer.add(doc_keys([str(number)]), rows([[number]]))
        writer.flush()
        writer.merge_recent()
        files = writer.files
        assert len(files) <= 7
    names = [str(number) for number in range(64)]
    expected = [[number] for number in range(64)]
    assert listed(ForwardStore(tmp_path, files).rows(doc_keys(names))) == expected


def test_a_damaged_part_is_refused_before_it_is_merged(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    for name in "ab":
        writer.add(doc_keys([name]), rows([[ord(name)]]))
        writer.flush()
    path = tmp_path / writer.files[0].name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexFormatError, match="the checksum of numbers does not match"):
        writer.merge_recent()


def test_a_row_outside_the_numbers_is_refused(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    writer.add(doc_keys("a"), rows([[1]]))
    writer.flush()
    (file,) = writer.files
    starts = file.arrays[1]
    path = tmp_path / file.name
    content = bytearray(path.read_bytes())
    content[starts.offset + starts.size - 1] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexFormatError, match="a row is outside the numbers"):
        ForwardStore(tmp_path, writer.files).rows(doc_keys("a"))


def test_an_empty_store_has_no_numbers(tmp_path: Path) -> None:
    assert listed(ForwardStore(tmp_path, ()).rows(doc_keys("ab"))) == [[], []]


def test_distinct_rows_have_each_number_once() -> None:
    assert listed(distinct_numbers(rows([[3, 1, 3], [], [1, 1], [2]]))) == [[1, 3], [], [1], [2]]
