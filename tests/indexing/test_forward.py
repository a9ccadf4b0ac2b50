"""Numbers by name: what was written last is what is read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    for part in parts:
        writer = ForwardWriter(folder)
        writer.add(keys_of(part), rows(list(part.values())))
        writer.flush()
        expected |= part
    asked = [*"hgfedcba", "unknown"]
    assert listed(ForwardStore(folder).rows(keys_of(asked))) == [
        expected.get(name, []) for name in asked
    ]


def test_much_is_written_in_several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "MAX_HELD", 10)
    writer = ForwardWriter(tmp_path)
    for name in "abcdef":
        writer.add(keys_of([name]), rows([[ord(name)] * 5]))
    writer.flush()
    assert len(list(tmp_path.iterdir())) > 1
    assert listed(ForwardStore(tmp_path).rows(keys_of("fa"))) == [[ord("f")] * 5, [ord("a")] * 5]


def test_an_empty_store_has_no_numbers(tmp_path: Path) -> None:
    assert listed(ForwardStore(tmp_path).rows(keys_of("ab"))) == [[], []]


def test_distinct_rows_have_each_number_once() -> None:
    assert listed(distinct(rows([[3, 1, 3], [], [1, 1], [2]]))) == [[1, 3], [], [1], [2]]
