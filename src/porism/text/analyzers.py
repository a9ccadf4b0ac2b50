"""Text to tokens: where words begin and end, and the chains of published systems.

A chain is a value, so that an index can be told apart by the chain its words went through. What a
chain makes of a word depends on the word alone and is kept, so that a text costs one pass of a
regular expression and one look-up for each word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

from porism.text.stemmer import stem
from porism.text.stop_words import LONG_STOP_WORDS, SHORT_STOP_WORDS

WORD = r"[^\W_]+(?:'[^\W_]+)*"
"""Letters and digits of any script; an apostrophe within belongs to the word."""

ALPHANUMERIC = r"[a-z0-9]+"
"""ASCII letters and digits."""

ALPHANUMERIC_OR_FOREIGN = r"[a-z0-9\x80-\U0010FFFF]+"
"""ASCII letters and digits and whatever is not ASCII, also signs."""

_WORD = re.compile(WORD)
_POSSESSIVE = re.compile(r"'s\b")

_MAX_WORDS = 1 << 17
_MAX_LENGTH = 64
"""How many words a chain remembers, and how long they may be: links are long, and seen once."""


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, in order; a possessive 's is no part of its word.

    Letters and digits of any script make words, with their accents. Hyphens part words;
    apostrophes within do not.

    >>> tokens("Euler's non-trivial zeros don't über_2")
    ['euler', 'non', 'trivial', 'zeros', "don't", 'über', '2']
    """
    return _words(_WORD, without_possessives(_lowered(text)))


def without_possessives(text: str) -> str:
    """A text in lower case with white space for each possessive 's, other apostrophes straight."""
    return _POSSESSIVE.sub(" ", text.replace("’", "'").replace("＇", "'"))


@dataclass(frozen=True, slots=True)
class Analyzer:
    """How words become tokens: call it with a text.

    ``word`` is the regular expression of a word in lower case. A word is dropped if it is longer
    than ``longest``, if ``refused`` is found in it, or if it is one of ``stop_words``; what is left
    becomes its Porter stem.

    >>> CLASSIC("The groups of Galois's theory aren't all solvable")
    ['group', 'galoi', 'theori', "aren't", 'all', 'solvabl']
    >>> PLAIN("The n-th root of Euler's x²")
    ['the', 'n', 'th', 'root', 'of', 'euler', 's', 'x²']
    >>> TERRIER("What are Riemann's zeros of zeta(s) below 12345, zzzz and 1234?")
    ['riemann', 'zero', 'zeta', 's', '1234']
    """

    name: str
    word: str = WORD
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    drops_possessives: bool = True
    longest: int | None = None
    refused: str | None = None

    def __call__(self, text: str) -> list[str]:
        """The tokens of a text, in order and with repetitions."""
        text = _lowered(text)
        if self.drops_possessives:
            text = without_possessives(text)
        known = _known(self)
        return [token for word in _words(known.pattern, text) if (token := known[word])]


CLASSIC = Analyzer("classic", stop_words=SHORT_STOP_WORDS)
"""Tangent-L's words (S4 section 2): the English chain of Lucene."""

PLAIN = Analyzer("plain", ALPHANUMERIC_OR_FOREIGN, drops_possessives=False)
"""The words of mtextsearch, MathDowsers' engine of 2022: no stop words, and no apostrophes."""

TERRIER = Analyzer(
    "terrier",
    ALPHANUMERIC,
    stop_words=LONG_STOP_WORDS,
    longest=20,
    refused=r"(.)\1{3}|(?:[0-9][^0-9]*){5}",
)
"""Terrier's words: ASCII only, many stop words, and nothing longer than 20 characters.

Nor is there anything with one character four times in a row, or with more than four digits.
"""


class _Known(dict[str, str]):
    """What a chain makes of words, "" if it drops them; forgets all when it is full."""

    def __init__(self, chain: Analyzer) -> None:
        super().__init__()
        self.pattern = re.compile(chain.word)
        self.analyzer = chain
        self.refused = re.compile(chain.refused) if chain.refused else None

    def __missing__(self, word: str) -> str:
        token = "" if self._is_dropped(word) else stem(word)
        if len(word) <= _MAX_LENGTH:
            if len(self) >= _MAX_WORDS:
                self.clear()
            self[word] = token
        return token

    def _is_dropped(self, word: str) -> bool:
        chain = self.analyzer
        return (
            word in chain.stop_words
            or (chain.longest is not None and len(word) > chain.longest)
            or (self.refused is not None and self.refused.search(word) is not None)
        )


@cache
def _known(chain: Analyzer) -> _Known:
    return _Known(chain)


def _lowered(text: str) -> str:
    """The text in lower case, and each accent in one character with its letter."""
    text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _words(pattern: re.Pattern[str], text: str) -> list[str]:
    found: list[str] = pattern.findall(text)
    return found
