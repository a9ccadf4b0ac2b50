"""One byte for each posting: how far a count is saturated, from which the count comes back.

A term that stands tf times in a document adds tf / (tf + K) to its score (but for factors that
belong to the query), where K grows with the document's length. The byte is

    c = round(255 * tf / (tf + K)), at least 1,

so c / 255 is never more than 0.5 / 255 below the true value. Solved for tf it gives the count
back: tf = c * K / (255 - c), rounded. Where counts stand so close together that several share a
byte (a word very frequent in a short text), the count may come back wrong, and the writer keeps it
in a side list of exceptions. A reader looks there only if ``doubtful`` says that it may be so.
"""

from __future__ import annotations

from porism.index.compiled import compiled

SCALE = 255.0
LARGEST_COUNT = 2**32 - 1


@compiled
def code(count: float, norm: float) -> int:
    """The byte of a count, from 1 to 255; ``norm`` is K."""
    return max(1, int(SCALE * count / (count + norm) + 0.5))


@compiled
def count_of(code: int, norm: float) -> int:
    """The count that a byte stands for, unless the posting is an exception."""
    if code >= 255:
        return 1
    return max(1, int(code * norm / (SCALE - code) + 0.5))


@compiled
def doubtful(code: int, count: int, norm: float) -> bool:
    """Whether the next count is so close that ``count`` may have come back wrong.

    The next count's byte is 255 * K / ((tf + K) * (tf + 1 + K)) away, before rounding. From 1.5 on
    rounding cannot confuse the two, nor lead to a neighbour on the way back.
    """
    return code >= 255 or SCALE * norm < 1.5 * (count + norm) * (count + 1 + norm)
