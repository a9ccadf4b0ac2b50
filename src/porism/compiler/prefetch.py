"""The processor's instruction to fetch memory that will be read soon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from porism.compiler import Array, IntLike

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


prefetch = cast(Callable[[Array, IntLike], None], intrinsic(_prefetch))
"""Has the processor fetch an element of an array while it goes on; for compiled functions only.

The index may be outside the array: then nothing is fetched.
"""
