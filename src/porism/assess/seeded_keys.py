"""Reproducible randomness: the key of a name depends on the seed and the name only.

Nothing is drawn in sequence, so results do not depend on the order of runs or topics, nor on what
else is in a pool. Hashes are used instead of a random number generator, whose numbers depend on the
version of a library.
"""

from __future__ import annotations

from hashlib import sha256


def seeded_key(seed: int, *names: str) -> bytes:
    """A pseudo-random key to sort by; compare only keys of one purpose, which a name may state.

    >>> seeded_key(1, "A.1", "7") == seeded_key(1, "A.1", "7")
    True
    >>> seeded_key(1, "A.1", "7") == seeded_key(2, "A.1", "7")
    False
    """
    # The lengths keep names apart whatever they contain: "a", "bc" is not "ab", "c".
    text = "".join(f"{len(name)}:{name}" for name in names)
    return sha256(f"{seed};{text}".encode("utf-8", "surrogatepass")).digest()
