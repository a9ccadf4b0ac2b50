"""Compilation of the functions that loop over arrays.

Numba compiles a function for the types of its arguments when it is first called. The machine code
is stored (``code_cache``), and later processes load it without Numba, whose import takes longer
than a search. Stored code is renewed when a function, or anything that it refers to, has changed.

Compiled functions take numbers, arrays, and tuples of them; they return numbers and write to
arrays that they are given.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numpy.typing import NDArray

from porism.compiler import code_cache
from porism.compiler.kernel import Kernel

Array = NDArray[Any]  # functions are compiled for each type they meet
"""An array of numbers; the documentation of each says of which type."""

IntLike = Any  # in compiled code, an integer of Python or NumPy
FloatLike = Any  # in compiled code, a number of Python or NumPy

Function = TypeVar("Function", bound=Callable[..., Any])  # keeps its type


def compiled(function: Function) -> Function:
    """Compile a function; it then runs without the interpreter's lock.

    Indices are not checked, and division by zero gives infinity, as in NumPy.
    """
    return _kernel(function)


def inlined(function: Function) -> Function:
    """Compile a function as part of those that call it.

    For functions that take many arrays and do little: passing each costs some ten nanoseconds.
    """
    return _kernel(function, inline="always")


def loosely_compiled(function: Function) -> Function:
    """Compile a function whose sums need not be exact: fused multiply-add is allowed."""
    return _kernel(function, fastmath={"contract"})


def is_stored(function: Callable[..., Any]) -> bool:
    """Whether a new process can call a function, with some types, without compiling it."""
    return code_cache.has_code(function) if isinstance(function, Kernel) else True


def code_folder_of(function: Callable[..., Any]) -> Path | None:
    """Where the code of a compiled function is stored; None if nowhere."""
    if not isinstance(function, Kernel):
        return None
    return code_cache.code_folder(code_cache.source_folder(function), code_cache.given_folder())


def _kernel(function: Function, **options: object) -> Function:
    # Numba's own switch, for debuggers and coverage: functions stay functions of Python.
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return function
    return cast(Function, Kernel(function, options))
