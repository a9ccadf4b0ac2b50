"""Crash-safe changes of index files, removal of leftovers, and the writer's lock."""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from porism.compiler import Array
from porism.errors import PorismError
from porism.inverted.layout import LOCK, META, SEGMENT, IndexMeta
from porism.locking import ProcessLock
from porism.storage.array_file import UNFINISHED, write_file

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn operating system errors into a PorismError that names the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise PorismError(
                f"no space left to write the index {folder} ({error.strerror}); it is unchanged; "
                "free some space, or index to another place"
            ) from error
        raise PorismError(
            f"cannot write the index {folder}: {error.strerror or error}; it is unchanged"
        ) from error


def append_array(file: BinaryIO, array: Array) -> None:
    """Write an array for ``np.load``; unlike with ``np.save``, an error states its reason."""
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    file.write(np.ascontiguousarray(array).data)


def skip_array(file: BinaryIO) -> None:
    """Skip to the next array of a file."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    file.seek(math.prod(shape) * dtype.itemsize, os.SEEK_CUR)


def write_meta(folder: Path, meta: IndexMeta) -> None:
    """Make ``meta`` the state of the index: readers that open it from now on see all of it."""
    write_file(folder / META, meta.text())


def remove_unreferenced(folder: Path, meta: IndexMeta, work: str = "") -> None:
    """Remove what ``meta`` does not name: leftovers of a killed writer, and merged segments.

    Readers that have mapped such files keep them. ``work`` is the name of the writer's folder.
    """
    named = {work, *(file.name for file in meta.files)}
    for path in folder.iterdir():
        if path.name.startswith((UNFINISHED, SEGMENT)) and path.name not in named:
            remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder if it exists."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def writer_lock(folder: Path) -> ProcessLock:
    """Return the lock of the one writer of an index."""
    message = f"another process is writing the index {folder}; wait for it to end"
    return ProcessLock(folder / LOCK, message)
