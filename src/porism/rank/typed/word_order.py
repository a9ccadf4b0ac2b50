"""Where words are in posts: which follow each other, and which posts have a phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.inverted import key
from porism.inverted.keys import Keys
from porism.searchindex.components.forward_store import NumberRows
from porism.searchindex.components.text_store import BREAK
from porism.text import IN_ORDER
from porism.text.stop_words import SHORT_STOP_WORDS

STOP_KEYS = np.array(
    sorted({key(token) for word in SHORT_STOP_WORDS for token in IN_ORDER(word)}), np.uint64
)
"""Words that may stand between two others, which still follow each other."""

_LAST_BITS = np.uint64(0xFFFF)
_MAY_STOP = np.zeros(0x10000, bool)
_MAY_STOP[STOP_KEYS & _LAST_BITS] = True


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

    def without_stop_words(self) -> WordSequences:
        """Return the same texts without words such as *of*, which phrases have in any place."""
        kept = np.ones(len(self.words), bool)
        # By their last bits alone nearly all other words are known not to be stop words.
        places = np.flatnonzero(_MAY_STOP[self.words & _LAST_BITS])
        words = self.words[places]
        following = np.minimum(np.searchsorted(STOP_KEYS, words), len(STOP_KEYS) - 1)
        kept[places] = STOP_KEYS[following] != words
        return self._kept(kept)

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
