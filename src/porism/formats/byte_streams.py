"""Files as byte streams: read plain or gzip; files and folders are written atomically.

Knows compression, but not what the bytes mean.
"""

from __future__ import annotations

import errno
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from porism.errors import FormatError, PorismError
from porism.formats.partial_outputs import partial_folder

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Consumed = Callable[[int], None]
"""Called now and then with the total number of bytes of the file on disk read so far."""

BUFFER = 1 << 18
"""Bytes that are read, and reported, at a time."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_LEVEL = 6  # as the gzip command; the module's default is 9, which is slower


class _ChunkReader(io.RawIOBase):
    """A stream of the chunks that ``pull`` returns, until it returns an empty one.

    A subclass, against our custom, because ``io.BufferedReader`` needs a raw stream.
    """

    def __init__(self, pull: Callable[[], bytes]) -> None:
        self._pull = pull
        self._chunk = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer)
        if not self._chunk and not self._ended:
            self._ended = True  # stays so if pulling fails: there is nothing to pull again
            self._chunk = memoryview(self._pull())
            self._ended = not self._chunk
        part = self._chunk[: len(target)]
        target[: len(part)] = part
        self._chunk = self._chunk[len(part) :]
        return len(part)


def chunk_stream(pull: Callable[[], bytes]) -> BinaryIO:
    """The chunks that ``pull`` returns, up to the first empty one, as a buffered stream."""
    return io.BufferedReader(_ChunkReader(pull), BUFFER)


@contextmanager
def open_bytes(path: Path, consumed: Consumed | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed if it is gzip by its first bytes.

    A truncated or damaged gzip file raises a FormatError while it is read. Its line is 0, because
    only the reader knows the line; ``with_line`` sets it.
    """
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == _GZIP_MAGIC
        source = gzip.GzipFile(fileobj=file, mode="rb") if packed else file

        def pull() -> bytes:
            try:
                chunk = source.read(BUFFER)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise FormatError(
                    str(path), 0, f"the gzip file is truncated or damaged ({error}); replace it"
                ) from error
            if consumed is not None:
                consumed(file.tell())
            return chunk

        with chunk_stream(pull) as stream:
            yield stream


def with_line(error: FormatError, line: int) -> FormatError:
    """The error with ``line``, if it has no line of its own."""
    return error if error.line else FormatError(error.path, line, error.why)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes replace the file if the block succeeds, and are discarded otherwise.

    Until then they are in a file beside it with the suffix ``.partial``. A name that ends in
    ``.gz`` is compressed, without time stamp or name, so that equal content gives equal files. A
    path that exists and is not a regular file, such as a pipe or a device, is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            if path.suffix == ".gz":
                with (
                    gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed,
                    io.BufferedWriter(packed, BUFFER) as stream,
                ):
                    yield stream
            else:
                yield file
        partial.replace(path)
    except OSError as error:
        if error.errno in _FULL and error.filename is None:  # write errors do not name the file
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        partial.unlink(missing_ok=True)


def write_new_folder(folder: Path, write: Callable[[Path], None]) -> bool:
    """Create a folder with what ``write`` writes, atomically; False if it already exists.

    Processes that create the same folder do not disturb each other: the first to finish wins.
    """
    if folder.exists():
        return False
    path = folder.absolute()
    if not path.parent.is_dir():
        raise PorismError(f"{folder}: there is no folder {path.parent} to write to")
    with partial_folder(path) as partial:
        write(partial)
        try:
            partial.rename(path)
        except OSError:
            if not path.exists():
                raise
            return False
    return True
