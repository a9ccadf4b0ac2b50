"""Files of an index: arrays written in pieces and mapped, changes that survive a sudden end."""

from __future__ import annotations

import errno
import math
import mmap
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from porism.errors import PorismError
from porism.index.compiled import Array
from porism.index.layout import ARRAYS, LOCK, META, SEGMENT, UNFINISHED, Meta
from porism.locking import Lock

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn what the system refuses into a PorismError that names the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise PorismError(
                f"no room left to write the index {folder} ({error.strerror}); it is as it was "
                "before; make room, or index to another place"
            ) from error
        raise PorismError(
            f"cannot write the index {folder}: {error.strerror or error}; it is as it was before"
        ) from error


class ArrayFiles:
    """The arrays of a segment that is being written, each appended to piece by piece."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = {name: open(folder / name, "wb") for name in ARRAYS}  # noqa: SIM115

    def append(self, name: str, array: Array) -> None:
        """Write the next piece of an array, in the type it has on disk."""
        if len(array):
            self._files[name].write(np.ascontiguousarray(array, ARRAYS[name]).data)

    def close(self) -> None:
        """Have everything on disk for good."""
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
            file.close()
        sync_folder(self._folder)

    def abandon(self) -> None:
        """Close the files as they are."""
        for file in self._files.values():
            try:
                file.close()
            except OSError:  # what stood in the buffer has no room either, and is not wanted
                continue


def append_array(file: BinaryIO, array: Array) -> None:
    """Write an array for ``np.load``; unlike that of ``np.save``, a failure says its reason."""
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    file.write(np.ascontiguousarray(array).data)


def skip_array(file: BinaryIO) -> None:
    """Go on to the next array of a file."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    file.seek(math.prod(shape) * dtype.itemsize, os.SEEK_CUR)


def mapped(path: Path, dtype: str) -> Array:
    """The numbers of a file, read from it as they are needed; they cannot be changed."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:  # an empty file cannot be mapped
            array = np.empty(0, dtype)
            array.flags.writeable = False
            return array
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype)


def write_array(path: Path, array: Array) -> None:
    """A file with the numbers of an array, complete under its name or not there."""
    _write(path, np.ascontiguousarray(array).tobytes())


def write_meta(folder: Path, meta: Meta) -> None:
    """Make ``meta`` the state of the index: readers that open it now see all of it."""
    _write(folder / META, meta.text().encode("utf-8"))


def _write(path: Path, content: bytes) -> None:
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


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk for good."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_unnamed(folder: Path, meta: Meta) -> None:
    """Remove what ``meta`` does not name: leftovers of a killed writer, segments merged away.

    Readers that mapped such files keep them until they are done.
    """
    named = {segment.name: segment.deletions for segment in meta.segments}
    for path in folder.iterdir():
        if path.name.startswith(UNFINISHED) or (
            path.name.startswith(SEGMENT) and path.name not in named
        ):
            remove(path)
        elif path.name in named:
            keep = f"{named[path.name]:06d}"
            for inside in path.iterdir():
                numbered = inside.name.startswith((DELETED, DROPPED))
                if inside.name.startswith(UNFINISHED) or (
                    numbered and not inside.name.endswith(keep)
                ):
                    remove(inside)


def remove(path: Path) -> None:
    """Remove a file or a folder, whether or not it is there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


DELETED = "deleted-"
DROPPED = "dropped-"


def writer_lock(folder: Path) -> Lock:
    """What the one writer of an index has."""
    told = f"another process is writing the index {folder}; wait for it to end"
    return Lock(folder / LOCK, told)
