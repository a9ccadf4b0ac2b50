"""Entries of a .7z archive as streams, decompressed as they are read and never written to disk.

An archive is usually one compressed stream: whatever precedes an entry is decompressed and
discarded first.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from py7zr import SevenZipFile
from py7zr.exceptions import PasswordRequired
from py7zr.io import Py7zIO, WriterFactory

from porism.errors import FormatError, error_summary
from porism.formats.byte_streams import Consumed, chunk_stream

CHUNKS_AHEAD = 2
"""Chunks that may wait to be read. A chunk is what 1 MB of archive unpacks to, at most 128 MB."""

_POLL_SECONDS = 0.25


class _Abandoned(Exception):
    """Nobody reads any more."""


class _ChunkQueue:
    """Chunks on their way from the thread that unpacks to the one that reads."""

    def __init__(self) -> None:
        self._chunks: queue.Queue[bytes | Exception] = queue.Queue(CHUNKS_AHEAD)
        self._abandoned = threading.Event()

    def put(self, chunk: bytes | Exception) -> None:
        """Append a chunk or an error when there is room; b"" is the end."""
        while not self._abandoned.is_set():
            try:
                return self._chunks.put(chunk, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
        raise _Abandoned

    def take(self) -> bytes | Exception | None:
        """The next chunk; None if none arrived for a while."""
        try:
            return self._chunks.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return None

    def abandon(self) -> None:
        """Make the thread that unpacks stop at its next chunk."""
        self._abandoned.set()


class _EntryWriter(Py7zIO):
    """Where py7zr writes an entry; it requires the other methods without using them."""

    def __init__(self, chunks: _ChunkQueue) -> None:
        self._chunks = chunks
        self._size = 0

    def write(self, s: bytes | bytearray) -> int:
        self._chunks.put(bytes(s))
        self._size += len(s)
        return len(s)

    def read(self, size: int | None = None) -> bytes:
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:
        return 0

    def flush(self) -> None:
        pass

    def size(self) -> int:
        return self._size


class _EntryWriters(WriterFactory):
    def __init__(self, chunks: _ChunkQueue) -> None:
        self._chunks = chunks

    def create(self, filename: str) -> Py7zIO:
        return _EntryWriter(self._chunks)


def archive_entries(path: Path) -> tuple[str, ...]:
    """The names of the files in the archive, in its order."""
    try:
        with path.open("rb") as file, SevenZipFile(file) as archive:
            return tuple(entry.filename for entry in archive.list() if entry.is_file)
    except Exception as error:
        raise _unreadable(path, "", error) from error


@contextmanager
def open_entry(path: Path, entry: str, consumed: Consumed | None = None) -> Iterator[BinaryIO]:
    """The bytes of one entry, which a thread unpacks a few chunks ahead of what is read.

    The thread ends with the block, read to the end or not. A truncated, damaged or encrypted
    archive raises a FormatError while it is read, with line 0 (see ``byte_streams.with_line``).
    """
    chunks = _ChunkQueue()
    with path.open("rb") as file:
        thread = threading.Thread(target=_unpack, args=(file, entry, chunks), daemon=True)

        def pull() -> bytes:
            while True:
                chunk = chunks.take()
                if consumed is not None:
                    consumed(file.tell())
                if isinstance(chunk, Exception):
                    raise _unreadable(path, entry, chunk) from chunk
                if chunk is not None:
                    return chunk

        thread.start()
        try:
            with chunk_stream(pull) as stream:
                yield stream
        finally:
            chunks.abandon()
            file.close()  # stops the thread if it has not reached the entry yet
            thread.join()


def _unpack(file: BinaryIO, entry: str, chunks: _ChunkQueue) -> None:
    try:
        try:
            # With a path instead of an open file, py7zr would start threads of its own.
            with SevenZipFile(file) as archive:
                archive.extract(targets=[entry], factory=_EntryWriters(chunks))
        except _Abandoned:
            raise
        except Exception as error:  # raised in the thread that reads the entry
            chunks.put(error)
        else:
            chunks.put(b"")
    except _Abandoned:
        return


def _unreadable(path: Path, entry: str, error: Exception) -> Exception:
    """The exception to raise for an error of py7zr, which a damaged archive can break anywhere."""
    if isinstance(error, OSError | MemoryError) and not isinstance(error, EOFError):
        return error
    place = f"{path}/{entry}" if entry else str(path)
    if isinstance(error, PasswordRequired):
        return FormatError(place, 0, "the archive is encrypted; unpack it with its password first")
    return FormatError(place, 0, f"not a complete .7z archive ({error_summary(error)}); replace it")
