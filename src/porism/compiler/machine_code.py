"""Machine code that Numba made, loaded into this process without Numba.

Object code refers to functions of Python's interface and to some of Numba's own, written in C: for
arguments, memory and exceptions. Here they are entered in LLVM's table of symbols as Numba does it
(``numba.core.base._load_global_helpers``, ``numba.core.runtime.nrt``), and LLVM's linker does the
rest, within a millisecond a function.
"""

from __future__ import annotations

import builtins
import ctypes
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from llvmlite import binding

from porism.compiler.numba_files import extension

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MachineCode:
    """An object file, and its symbols: the function for Python, its environment, what it needs."""

    entry: str
    environment: str
    needs: tuple[str, ...]
    file: bytes


def loaded(code: MachineCode, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The compiled form of a function; None if this process cannot load it."""
    try:
        engine = _engine()
    except (ImportError, AttributeError, OSError) as error:  # another Numba than we know
        log.debug("Compiled code cannot be loaded without Numba: %s", error)
        return None
    # LLVM ends the process if it does not find a symbol.
    if not all(map(binding.address_of_symbol, code.needs)):
        return None
    engine.add_object_file(binding.ObjectFileRef.from_data(code.file))
    engine.finalize_object()
    dynfunc = extension("_dynfunc")
    environment = dynfunc.Environment(function.__globals__)
    pointer = ctypes.c_void_p.from_address(engine.get_global_value_address(code.environment))
    pointer.value = id(environment)
    made: Callable[..., Any] = dynfunc.make_function(
        sys.modules[function.__module__],
        function.__name__,
        function.__doc__ or "",
        engine.get_function_address(code.entry),
        environment,
        (engine,),
    )
    return made


@cache
def _engine() -> binding.ExecutionEngine:
    """LLVM's linker in this process, which knows the symbols that object code may need."""
    for name, address in _symbols().items():
        binding.add_symbol(name, address)
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine()
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _symbols() -> dict[str, int]:
    helpers = extension("_helperlib").c_helpers | extension("_dynfunc").c_helpers
    runtime = extension("core.runtime._nrt_python")
    runtime.memsys_use_cpython_allocator()
    return {
        "_Py_NoneStruct": id(None),
        **{f"numba_{name}": address for name, address in helpers.items()},
        **{
            name if name.startswith("_") else f"NRT_{name}": address
            for name, address in runtime.c_helpers.items()
        },
        **{
            f"PyExc_{name}": id(value)
            for name, value in vars(builtins).items()
            if isinstance(value, type) and issubclass(value, BaseException)
        },
    }
