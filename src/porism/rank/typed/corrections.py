"""Misspelled words of a query, by the words of the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from rapidfuzz import process
from rapidfuzz.distance import OSA

from porism.searchindex.components.word_counts import Vocabulary
from porism.text import stem

SHORTEST = 4
"""Characters of a word that is corrected: shorter ones are near to too many others."""

TWO_ERRORS = 7
"""Characters of a word from which two errors are corrected, in shorter ones one."""

ERROR = 3.0
"""What one more error counts against the logarithm of how often a word occurs."""

FIRST_LETTER = 2.0
"""What another first letter counts: few errors are there."""

FREQUENT = 50
"""How many times as frequent as a rare word another one is that is suggested in its place."""

RARE = 20
"""How often a known word occurs at most that may be an error."""

COMMON = 10
"""How often two words occur at least that may have been written as one."""

MOST_CHARACTERS = 32


def best_correction(word: str, vocabulary: Vocabulary) -> str | None:
    """Return the word that was most likely meant by one that the collection does not have.

    A word is likely if it has few errors, and by how often it occurs; one that occurs once may be
    misspelled itself, so it has to be close. Two words may have been written as one.
    """
    if not SHORTEST <= len(word) <= MOST_CHARACTERS:
        return None
    words, counts = vocabulary.words, vocabulary.counts
    errors = 2 if len(word) >= TWO_ERRORS else 1
    near = process.extract(word, words, scorer=OSA.distance, score_cutoff=errors, limit=None)
    worths = {
        each: log(counts[each]) - ERROR * distance - FIRST_LETTER * (each[0] != word[0])
        for each, distance, _ in near
        if distance and (counts[each] > 1 or distance == 1)
    }
    worths |= {
        f"{one} {other}": log(min(counts[one], counts[other])) - ERROR
        for one, other in _halves(word)
        if min(counts.get(one, 0), counts.get(other, 0)) >= COMMON
    }
    return max(worths, key=lambda each: (worths[each], each), default=None)


def _halves(word: str) -> Sequence[tuple[str, str]]:
    return [(word[:at], word[at:]) for at in range(3, len(word) - 2)]


def more_frequent(word: str, vocabulary: Vocabulary) -> str | None:
    """Return a word that differs from a rare one by one error and is much more frequent."""
    counts: Mapping[str, int] = vocabulary.counts
    own = counts.get(word, 0)
    if own > RARE or not SHORTEST < len(word) <= MOST_CHARACTERS:
        return None
    near = process.extract(word, vocabulary.words, scorer=OSA.distance, score_cutoff=1, limit=None)
    better = [
        each
        for each, _, _ in near
        if counts[each] >= FREQUENT * max(1, own) and stem(each) != stem(word)
    ]
    return max(better, key=lambda each: (counts[each], each), default=None)
