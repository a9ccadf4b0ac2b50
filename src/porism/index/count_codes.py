"""One byte for each posting: how far a count is saturated, from which the count comes back.

A term that stands tf times in a document adds tf / (tf + K) to its score (but for factors that
belong to the query), where K grows with the document's length. The byte is

    c = round(255 * tf / (tf + K)), at least 1,

so c / 255 is never more than 0.5 / 255 below the true value. Solved for tf it gives the count
back: tf = c * K / (255 - c), rounded. Where counts stand so close together that several share a
byte (a word very frequent in a short text), the count may come back wrong, and the writer keeps it
in a side list of exceptions. A reader looks there only if ``ambiguous`` says that it may be so, and
asks that only if ``doubtful`` does, which takes less time.
"""

from __future__ import annotations

import numpy as np

from porism.index.compiler import FloatLike, IntLike, compiled

SCALE = 255.0
LARGEST_COUNT = 2**32 - 1


@compiled
def code(count: FloatLike, norm: FloatLike) -> IntLike:
    """The byte of a count, from 1 to 255; ``norm`` is K."""
    return max(1, int(SCALE * count / (count + norm) + 0.5))


@compiled
def estimate(code: IntLike, norm: FloatLike) -> FloatLike:
    """The count that a byte stands for, unless the posting is an exception.

    A byte of 255 leaves the count open, and counts as 254 here.
    """
    value = min(float(code), 254.0)
    return max(1.0, np.floor(value * norm / (SCALE - value) + 0.5))


@compiled
def doubtful(code: IntLike, count: FloatLike, norm: FloatLike) -> IntLike:
    """Whether the next count is so close that ``count`` may have come back wrong.

    The next count's byte is 255 * K / ((tf + K) * (tf + 1 + K)) away, before rounding. From 1.5 on
    rounding cannot confuse the two, nor lead to a neighbour on the way back.
    """
    return (code == 255) | (SCALE * norm < 1.5 * (count + norm) * (count + 1.0 + norm))


@compiled
def ambiguous(code_: IntLike, count: FloatLike, norm: FloatLike) -> IntLike:
    """Whether a neighbour of ``count`` has the same byte, or ``count`` itself another."""
    return (
        code_ == 255
        or code(count, norm) != code_
        or code(count + 1.0, norm) == code_
        or (count > 1 and code(count - 1.0, norm) == code_)
    )
