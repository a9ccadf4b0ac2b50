"""Porter stems of English words (M. F. Porter, 1980), which English spellings of a word share."""

from __future__ import annotations

import Stemmer

# Its own memory is switched off: chains keep what they make of a word, stems included.
_PORTER = Stemmer.Stemmer("porter", 0)


def stem(word: str) -> str:
    """The Porter stem of a word in lower case, never empty for a word that is not.

    Words of one or two letters are left alone, as in Porter's own program: the rules of his paper
    would leave nothing of ``s``.

    >>> [stem(word) for word in ("groups", "commutative", "commutativity", "é", "s")]
    ['group', 'commut', 'commut', 'é', 's']
    """
    if len(word) <= 2:
        return word
    stemmed: str = _PORTER.stemWord(word)
    return stemmed
