"""Numbers by name: what was written last is what is read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.index import IndexFormatError
from porism.index.array_file import StoredFile
from porism.indexing import forward
from porism.indexing.forward import ForwardStore, ForwardWriter, Rows, distinct, keys_of, starts_of

Written = list[dict[str, list[int]]]


def rows(values: list[list[int]]) -> Rows:
    flat = [number for value in values for number in value]
    lengths = np.array([len(value) for value in values], np.int64)
    return Rows(np.array(flat, np.uint64), starts_of(lengths))


def listed(found: Rows) -> list[list[int]]:
    return [piece.tolist() for piece in np.split(found.numbers, found.starts[1:-1])]


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
def test_the_newest_part_counts(tmp_path_factory: pytest.TempPathFactory, parts: Written) -> None:
    folder = tmp_path_factory.mktemp("store")
    expected: dict[str, list[int]] = {}
    files: tuple[StoredFile, ...] = ()
    for part in parts:
        writer = ForwardWriter(folder, files)
        writer.add(keys_of(part), rows(list(part.values())))
        writer.flush()
        files = writer.files
        expected |= part
    merged = ForwardWriter(folder, files)
    merged.merge_recent()
    asked = [*"hgfedcba", "unknown"]
    for parts_read in (files, merged.files):
        assert listed(ForwardStore(folder, parts_read).rows(keys_of(asked))) == [
            expected.get(name, []) for name in asked
        ]


def test_much_is_written_in_several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "MAX_HELD", 10)
    writer = ForwardWriter(tmp_path)
    for name in "abcdef":
        writer.add(keys_of([name]), rows([[ord(name)] * 5]))
    writer.flush()
    assert len(writer.files) > 1
    store = ForwardStore(tmp_path, writer.files)
    assert listed(store.rows(keys_of("fa"))) == [[ord("f")] * 5, [ord("a")] * 5]


def test_the_number_of_parts_grows_with_the_logarithm_of_updates(tmp_path: Path) -> None:
    files: tuple[StoredFile, ...] = ()
    for number in range(64):
        writer = ForwardWriter(tmp_path, files)
        writer.add(keys_of([str(number)]), rows([[number]]))
        writer.flush()
        writer.merge_recent()
        files = writer.files
        assert len(files) <= 7
    names = [str(number) for number in range(64)]
    expected = [[number] for number in range(64)]
    assert listed(ForwardStore(tmp_path, files).rows(keys_of(names))) == expected


def test_a_damaged_part_is_refused_before_it_is_merged(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    for name in "ab":
        writer.add(keys_of([name]), rows([[ord(name)]]))
        writer.flush()
    path = tmp_path / writer.files[0].name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexFormatError, match="the checksum of numbers does not match"):
        writer.merge_recent()


def test_a_row_outside_the_numbers_is_refused(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    writer.add(keys_of("a"), rows([[1]]))
    writer.flush()
    (file,) = writer.files
    starts = file.arrays[1]
    path = tmp_path / file.name
    content = bytearray(path.read_bytes())
    content[starts.offset + starts.size - 1] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexFormatError, match="a row is outside the numbers"):
        ForwardStore(tmp_path, writer.files).rows(keys_of("a"))


def test_an_empty_store_has_no_numbers(tmp_path: Path) -> None:
    assert listed(ForwardStore(tmp_path, ()).rows(keys_of("ab"))) == [[], []]


def test_distinct_rows_have_each_number_once() -> None:
    assert listed(distinct(rows([[3, 1, 3], [], [1, 1], [2]]))) == [[1, 3], [], [1], [2]]
