"""Files of named arrays: written once, mapped as a whole, with a checksum for each array.

A file has only arrays and zeros between them. ``meta.json`` or the manifest that names the file
says where each array begins, so a truncated or exchanged file does not match its description.
"""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.storage.errors import damaged_file_error

ALIGNMENT = 64
"""Arrays begin at multiples of this, for vector instructions."""

CHUNK = 1 << 20
"""Bytes that are copied or checked at a time."""

UNFINISHED = "unfinished-"
"""The prefix of names of files that are being written."""

Array = NDArray[Any]  # of the stored type


class StoredArray(NamedTuple):
    """An array in a file; the checksum covers it and the zeros up to the next one."""

    name: str
    dtype: str
    offset: int
    size: int
    checksum: int


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The description of a file of arrays; sizes and offsets are in bytes."""

    name: str
    size: int
    arrays: tuple[StoredArray, ...]


def stored_file(values: Mapping[str, Any]) -> StoredFile:  # JSON: checked by the constructors
    """Return the description that was stored as JSON."""
    arrays = tuple(StoredArray(*entry) for entry in values["arrays"])
    return StoredFile(values["name"], values["size"], arrays)


def files_fingerprint(files: Sequence[StoredFile]) -> str:
    """Return a short text that differs whenever the arrays of files differ."""
    digest = blake2b(digest_size=8)
    for file in files:
        for entry in file.arrays:
            digest.update(repr(entry).encode())
    return digest.hexdigest()


class FileDamage(NamedTuple):
    """A damaged file, or array of a file."""

    path: Path
    array: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path} is damaged ({self.reason})"


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> StoredFile:
    """Write a file of arrays; it gets its name when it is complete and on disk."""
    unfinished = path.with_name(UNFINISHED + path.name)
    try:
        with unfinished.open("wb") as file:
            entries = []
            for number, (name, array) in enumerate(arrays.items()):
                content = np.ascontiguousarray(array)
                offset = file.tell()
                file.write(content.data)
                padding = 0 if number == len(arrays) - 1 else _padding(file.tell())
                file.write(bytes(padding))
                checksum = zlib.crc32(bytes(padding), zlib.crc32(content.data))
                entries.append(
                    StoredArray(name, content.dtype.str, offset, content.nbytes, checksum)
                )
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return StoredFile(path.name, size, tuple(entries))


class ArrayFiles:
    """Arrays that grow piece by piece, each in its own file, and become one file at the end.

    ``folder`` must be empty; it is empty again after ``packed``.
    """

    def __init__(self, folder: Path, dtypes: Mapping[str, str]) -> None:
        self._folder = folder
        self._dtypes = dtypes
        self._files = {name: open(folder / name, "wb") for name in dtypes}  # noqa: SIM115
        self._checksums = dict.fromkeys(dtypes, 0)

    def append(self, name: str, array: Array) -> None:
        """Append to an array, in its type on disk."""
        if len(array):
            content = np.ascontiguousarray(array, self._dtypes[name]).data
            self._files[name].write(content)
            self._checksums[name] = zlib.crc32(content, self._checksums[name])

    def packed(self, path: Path) -> StoredFile:
        """Move all arrays into one file, which is then durable."""
        self._close()
        entries = []
        last = list(self._dtypes)[-1]
        with path.open("wb") as file:
            for name, dtype in self._dtypes.items():
                offset = file.tell()
                # One by one, so that the disk never holds everything twice.
                with (self._folder / name).open("rb") as source:
                    while chunk := source.read(CHUNK):
                        file.write(chunk)
                (self._folder / name).unlink()
                size = file.tell() - offset
                padding = 0 if name == last else _padding(file.tell())
                file.write(bytes(padding))
                checksum = zlib.crc32(bytes(padding), self._checksums[name])
                entries.append(StoredArray(name, dtype, offset, size, checksum))
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        return StoredFile(path.name, size, tuple(entries))

    def _close(self) -> None:
        for file in self._files.values():
            file.close()

    def abandon(self) -> None:
        """Close the files without completing them."""
        for file in self._files.values():
            try:
                file.close()
            except OSError:  # no space for the buffer either, which is not needed
                continue


def _padding(end: int) -> int:
    return -end % ALIGNMENT


def open_arrays(folder: Path, stored: StoredFile) -> dict[str, Array]:
    """Map the arrays of a file, read-only.

    Their sizes and offsets are checked, their checksums are not.
    """
    path = folder / stored.name
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != stored.size:
            raise damaged_file_error(path, f"it has {size:,} bytes instead of {stored.size:,}")
        # An empty file cannot be mapped.
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    return {entry.name: _array(content, entry, path) for entry in stored.arrays}


def _array(content: mmap.mmap | bytes, entry: StoredArray, path: Path) -> Array:
    dtype = np.dtype(entry.dtype)
    if not (
        0 <= entry.offset <= entry.offset + entry.size <= len(content)
        and entry.offset % ALIGNMENT == 0
        and entry.size % dtype.itemsize == 0
    ):
        raise damaged_file_error(path, f"the array {entry.name} is not inside")
    if not entry.size:
        array: Array = np.empty(0, dtype)
        array.flags.writeable = False
        return array
    return np.frombuffer(content, dtype, entry.size // dtype.itemsize, entry.offset)


def file_damage(
    folder: Path, stored: StoredFile, progress: Callable[[int], None] = lambda done: None
) -> Iterator[FileDamage]:
    """Yield the damage in a file; ``progress`` gets the number of bytes of each part read."""
    path = folder / stored.name
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != stored.size:
                yield FileDamage(path, "", f"it has {size:,} bytes instead of {stored.size:,}")
                return
            ends = [entry.offset for entry in stored.arrays[1:]] + [stored.size]
            for entry, end in zip(stored.arrays, ends, strict=True):
                file.seek(entry.offset)
                checksum, left = 0, end - entry.offset
                while left and (chunk := file.read(min(left, CHUNK))):
                    checksum = zlib.crc32(chunk, checksum)
                    left -= len(chunk)
                    progress(len(chunk))
                if left or checksum != entry.checksum:
                    reason = f"the checksum of {entry.name} does not match"
                    yield FileDamage(path, entry.name, reason)
    except FileNotFoundError:
        yield FileDamage(path, "", "it is missing")
    except OSError as error:
        yield FileDamage(path, "", f"it cannot be read: {error.strerror}")


def verify(folder: Path, stored: Sequence[StoredFile]) -> None:
    """Raise an IndexFormatError if a file is damaged, before its content is rewritten."""
    for each in stored:
        for damage in file_damage(folder, each):
            raise damaged_file_error(damage.path, damage.reason)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, content: bytes) -> None:
    """Replace a file in one step; its new content is then durable."""
    unfinished = path.with_name(UNFINISHED + path.name)
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def link_files(files: Sequence[StoredFile], source: Path, target: Path) -> None:
    """Have another folder share files, under their names there."""
    for file in files:
        try:
            os.link(source / file.name, target / file.name)
        except OSError:  # a file system without hard links
            write_file(target / file.name, (source / file.name).read_bytes())
    sync_folder(target)
