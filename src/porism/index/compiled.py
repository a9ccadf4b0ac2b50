"""Compilation of the functions that loop over arrays.

Compiled code is kept beside the source (or where NUMBA_CACHE_DIR says), so a new process loads it.
Functions that call each other stand in one file, because the kept code of a function is renewed
only when its own file changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

Array = NDArray[Any]  # compiled functions are made anew for each type they meet
"""An array of numbers, of whichever type its name's documentation says."""

Whole = Any  # in compiled code, an integer of Python or NumPy
Real = Any  # in compiled code, a number of Python or NumPy

Function = TypeVar("Function", bound=Callable[..., Any])  # whatever its arguments: it is kept as is


def compiled(function: Function) -> Function:
    """The same function as machine code; it runs without the interpreter's lock.

    Indices are not checked, and division by zero gives infinity, as in NumPy.
    """
    compile_ = numba.njit(cache=True, nogil=True, error_model="numpy")
    return cast(Function, compile_(function))  # numba's decorator is not typed


def loosely_compiled(function: Function) -> Function:
    """As ``compiled``, for sums that need not be exact: a product and a sum may be rounded once."""
    compile_ = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
    return cast(Function, compile_(function))  # numba's decorator is not typed
