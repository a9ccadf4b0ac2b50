"""What machine code depends on: the source of a function, and the machine with its software.

Numba stamps its own cache with the time of one source file. Functions of several files are
compiled into one another, and times change when a file is copied, so here the stamp of a function
is a digest of its bytecode and of all that it refers to.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import CodeType, FunctionType, ModuleType, NoneType
from typing import Any, Protocol, runtime_checkable

import llvmlite
import numpy as np
from llvmlite import binding

from porism.compiler.numba_files import numba_folder


@cache
def machine() -> str:
    """The processor, the versions of what makes and runs machine code, and Numba's settings."""
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    )
    return "\n".join(
        [
            binding.get_process_triple(),
            binding.get_host_cpu_name(),
            binding.get_host_cpu_features().flatten(),
            sys.version,
            np.__version__,
            llvmlite.__version__,
            _numba_version(),
            *settings,
        ]
    )


def _numba_version() -> str:
    # importlib.metadata would know, and takes longer to import than the code to load.
    folder = numba_folder()
    names = sorted(path.name for path in folder.parent.glob("numba-*"))
    return " ".join((*names, str((folder / "__init__.py").stat().st_mtime_ns)))


@runtime_checkable
class CompiledFunction(Protocol):
    """What determines machine code: a function of Python, and options for Numba."""

    function: Callable[..., Any]
    compile_options: Mapping[str, object]


def source_stamp(kernel: CompiledFunction) -> str:
    """A digest of the bytecode of a compiled function and of everything that it refers to."""
    digest = hashlib.sha256()
    for part in _parts(kernel.function, kernel.compile_options, set()):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _parts(
    function: Callable[..., Any], options: Mapping[str, object], seen: set[int]
) -> Iterator[str]:
    """Texts that together determine what a function does, with the functions that it calls."""
    if id(function) in seen:
        return
    seen.add(id(function))
    assert isinstance(function, FunctionType)
    yield repr((sorted(options.items()), function.__defaults__))
    for code in _codes(function.__code__):
        yield code.co_code.hex()
        yield repr((code.co_varnames, code.co_freevars, code.co_argcount, code.co_flags))
        yield repr([value for value in code.co_consts if not isinstance(value, CodeType)])
        for name in code.co_names:
            yield name
            if name in function.__globals__:
                yield from _value_parts(function.__globals__[name], seen)
    for cell in function.__closure__ or ():
        yield from _value_parts(cell.cell_contents, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of the functions and expressions inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _value_parts(value: object, seen: set[int]) -> Iterator[str]:
    if isinstance(value, CompiledFunction):
        yield from _parts(value.function, value.compile_options, seen)
    elif isinstance(value, FunctionType):
        yield from _parts(value, {}, seen)
    elif isinstance(value, ModuleType):
        # What else than a name of NumPy is used of it could change unseen.
        assert not value.__name__.startswith("porism"), "import the names that loops use"
        yield value.__name__
    elif isinstance(value, type):
        yield repr((value.__module__, value.__qualname__, getattr(value, "_fields", None)))
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype, value.shape, value.tobytes()))
    elif isinstance(value, tuple):
        for part in value:
            yield from _value_parts(part, seen)
    elif isinstance(value, (int, float, str, bytes, np.generic, NoneType)):
        yield repr((type(value), value))
    else:
        yield getattr(value, "__qualname__", repr(type(value)))
