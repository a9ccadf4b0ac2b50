"""Encoding by several processes gives what one gives, in order and as it comes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from porism.embed import WindowSpec, encode_in_processes, open_encoder
from porism.errors import PorismError
from tests.embed.tiny_models import write_model

CHUNKS = [["a b", "c"], [], ["", "a b c d e f"], ["h"]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_are_encoded_in_order(tmp_path: Path, jobs: int) -> None:
    write_model(tmp_path, "bert")
    encoder = open_encoder(str(tmp_path))
    encoded = list(encode_in_processes(CHUNKS, str(tmp_path), jobs))
    for texts, result in zip(CHUNKS, encoded, strict=True):
        np.testing.assert_array_equal(result.vectors, encoder.encode(texts))
        assert result.counts.tolist() == [1] * len(texts)


def test_windows_are_counted_by_text(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    spec = WindowSpec(tokens=4, overlap=1)
    encoded = list(encode_in_processes(CHUNKS, str(tmp_path), 1, spec=spec))
    assert [each.counts.tolist() for each in encoded] == [[1, 1], [], [0, 2], [1]]
    expected = open_encoder(str(tmp_path)).encode(["a b c d", "c d e f"])
    np.testing.assert_array_equal(encoded[2].vectors, expected)


def test_results_come_before_the_stream_ends(tmp_path: Path) -> None:
    """So whoever stores them as they come has them when the process is interrupted."""
    write_model(tmp_path, "bert")

    def interrupted() -> Iterator[list[str]]:
        yield ["a"]
        raise KeyboardInterrupt

    results = encode_in_processes(interrupted(), str(tmp_path), 1)
    assert len(next(results).vectors) == 1
    with pytest.raises(KeyboardInterrupt):
        next(results)


def test_a_missing_model_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    def unread() -> Iterator[list[str]]:
        raise AssertionError
        yield []

    with pytest.raises(PorismError, match="there is no such model folder"):
        next(encode_in_processes(unread(), str(tmp_path / "absent"), 2))
