"""A compiled function: for arguments of new types it loads its machine code, or compiles it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Any

from porism.compiler import code_cache, machine_code
from porism.compiler.argument_types import ArgumentType, argument_type

_LOADING = threading.RLock()
"""Numba and LLVM are not safe for threads; the code that they make is."""


class Kernel:
    """A function that runs as machine code, a version for each combination of types."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, object]) -> None:
        update_wrapper(self, function)
        self.function = function
        self.compile_options = options
        self._entries: dict[tuple[ArgumentType, ...], Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:  # numbers, arrays, and tuples of them
        types = tuple([argument_type(argument) for argument in arguments])
        entry = self._entries.get(types) or self._loaded_or_compiled(types)
        return entry(*arguments)

    def __reduce__(self) -> str:
        return self.function.__qualname__

    def _loaded_or_compiled(self, types: tuple[ArgumentType, ...]) -> Callable[..., Any]:
        with _LOADING:
            if types not in self._entries:
                self._entries[types] = self._loaded(types) or self._compiled(types)
            return self._entries[types]

    def _loaded(self, types: tuple[ArgumentType, ...]) -> Callable[..., Any] | None:
        stored = code_cache.read_code(self, types)
        return machine_code.loaded(stored, self.function) if stored else None

    def _compiled(self, types: tuple[ArgumentType, ...]) -> Callable[..., Any]:
        # Importing Numba takes longer than a search, which seldom needs it.
        from porism.compiler import numba_compilation

        entry, code = numba_compilation.compile_kernel(self, types)
        if code is not None:
            code_cache.write_code(self, types, code)
        return entry
