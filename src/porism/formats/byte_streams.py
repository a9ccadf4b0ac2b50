"""Files as streams of bytes: plain or gzip when read, written as a whole, and so are folders.

Knows compression and nothing of what the bytes say.
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
"""Told now and then how many bytes of the file on disk have been read so far, in total."""

BUFFER = 1 << 18
"""Bytes that are read, and told, at a time."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_LEVEL = 6  # as the gzip command has it; the module would take 9, which is slower


class _Pulled(io.RawIOBase):
    """A stream of the chunks that ``pull`` gives until it gives an empty one.

    Derived from a class, against our custom, because ``io.BufferedReader`` asks for a raw stream.
    """

    def __init__(self, pull: Callable[[], bytes]) -> None:
        self._pull = pull
        self._chunk = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer)
        if not self._chunk and not self._ended:
            self._ended = True  # and so it stays if pulling fails: there is nothing to pull again
            self._chunk = memoryview(self._pull())
            self._ended = not self._chunk
        part = self._chunk[: len(room)]
        room[: len(part)] = part
        self._chunk = self._chunk[len(part) :]
        return len(part)


def chunk_stream(pull: Callable[[], bytes]) -> BinaryIO:
    """The chunks that ``pull`` gives, up to the first empty one, as a stream with lines."""
    return io.BufferedReader(_Pulled(pull), BUFFER)


@contextmanager
def open_bytes(path: Path, consumed: Consumed | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file; of a gzip file, which its first bytes tell, what was compressed.

    A gzip file that is cut off or damaged is a FormatError while it is read. Its line is 0,
    because only the reader knows how far it is; ``with_line`` puts it right.
    """
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == _GZIP_MAGIC
        source = gzip.GzipFile(fileobj=file, mode="rb") if packed else file

        def pull() -> bytes:
            try:
                chunk = source.read(BUFFER)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise FormatError(
                    str(path), 0, f"the gzip file is cut off or damaged ({error}); get it again"
                ) from error
            if consumed is not None:
                consumed(file.tell())
            return chunk

        with chunk_stream(pull) as stream:
            yield stream


def with_line(error: FormatError, line: int) -> FormatError:
    """The same error, told for ``line`` if it did not know its own."""
    return error if error.line else FormatError(error.path, line, error.why)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file when the block ends well, and are gone otherwise.

    Until then they stand beside it under the name with ``.partial`` behind. A name that ends in
    ``.gz`` is compressed, without time stamp or name, so that equal content gives equal files.
    What is there and is no ordinary file, such as a pipe or a device, is written to and stays.
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
        if error.errno in _FULL and error.filename is None:  # which writing does not tell
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        partial.unlink(missing_ok=True)


def write_new_folder(folder: Path, write: Callable[[Path], None]) -> bool:
    """Make a folder of what ``write`` writes to one, whole or not at all; False if it is there.

    Several who make the same folder do not disturb each other: the first to end has made it.
    """
    if folder.exists():
        return False
    place = folder.absolute()
    if not place.parent.is_dir():
        raise PorismError(f"{folder}: there is no folder {place.parent} to write to")
    with partial_folder(place) as partial:
        write(partial)
        try:
            partial.rename(place)
        except OSError:
            if not place.exists():
                raise
            return False
    return True
