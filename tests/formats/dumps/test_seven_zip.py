"""Entries of .7z archives as streams."""

import random
import threading
from pathlib import Path

import pytest
from py7zr import FILTER_COPY, FILTER_LZMA, FILTER_LZMA2, SevenZipFile

from porism.errors import FormatError
from porism.formats.dumps.seven_zip import archive_entries, open_entry

NOISE = random.Random(1).randbytes(5 << 20)
"""Some megabytes that do not compress; stored uncompressed where only size matters."""


def archive(path: Path, content: dict[str, bytes], method: int = FILTER_COPY) -> Path:
    level = {} if method == FILTER_COPY else {"preset": 0}
    with SevenZipFile(path, "w", filters=[{"id": method, **level}]) as packed:
        for name, data in content.items():
            packed.writestr(data, name)
    return path


@pytest.mark.parametrize("method", [FILTER_LZMA2, FILTER_LZMA, FILTER_COPY])
def test_entries_are_unpacked_unchanged(tmp_path: Path, method: int) -> None:
    noise = NOISE if method == FILTER_COPY else NOISE[: 1 << 17]
    content = {"a.xml": b"<a/>\n", "in/b.xml": noise, "empty": b"", "c.xml": b"<c/>\n"}
    path = archive(tmp_path / "x.7z", content, method)
    assert archive_entries(path) == tuple(content)
    for name, data in content.items():
        with open_entry(path, name) as stream:
            assert stream.read() == data


def test_entries_of_an_appended_archive_are_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.7z", {"a": b"one"})
    with SevenZipFile(path, "a") as packed:  # a second compressed stream in the file
        packed.writestr(b"two", "b")
    for name, data in (("a", b"one"), ("b", b"two")):
        with open_entry(path, name) as stream:
            assert stream.read() == data


def test_consumed_counts_bytes_of_the_archive(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.7z", {"a": NOISE})
    consumed: list[int] = []
    with open_entry(path, "a", consumed.append) as stream:
        assert len(stream.read()) == len(NOISE)
    assert consumed == sorted(consumed)
    assert len(NOISE) < consumed[-1] <= path.stat().st_size


@pytest.mark.parametrize("name", ["first", "last"])
def test_thread_ends_when_reading_stops_early(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "x.7z", {"first": NOISE, "last": NOISE})
    before = threading.active_count()
    with open_entry(path, name) as stream:
        assert stream.read(10) == NOISE[:10]
        assert threading.active_count() >= before
    assert threading.active_count() == before


def test_thread_ends_when_the_reader_fails(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.7z", {"a": NOISE})
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), open_entry(path, "a"):
        raise ZeroDivisionError
    assert threading.active_count() == before


@pytest.mark.parametrize("keep", [0, 20, 1000, 3 << 20])
def test_truncated_archive_is_reported(tmp_path: Path, keep: int) -> None:
    path = archive(tmp_path / "x.7z", {"a": NOISE})
    path.write_bytes(path.read_bytes()[:keep])
    before = threading.active_count()
    with pytest.raises(FormatError, match="not a complete") as caught:
        archive_entries(path)
    assert caught.value.path == str(path)
    with pytest.raises(FormatError) as caught, open_entry(path, "a") as stream:
        stream.read()
    assert caught.value.path == f"{path}/a"
    assert threading.active_count() == before


@pytest.mark.parametrize("method", [FILTER_LZMA2, FILTER_COPY])
def test_damage_inside_is_reported(tmp_path: Path, method: int) -> None:
    path = archive(tmp_path / "x.7z", {"a": NOISE[: 1 << 17]}, method)
    data = bytearray(path.read_bytes())
    data[1 << 16] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a complete"), open_entry(path, "a") as file:
        file.read()


def test_encrypted_archive_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.7z"
    with SevenZipFile(path, "w", password="key") as packed:
        packed.writestr(b"secret", "a")
    with pytest.raises(FormatError, match="encrypted"), open_entry(path, "a") as stream:
        stream.read()


def test_missing_archive_raises_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        archive_entries(tmp_path / "none.7z")
