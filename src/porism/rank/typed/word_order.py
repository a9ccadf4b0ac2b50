"""Where words are in posts: which follow each other, and which posts have a phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.inverted.keys import Keys
from porism.searchindex.components.forward_store import NumberRows, short_key
from porism.searchindex.components.text_store import BREAK
from porism.text import IN_ORDER
from porism.text.stop_words import SHORT_STOP_WORDS

STOP_KEYS = np.array(
    sorted({short_key(token) for word in SHORT_STOP_WORDS for token in IN_ORDER(word)}), np.uint64
)
"""Words that may stand between two others, which still follow each other."""

_LAST_BITS = np.uint64(0xFFFF)


def _marked(words: Keys) -> NDArray[np.bool_]:
    """Return which last bits some of these words have."""
    marked = np.zeros(0x10000, bool)
    marked[words & _LAST_BITS] = True
    return marked


def _are_stop_words(words: Keys) -> NDArray[np.bool_]:
    following = np.minimum(np.searchsorted(STOP_KEYS, words), len(STOP_KEYS) - 1)
    are_equal: NDArray[np.bool_] = STOP_KEYS[following] == words
    return are_equal


@dataclass(frozen=True, slots=True)
class WordSequences:
    """The words of several texts one after another, and the place of the text of each."""

    words: Keys
    texts: NDArray[np.int64]
    number: int

    @staticmethod
    def of(texts: NumberRows) -> WordSequences:
        """Return texts as sequences."""
        number = len(texts.lengths)
        return WordSequences(texts.numbers, np.repeat(np.arange(number), texts.lengths), number)

    def titles(self) -> WordSequences:
        """Return the titles of the same texts: what is before the first break, if there is one."""
        is_break = self.words == BREAK
        breaks = np.bincount(self.texts[is_break], minlength=self.number)
        passed = np.cumsum(is_break) - (np.cumsum(breaks) - breaks)[self.texts]
        return self._kept((passed == 0) & (breaks[self.texts] > 0))

    def having_pairs(self, pairs: Sequence[Keys]) -> NDArray[np.bool_]:
        """Return which pairs (rows) of words, none a stop word, follow each other in which texts.

        Stop words may stand between the two. Texts are read once for all pairs, and most of their
        words are passed over by their last bits.
        """
        result = np.zeros((len(pairs), self.number), bool)
        if not len(self.words):
            return result
        firsts = _marked(np.array([pair[0] for pair in pairs], np.uint64))
        places = np.flatnonzero(firsts[self.words & _LAST_BITS])
        followers = places + 1
        between = np.arange(len(places))
        while len(between):
            between = between[followers[between] < len(self.words)]
            between = between[_are_stop_words(self.words[followers[between]])]
            followers[between] += 1
        is_followed = followers < len(self.words)
        places, followers = places[is_followed], followers[is_followed]
        words, next_words, texts = self.words[places], self.words[followers], self.texts[places]
        is_same = texts == self.texts[followers]
        for row, (one, other) in enumerate(pairs):
            result[row, texts[(words == one) & (next_words == other) & is_same]] = True
        return result

    def _kept(self, kept: NDArray[np.bool_]) -> WordSequences:
        return WordSequences(self.words[kept], self.texts[kept], self.number)

    def having(self, phrase: Keys) -> NDArray[np.bool_]:
        """Return which texts have these words one directly after another."""
        result = np.zeros(self.number, bool)
        size = len(phrase)
        places = np.flatnonzero(self.words[: max(0, len(self.words) - size + 1)] == phrase[0])
        for offset in range(1, size):
            places = places[self.words[places + offset] == phrase[offset]]
        places = places[self.texts[places] == self.texts[places + size - 1]]
        result[self.texts[places]] = True
        return result


def without_stop_words(words: Sequence[int]) -> list[int]:
    """Return the keys of words but stop words and breaks."""
    stops = frozenset(STOP_KEYS.tolist())
    return [word for word in words if word not in stops and word != BREAK]
