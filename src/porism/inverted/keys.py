"""Keys of tokens: 64-bit numbers that replace strings wherever tokens are counted or sent."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from porism.hashing import KEY_DTYPE, text_digests, text_key

Keys = NDArray[np.uint64]

key = lru_cache(maxsize=1 << 16)(text_key)
"""The key of a token; the dictionary of an index detects two tokens with one key."""


def keys(tokens: Iterable[str]) -> Keys:
    """Return the keys of tokens, in their order."""
    return np.frombuffer(text_digests(tokens), KEY_DTYPE).astype(np.uint64)
