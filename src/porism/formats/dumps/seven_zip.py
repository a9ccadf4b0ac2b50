"""Entries of a .7z archive as streams, decompressed as they are read and never put on disk.

An archive is mostly one compressed stream: whatever stands before an entry is decompressed and
thrown away first.
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

from porism.errors import FormatError
from porism.formats.byte_streams import Consumed, chunk_stream

CHUNKS_AHEAD = 2
"""What may wait to be read. A chunk is what a megabyte of archive unpacks to, 128 MB at most."""

_TELL_SECONDS = 0.25


class _Abandoned(Exception):
    """Nobody reads any more."""


class _Flow:
    """Chunks on their way from the thread that unpacks to the one that reads."""

    def __init__(self) -> None:
        self._chunks: queue.Queue[bytes | Exception] = queue.Queue(CHUNKS_AHEAD)
        self._abandoned = threading.Event()

    def put(self, chunk: bytes | Exception) -> None:
        """Hand on a chunk, or what went wrong, when there is room; b"" is the end."""
        while not self._abandoned.is_set():
            try:
                return self._chunks.put(chunk, timeout=_TELL_SECONDS)
            except queue.Full:
                continue
        raise _Abandoned

    def take(self) -> bytes | Exception | None:
        """The next chunk; None if none came for a while."""
        try:
            return self._chunks.get(timeout=_TELL_SECONDS)
        except queue.Empty:
            return None

    def abandon(self) -> None:
        """Let the thread that unpacks end at its next chunk."""
        self._abandoned.set()


class _Inlet(Py7zIO):
    """Where py7zr writes an entry; it asks for the other methods and makes nothing of them."""

    def __init__(self, flow: _Flow) -> None:
        self._flow = flow
        self._size = 0

    def write(self, s: bytes | bytearray) -> int:
        self._flow.put(bytes(s))
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


class _Inlets(WriterFactory):
    def __init__(self, flow: _Flow) -> None:
        self._flow = flow

    def create(self, filename: str) -> Py7zIO:
        return _Inlet(self._flow)


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

    The thread ends with the block, read to the end or not. An archive that is cut off, damaged or
    encrypted is a FormatError while it is read, with line 0 (see ``byte_streams.at_line``).
    """
    flow = _Flow()
    with path.open("rb") as file:
        thread = threading.Thread(target=_unpack, args=(file, entry, flow), daemon=True)

        def pull() -> bytes:
            while True:
                chunk = flow.take()
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
            flow.abandon()
            file.close()  # ends an unpacking that has not come to the entry yet
            thread.join()


def _unpack(file: BinaryIO, entry: str, flow: _Flow) -> None:
    try:
        try:
            # An open file, not a path, lest py7zr starts threads of its own.
            with SevenZipFile(file) as archive:
                archive.extract(targets=[entry], factory=_Inlets(flow))
        except _Abandoned:
            raise
        except Exception as error:  # whatever it is, it is told where the entry is read
            flow.put(error)
        else:
            flow.put(b"")
    except _Abandoned:
        return


def _unreadable(path: Path, entry: str, error: Exception) -> Exception:
    """What to raise for an error of py7zr, which a damaged archive makes fail in many ways."""
    if isinstance(error, OSError | MemoryError) and not isinstance(error, EOFError):
        return error
    place = f"{path}/{entry}" if entry else str(path)
    if isinstance(error, PasswordRequired):
        return FormatError(place, 0, "the archive is encrypted; unpack it with its password first")
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return FormatError(place, 0, f"not a whole .7z archive ({told}); get it again")
