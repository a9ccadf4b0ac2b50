"""One byte for each posting: its saturated count, from which the count can be recovered.

A term that occurs tf times in a document adds tf / (tf + K) to its score (but for factors that
belong to the query), where K grows with the document's length. The byte is

    c = round(255 * tf / (tf + K)), at least 1,

so c / 255 is never more than 0.5 / 255 below the true value. Solving for tf recovers the count:
tf = c * K / (255 - c), rounded. Where counts are so close that several share a byte (a word very
frequent in a short text), the recovered count may be wrong, and the writer keeps the true one in a
list of exceptions. A reader looks there only if the count is ``ambiguous``, and tests that only if
it is ``doubtful``, which is cheaper.
"""

from __future__ import annotations

import numpy as np

from porism.compiler import FloatLike, IntLike, compiled

SCALE = 255.0


@compiled
def code(count: FloatLike, norm: FloatLike) -> IntLike:
    """Return the byte of a count, from 1 to 255; ``norm`` is K."""
    return max(1, int(SCALE * count / (count + norm) + 0.5))


@compiled
def estimate(code: IntLike, norm: FloatLike) -> FloatLike:
    """Return the count of a byte, unless the posting is an exception.

    A byte of 255 has no upper bound, and is taken as 254 here.
    """
    value = min(float(code), 254.0)
    return max(1.0, np.floor(value * norm / (SCALE - value) + 0.5))


@compiled
def doubtful(code: IntLike, count: FloatLike, norm: FloatLike) -> IntLike:
    """Whether the next count is so close that the recovered ``count`` may be wrong.

    The next count's byte is 255 * K / ((tf + K) * (tf + 1 + K)) away, before rounding. From 1.5 on
    rounding can neither confuse the two nor recover a neighbour.
    """
    return (code == 255) | (SCALE * norm < 1.5 * (count + norm) * (count + 1.0 + norm))


@compiled
def ambiguous(code_: IntLike, count: FloatLike, norm: FloatLike) -> IntLike:
    """Whether a neighbour of ``count`` has the same byte, or ``count`` itself another.

    Without branches, which the processor could not predict.
    """
    return (
        (code_ == 255)
        | (code(count, norm) != code_)
        | (code(count + 1.0, norm) == code_)
        | ((count > 1) & (code(count - 1.0, norm) == code_))
    )
