"""Compilation of the functions that loop over arrays.

Compiled code is kept where ``code_cache`` says, so a new process loads it. Numba would renew it
only when a function's own file changes; here it is renewed when any file of the package does,
because functions of several files are compiled into one another.

Compiled functions give numbers back and write arrays that they are given: an array that comes back
would be made by loading a pickled type, which fails where warnings are errors.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

from porism.index.code_cache import code_folder

Array = NDArray[Any]  # compiled functions are made anew for each type they meet
"""An array of numbers, of whichever type its name's documentation says."""

IntLike = Any  # in compiled code, an integer of Python or NumPy
FloatLike = Any  # in compiled code, a number of Python or NumPy

Function = TypeVar("Function", bound=Callable[..., Any])  # whatever its arguments: it is kept as is


def compiled(function: Function) -> Function:
    """The same function as machine code; it runs without the interpreter's lock.

    Indices are not checked, and division by zero gives infinity, as in NumPy.
    """
    compile_ = numba.njit(nogil=True, error_model="numpy")
    return cast(Function, _kept(compile_(function)))


def loosely_compiled(function: Function) -> Function:
    """As ``compiled``, for sums that need not be exact: a product and a sum may be rounded once."""
    compile_ = numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
    return cast(Function, _kept(compile_(function)))


def _kept(dispatcher: Any) -> Any:  # numba's object for a function, which is not typed
    """The function with its code kept, if it can be, marked by the state of the whole package."""
    settings: Any = numba.config  # whose names are made when it is loaded
    given = settings.CACHE_DIR
    folder = code_folder(Path(dispatcher.py_func.__code__.co_filename).parent, given)
    if folder is None:
        return dispatcher
    # Numba knows folders of its own after these two, which it does not check; so it is told ours,
    # for our functions alone.
    try:
        if folder.name != "__pycache__":
            settings.CACHE_DIR = str(folder)
        dispatcher.enable_caching()
    finally:
        settings.CACHE_DIR = given
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = _STATE
    return dispatcher


def _state() -> tuple[float, int]:
    stats = [path.stat() for path in Path(__file__).parent.rglob("*.py")]
    return max(stat.st_mtime for stat in stats), sum(stat.st_size for stat in stats)


_STATE = _state()
