"""Keys of tokens: 64-bit numbers that replace strings wherever tokens are counted or sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from porism.hashing import KEY_DTYPE, text_digest, text_digests, text_key

Keys = NDArray[np.uint64]

key = lru_cache(maxsize=1 << 16)(text_key)
"""The key of a token; the dictionary of an index detects two words with one key."""


def keys(tokens: Iterable[str]) -> Keys:
    """Return the keys of tokens, in their order."""
    return np.frombuffer(text_digests(tokens), KEY_DTYPE).astype(np.uint64)


def joined_keys(digests: Iterable[bytes]) -> Keys:
    """Return keys that were made as bytes."""
    return np.frombuffer(b"".join(digests), KEY_DTYPE).astype(np.uint64, copy=False)


BYTES_PER_KEY = 200
"""Memory of one token in a ``KeyCache``, with its string."""


class KeyCache(dict[str, bytes]):
    """The keys of the tokens that a process has met, as bytes: joining these is quick.

    ``spelled`` changes tokens before they are hashed. ``new`` collects the tokens met first, by
    key, if it is a dictionary.
    """

    def __init__(self, spelled: Callable[[str], str] = str) -> None:
        super().__init__()
        self.spelled = spelled
        self.new: dict[int, str] | None = None

    def __missing__(self, token: str) -> bytes:
        digest = self[token] = text_digest(self.spelled(token))
        if self.new is not None:
            self.new[int.from_bytes(digest, "little")] = token
        return digest

    def digests(self, tokens: Iterable[str]) -> Iterator[bytes]:
        """Return the key of each token, as bytes."""
        return map(self.__getitem__, tokens)

    def keys_of(self, tokens: Iterable[str]) -> Keys:
        """Return the key of each token."""
        return joined_keys(self.digests(tokens))

    def shrink(self, most: int = 1_000_000) -> None:
        """Forget all keys if there are more than that."""
        if len(self) > most:
            self.clear()
