"""Chance that can be repeated: what is drawn for a name is the same wherever it is drawn.

Nothing is drawn one after the other, so what comes out does not depend on the order of runs or
topics, nor on what else is in a pool. Hashes are used and not a generator of random numbers,
because its numbers are those of one version of one library.
"""

from __future__ import annotations

from hashlib import sha256


def seeded_key(seed: int, *names: str) -> bytes:
    """What decides by chance; compare lots of the same purpose, which one of the names may say.

    >>> seeded_key(1, "A.1", "7") == seeded_key(1, "A.1", "7"), seeded_key(1, "A.1", "7") == seeded_key(2, "A.1", "7")
    (True, False)
    """
    # The lengths keep names apart whatever they hold: "a", "bc" is not "ab", "c".
    told = "".join(f"{len(name)}:{name}" for name in names)
    return sha256(f"{seed};{told}".encode("utf-8", "surrogatepass")).digest()
