"""Compilation of the functions that loop over arrays.

Compiled code is cached in the folder that ``code_cache`` chooses, so a new process loads it. Numba
would renew it only when a function's own file changes; here it is also renewed when any file of
the packages with shared loops does, because functions of several files are compiled into one
another.

Compiled functions return numbers and write to arrays that they are given: a returned array needs a
pickled type, and loading that fails where warnings are errors.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

from porism.compiler.code_cache import code_folder

Array = NDArray[Any]  # functions are compiled for each type they meet
"""An array of numbers; the documentation of each says of which type."""

IntLike = Any  # in compiled code, an integer of Python or NumPy
FloatLike = Any  # in compiled code, a number of Python or NumPy

Function = TypeVar("Function", bound=Callable[..., Any])  # keeps its type


def compiled(function: Function) -> Function:
    """Compile a function; it then runs without the interpreter's lock.

    Indices are not checked, and division by zero gives infinity, as in NumPy.
    """
    compile_ = numba.njit(nogil=True, error_model="numpy")
    return cast(Function, _cached(compile_(function)))


def inlined(function: Function) -> Function:
    """Compile a function as part of those that call it.

    For functions that take many arrays and do little: passing each costs some ten nanoseconds.
    """
    compile_ = numba.njit(nogil=True, error_model="numpy", inline="always")
    return cast(Function, _cached(compile_(function)))


def loosely_compiled(function: Function) -> Function:
    """Compile a function whose sums need not be exact: fused multiply-add is allowed."""
    compile_ = numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
    return cast(Function, _cached(compile_(function)))


def _cached(dispatcher: Any) -> Any:  # Numba's function objects are not typed
    """Cache the code of a function, if possible, stamped with its file and the shared packages."""
    settings: Any = numba.config  # its names are made when it is loaded
    given = settings.CACHE_DIR
    folder = code_folder(Path(dispatcher.py_func.__code__.co_filename).parent, given)
    if folder is None:
        return dispatcher
    # Numba would fall back to folders that it does not check, so it gets ours, for our functions
    # alone.
    try:
        if folder.name != "__pycache__":
            settings.CACHE_DIR = str(folder)
        dispatcher.enable_caching()
    finally:
        settings.CACHE_DIR = given
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None:
        # Numba compares versions before it unpickles types, whose modules may have moved since.
        index._version = index._version, _STATE, index._source_stamp
    return dispatcher


_SHARED = ("compiler", "inverted", "structure", "vectors")
"""The packages whose compiled functions others are compiled with."""


def _state() -> tuple[float, int]:
    source = Path(__file__).parent.parent
    stats = [path.stat() for name in _SHARED for path in (source / name).rglob("*.py")]
    return max(stat.st_mtime for stat in stats), sum(stat.st_size for stat in stats)


_STATE = _state()
