"""Types of arguments, as far as machine code depends on them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

ArgumentType = Any  # a recursive type: what ``argument_type`` returns


def argument_type(value: object) -> ArgumentType:
    """What the machine code for a value depends on.

    The name of a number's type; dtype, dimensions and layout of an array; the class and the types
    of the parts of a tuple. Anything else is a ``TypeError``.

    >>> argument_type((1, np.zeros(3)))
    (<class 'tuple'>, ('int64', (dtype('float64'), 1, 'C')))
    """
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, _LAYOUTS[value.flags.num & _LAYOUT_FLAGS]
    if type(value) is int:
        is_signed = -(1 << 63) <= value < 1 << 63
        return "int64" if is_signed else "uint64"
    kind = type(value)
    if isinstance(value, tuple):
        return kind, tuple([argument_type(part) for part in value])
    try:
        return _NUMBERS[kind]
    except KeyError:
        raise TypeError(f"compiled functions take numbers and arrays, not {kind}") from None


def type_text(type_: ArgumentType) -> str:
    """A text that is equal in other processes exactly if the type is.

    >>> type_text(argument_type((1, np.zeros(3))))
    "builtins.tuple(int64, (dtype('float64'), 1, 'C'))"
    """
    if isinstance(type_, tuple) and len(type_) == 2:
        kind, parts = type_
        names = getattr(kind, "_fields", itertools.repeat(""))
        named = zip(names, map(type_text, parts), strict=False)
        texts = [f"{name} {text}".lstrip() for name, text in named]
        return f"{kind.__module__}.{kind.__qualname__}({', '.join(texts)})"
    return type_ if isinstance(type_, str) else repr(type_)


_NUMBERS: dict[type, str] = {
    float: "float64",
    bool: "bool",
    np.bool_: "bool",
    **{
        np.dtype(name).type: name
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    np.float32: "float32",
    np.float64: "float64",
}

_C_ORDER, _F_ORDER, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400  # NPY_ARRAY_*
_LAYOUT_FLAGS = _C_ORDER | _F_ORDER | _ALIGNED | _WRITABLE


def _layout(flags: int) -> str:
    order = "C" if flags & _C_ORDER else "F" if flags & _F_ORDER else "A"
    marks = "" if flags & _WRITABLE else " readonly", "" if flags & _ALIGNED else " unaligned"
    return order + "".join(marks)


_LAYOUTS = {flags & _LAYOUT_FLAGS: _layout(flags) for flags in range(2 * _WRITABLE)}
