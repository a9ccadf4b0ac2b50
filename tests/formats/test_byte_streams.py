"""Files as byte streams."""

import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import (
    BUFFER,
    chunk_stream,
    open_bytes,
    replaced_file,
    with_line,
    write_new_folder,
)


def test_plain_and_gzip_files_give_the_same_bytes(tmp_path: Path) -> None:
    text = b"one\ntwo\n" * 100_000
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "packed").write_bytes(gzip.compress(text))
    for name in ("plain", "packed"):
        with open_bytes(tmp_path / name) as stream:
            assert stream.read() == text


def test_consecutive_gzip_members_are_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "two.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    with open_bytes(path) as stream:
        assert stream.readlines() == [b"one\n", b"two\n"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_consumed_counts_bytes_of_the_file_on_disk(tmp_path: Path, pack: type[bytes]) -> None:
    path = tmp_path / "file"
    path.write_bytes(pack(b"line\n" * BUFFER))
    consumed: list[int] = []
    with open_bytes(path, consumed.append) as stream:
        while stream.read(BUFFER):
            pass
    assert len(consumed) > 3
    assert consumed == sorted(consumed)
    assert consumed[-1] == path.stat().st_size


@pytest.mark.parametrize("cut", [1, 9, 40])
def test_truncated_gzip_is_reported(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(bytes(range(256)))[:-cut])
    with (
        pytest.raises(FormatError, match="gzip file is truncated or damaged") as caught,
        open_bytes(path) as stream,
    ):
        stream.read()
    assert caught.value.path == str(path)


def test_damaged_gzip_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "damaged.gz"
    packed = bytearray(gzip.compress(bytes(range(256)) * 10))
    packed[-5] ^= 0xFF  # in the checksum
    path.write_bytes(packed)
    with pytest.raises(FormatError, match="damaged"), open_bytes(path) as stream:
        stream.read()


def test_stream_stays_at_its_end() -> None:
    chunks = iter([b"ab", b"c", b"", b"never"])
    with chunk_stream(lambda: next(chunks)) as stream:
        assert [stream.read(), stream.read(), stream.read(1)] == [b"abc", b"", b""]


def test_line_is_added_to_an_error_without_one() -> None:
    assert with_line(FormatError("f", 0, "why"), 7).line == 7
    assert with_line(FormatError("f", 3, "why"), 7).line == 3


def test_gzip_output_is_reproducible_and_reads_back(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with replaced_file(tmp_path / name) as stream:
            stream.write(b"text\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text\n"


@pytest.mark.parametrize("name", ["file", "file.gz"])
def test_failed_write_leaves_only_the_old_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), replaced_file(path) as stream:
        stream.write(bytes(1 // 0))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_full_disk_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    with pytest.raises(OSError, match=r"No room: .*file\.txt"), replaced_file(path):
        raise OSError(errno.ENOSPC, "No room")
    with pytest.raises(OSError, match=r"^.Errno 5. Broken$"), replaced_file(path):
        raise OSError(errno.EIO, "Broken")  # of something else, which it would be wrong to name
    assert list(tmp_path.iterdir()) == []


def test_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """Nor is a device: as root, replacing /dev/null would break the system."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with replaced_file(path) as out:
        out.write(b"text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_new_folder_is_complete_or_absent(tmp_path: Path) -> None:
    folder = tmp_path / "new"

    def failing(partial: Path) -> None:
        (partial / "file").write_bytes(bytes(1 // 0))

    with pytest.raises(ZeroDivisionError):
        write_new_folder(folder, failing)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(PorismError, match="there is no folder"):
        write_new_folder(folder / "within", lambda partial: None)
    assert write_new_folder(folder, lambda partial: None)
    assert not write_new_folder(folder, lambda partial: None)
    assert list(tmp_path.iterdir()) == [folder]


def test_concurrent_writers_of_one_folder_do_not_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new"

    def quick(partial: Path) -> None:
        (partial / "quick").touch()

    def slow(partial: Path) -> None:
        (partial / "slow").touch()
        with monkeypatch.context() as other_process:
            other_process.setattr("os.getpid", lambda: 0)
            assert write_new_folder(folder, quick)
        assert [path.name for path in partial.iterdir()] == ["slow"]

    assert not write_new_folder(folder, slow)
    assert [path.name for path in folder.iterdir()] == ["quick"]
    assert list(tmp_path.iterdir()) == [folder]


KILLED = """
import os, signal, sys
from pathlib import Path
from porism.formats.byte_streams import write_new_folder

def write(partial):
    (partial / "file").touch()
    print(partial.name, flush=True)
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)

write_new_folder(Path(sys.argv[1]), write)
"""


def test_next_process_removes_leftovers_of_a_killed_one(tmp_path: Path) -> None:
    """And nothing of one that is still running."""
    folder, other = tmp_path / "new", tmp_path / ".new.x.partial"
    other.mkdir()  # of somebody else, by its name
    command = [sys.executable, "-c", KILLED, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        left = tmp_path / process.stdout.readline().strip()
        assert write_new_folder(folder, lambda partial: None)
        assert left.is_dir()
        process.communicate("\n")
    assert left.is_dir()
    folder.rmdir()
    assert write_new_folder(folder, lambda partial: None)
    assert sorted(tmp_path.iterdir()) == [other, folder]
