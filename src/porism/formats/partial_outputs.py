"""Outputs that are written beside their place, and taken away if their process was killed.

Until it is complete, an output has a hidden name beside its own that ends in ``.partial``. Its
process holds a lock on it, which the system releases however the process ends. So what is left of
a killed one is known by a lock that can be had, and the next process with the same output removes
it; an output that another process is still writing is left alone.
"""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Windows does not have it, and there leftovers stay.
fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None  # a module


@contextmanager
def partial_folder(place: Path) -> Iterator[Path]:
    """A new folder beside ``place``, to be renamed to it; what is not renamed is removed."""
    with _made(place, lambda partial: partial.mkdir()) as partial:
        yield partial


@contextmanager
def partial_file(place: Path) -> Iterator[Path]:
    """The same for a file, which is empty at first."""
    with _made(place, lambda partial: partial.touch(exist_ok=False)) as partial:
        yield partial


@contextmanager
def _made(place: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    _remove_leftovers(place)
    partial = place.with_name(f".{place.name}.{os.getpid()}.partial")
    lock = _locked_new(partial, make)
    try:
        yield partial
    finally:
        _remove(partial)
        if lock is not None:
            os.close(lock)


def _locked_new(partial: Path, make: Callable[[Path], None]) -> int | None:
    """Make it and lock it, again if another took it for a leftover in between."""
    while True:
        make(partial)
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
        except OSError:  # a file system without locks, on which nothing is removed either
            return lock
        os.close(lock)


def _remove_leftovers(place: Path) -> None:
    """Remove what killed processes left of the same output, as far as that can be known."""
    if fcntl is None:
        return
    begin, end = f".{place.name}.", ".partial"
    for found in place.parent.iterdir():
        number = found.name.removeprefix(begin).removesuffix(end)
        if found.name != f"{begin}{number}{end}" or not number.isdigit() or found.is_symlink():
            continue
        try:
            lock = os.open(found, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:  # somebody else's, or gone
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(found)
        except OSError:  # another process is writing it
            pass
        finally:
            os.close(lock)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
