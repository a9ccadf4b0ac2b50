"""Headers of GGUF files: what is read, and which files are refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.generation.generator import GenerationError
from porism.generation.gguf_header import GGUFHeader, read_gguf_header
from tests.generation.gguf_files import METADATA, gguf_bytes, write_gguf


def test_the_metadata_is_read(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")
    assert read_gguf_header(path) == GGUFHeader("llama", "Tiny", 128)


def test_metadata_may_be_missing_or_of_another_type(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", gguf_bytes({"general.name": 7}))
    assert read_gguf_header(path) == GGUFHeader(None, None, None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a GGUF file"),
        (b"PK\x03\x04 a zip", "not a GGUF file .*convert_hf_to_gguf"),
        (b"GGUF", "truncated"),
        (b"GGUF\x01\0\0\0", "version 1 of the format"),
        (b"GGUF\x63\0\0\0", "version 99 of the format"),
        (b"GGUF\0\0\0\x03", "big-endian"),
        (gguf_bytes()[:40], "truncated"),
        (gguf_bytes(offset=10**6), "truncated"),
        (gguf_bytes({**METADATA, "split.count": 3}), "one of 3 parts of a model.*--merge"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = write_gguf(tmp_path / "bad.gguf", data)
    with pytest.raises(GenerationError, match=message) as caught:
        read_gguf_header(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match="cannot be read"):
        read_gguf_header(tmp_path / "none.gguf")


@given(st.data())
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(gguf_bytes())
    place = data.draw(st.integers(8, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(8, len(content)))
    path = write_gguf(tmp_path_factory.mktemp("damaged") / "x.gguf", bytes(content[:end]))
    with suppress(GenerationError):
        read_gguf_header(path)
