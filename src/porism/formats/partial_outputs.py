"""Outputs that are written under a temporary name, and removed if their process was killed.

Until it is complete, an output has a hidden name beside its own that ends in ``.partial``. Its
process holds a lock on it, which the system releases when the process exits for any reason. So
the leftover of a killed process is recognised by its free lock, and the next process with the same
output removes it; an output that another process is still writing is left alone.
"""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Windows does not have it; there leftovers stay.
fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None  # a module


@contextmanager
def partial_folder(path: Path) -> Iterator[Path]:
    """A new folder beside ``path``, to be renamed to it; removed if it is not renamed."""
    with _partial(path, lambda partial: partial.mkdir()) as partial:
        yield partial


@contextmanager
def partial_file(path: Path) -> Iterator[Path]:
    """The same for a file, which is empty at first."""
    with _partial(path, lambda partial: partial.touch(exist_ok=False)) as partial:
        yield partial


@contextmanager
def _partial(path: Path, create: Callable[[Path], None]) -> Iterator[Path]:
    _remove_leftovers(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    lock = _create_locked(partial, create)
    try:
        yield partial
    finally:
        _remove(partial)
        if lock is not None:
            os.close(lock)


def _create_locked(partial: Path, create: Callable[[Path], None]) -> int | None:
    """Create and lock the output; retry if another process removed it as a leftover in between."""
    while True:
        create(partial)
        if fcntl is None:
            return None
        try:
            lock = os.open(partial, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if partial.exists() and os.path.samestat(os.fstat(lock), partial.stat()):
                return lock
        except OSError:  # a file system without locks, where nothing is removed either
            return lock
        os.close(lock)


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of the same output, as far as locks tell."""
    if fcntl is None:
        return
    begin, end = f".{path.name}.", ".partial"
    for file in path.parent.iterdir():
        number = file.name.removeprefix(begin).removesuffix(end)
        if file.name != f"{begin}{number}{end}" or not number.isdigit() or file.is_symlink():
            continue
        try:
            lock = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:  # no permission, or gone
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(file)
        except OSError:  # another process is writing it
            pass
        finally:
            os.close(lock)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
