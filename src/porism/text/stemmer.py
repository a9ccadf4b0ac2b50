"""Porter stems of English words (M. F. Porter, 1980), shared by the inflections of a word."""

from __future__ import annotations

import Stemmer

# Its own cache is switched off: analyzers cache the token of each word.
_PORTER = Stemmer.Stemmer("porter", 0)


def stem(word: str) -> str:
    """The Porter stem of a lower-case word, empty only for the empty word.

    Words of one or two letters are left unchanged, as in Porter's own program: by the rules of his
    paper nothing would be left of ``s``.

    >>> [stem(word) for word in ("groups", "commutative", "commutativity", "é", "s")]
    ['group', 'commut', 'commut', 'é', 's']
    """
    if len(word) <= 2:
        return word
    stemmed: str = _PORTER.stemWord(word)
    return stemmed
