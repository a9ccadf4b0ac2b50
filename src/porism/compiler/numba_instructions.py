"""The machine code of the functions of ``instructions``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from porism.compiler.instructions import prefetch

_TO_READ, _MUCH_USED, _DATA = 0, 3, 1


def _prefetch(typing: Any, array: Any, index: Any) -> Any:  # Numba's own objects are not typed
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        of = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = ir.IntType(32)
        pointer = ir.IntType(8).as_pointer()
        of_function = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        insert: Any = cgutils.get_or_insert_function  # it has no types
        function = insert(builder.module, of_function, "llvm.prefetch.p0")
        place = builder.bitcast(builder.gep(of.data, [arguments[1]]), pointer)
        builder.call(function, [place, *map(number, (_TO_READ, _MUCH_USED, _DATA))])
        return context.get_dummy_value()

    return types.void(array, types.intp), code


INSTRUCTIONS: dict[Callable[..., None], Any] = {prefetch: intrinsic(_prefetch)}
"""Numba's objects for the functions."""
