"""Compilation by Numba, which only this module and ``numba_instructions`` import."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numba
from numba.np.numpy_support import from_dtype

from porism.compiler.argument_types import ArgumentType
from porism.compiler.kernel import Kernel
from porism.compiler.machine_code import MachineCode
from porism.compiler.numba_instructions import INSTRUCTIONS


def compile_kernel(
    kernel: Kernel, types: tuple[ArgumentType, ...]
) -> tuple[Callable[..., Any], MachineCode | None]:
    """Compile a function for types of arguments; its code is None if it cannot be stored."""
    dispatcher = _dispatcher(kernel, is_called_by_python=True)
    signature = tuple(map(_numba_type, types))
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature]
    return result.entry_point, _machine_code(result)


def _inner_dispatcher(kernel: Kernel) -> Any:
    """Numba's object for a function that others call; the wrapper for Python would take longer
    to compile than many functions.
    """
    return _dispatcher(kernel, is_called_by_python=False)


@cache
def _dispatcher(kernel: Kernel, *, is_called_by_python: bool) -> Any:  # Numba's are not typed
    function = kernel.function
    names = dict(function.__globals__)
    copy = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    compile_: Any = numba.njit  # its stubs lack the last two options
    dispatcher = compile_(
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,
        no_cpython_wrapper=not is_called_by_python,
        **kernel.compile_options,
    )(copy)
    # Numba knows only its own function objects.
    for name in _names(function.__code__):
        called = names.get(name)
        if isinstance(called, FunctionType) and called in INSTRUCTIONS:
            names[name] = INSTRUCTIONS[called]
        elif isinstance(called, Kernel):
            is_itself = called is kernel and not is_called_by_python
            names[name] = (
                dispatcher if is_itself else _dispatcher(called, is_called_by_python=False)
            )
    return dispatcher


def _names(code: CodeType) -> set[str]:
    inner = [value for value in code.co_consts if isinstance(value, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _numba_type(type_: ArgumentType) -> Any:
    if isinstance(type_, str):
        return numba.types.boolean if type_ == "bool" else getattr(numba.types, type_)
    if len(type_) == 3:
        dtype, dimensions, layout = type_
        order, *marks = layout.split()
        return numba.types.Array(
            from_dtype(dtype),
            dimensions,
            order,
            readonly="readonly" in marks,
            aligned="unaligned" not in marks,
        )
    kind, parts = type_
    inner = tuple(map(_numba_type, parts))
    tuple_type: Any = numba.types.BaseTuple
    return tuple_type.from_types(inner, None if kind is tuple else kind)


def _machine_code(result: Any) -> MachineCode | None:
    """The object code of a compiled function, if it depends on nothing but known symbols."""
    library = result.library
    needs = tuple(
        symbol.name
        for symbol in (*library._final_module.functions, *library._final_module.global_variables)
        if symbol.is_declaration and not symbol.name.startswith("llvm.")
    )
    if library.has_dynamic_globals or result.environment.consts:  # it refers to objects
        return None
    description = result.fndesc
    return MachineCode(
        description.llvm_cpython_wrapper_name,
        description.env_name,
        needs,
        library._get_compiled_object(),
    )
