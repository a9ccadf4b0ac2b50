"""Instructions of the processor that compiled functions may use.

Here they are functions of Python, so that loops can be read and run without Numba. What they are in
machine code is in ``numba_instructions``, which is imported only to compile.
"""

from __future__ import annotations

from porism.compiler import Array, IntLike


def prefetch(array: Array, index: IntLike) -> None:
    """Have the processor fetch an element of an array that will be read soon.

    The index may be outside the array: then nothing is fetched.
    """
