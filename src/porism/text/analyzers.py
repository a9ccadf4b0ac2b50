"""Text to tokens: word boundaries, and the analyzers of published systems.

An analyzer is a value, so that an index can record which one made its tokens. The token of a word
depends on the word alone and is cached, so that a text costs one pass of a regular expression and
one look-up per word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

from porism.text.stemmer import stem
from porism.text.stop_words import LONG_STOP_WORDS, SHORT_STOP_WORDS

WORD = r"[^\W_]+(?:'[^\W_]+)*"
"""Letters and digits of any script, and apostrophes between them."""

ALPHANUMERIC = r"[a-z0-9]+"
"""ASCII letters and digits."""

ALPHANUMERIC_OR_FOREIGN = r"[a-z0-9\x80-\U0010FFFF]+"
"""ASCII letters and digits and all non-ASCII characters, symbols included."""

_WORD = re.compile(WORD)
_POSSESSIVE = re.compile(r"'s\b")

_MAX_WORDS = 1 << 17
_MAX_LENGTH = 64
"""Number and length of the words that an analyzer caches: URLs are long and seen once."""


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, in order, without possessive 's.

    Words are letters and digits of any script, with their accents. Hyphens separate words;
    apostrophes within a word do not.

    >>> tokens("Euler's non-trivial zeros don't über_2")
    ['euler', 'non', 'trivial', 'zeros', "don't", 'über', '2']
    """
    return _words(_WORD, without_possessives(_lowered(text)))


def without_possessives(text: str) -> str:
    """A lower-case text with a blank for each possessive 's, and other apostrophes straight."""
    return _POSSESSIVE.sub(" ", text.replace("’", "'").replace("＇", "'"))


@dataclass(frozen=True, slots=True)
class Analyzer:
    """How words become tokens: call it with a text.

    ``word`` is the regular expression of a lower-case word. A word is dropped if it is longer than
    ``max_length``, if it contains a match of ``excluded_pattern``, or if it is one of
    ``stop_words``; all others are stemmed by Porter's rules, unless it is not ``is_stemmed``.

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
    max_length: int | None = None
    excluded_pattern: str | None = None
    is_stemmed: bool = True

    def __hash__(self) -> int:
        """That of the name: all fields together would take as long as the words of a sentence."""
        return hash(self.name)

    def __call__(self, text: str) -> list[str]:
        """The tokens of a text, in order and with repetitions."""
        text = _lowered(text)
        if self.drops_possessives:
            text = without_possessives(text)
        cached = _token_cache(self)
        return list(filter(None, map(cached.__getitem__, _words(cached.pattern, text))))


CLASSIC = Analyzer("classic", stop_words=SHORT_STOP_WORDS)
"""Tangent-L's words (S4 section 2): Lucene's English analyzer."""

UNSTEMMED = Analyzer("unstemmed", is_stemmed=False)
"""All words in lower case, as models are trained on them that know the parts of words."""

PLAIN = Analyzer("plain", ALPHANUMERIC_OR_FOREIGN, drops_possessives=False)
"""The words of mtextsearch, MathDowsers' engine of 2022: no stop words, and no apostrophes."""

IN_ORDER = Analyzer("in-order", ALPHANUMERIC_OR_FOREIGN)
"""All words of a text, stop words too: phrases and the distances of words need them."""

TERRIER = Analyzer(
    "terrier",
    ALPHANUMERIC,
    stop_words=LONG_STOP_WORDS,
    max_length=20,
    excluded_pattern=r"(.)\1{3}|(?:[0-9][^0-9]*){5}",
)
"""Terrier's words: ASCII only, many stop words, and nothing longer than 20 characters.

Words with one character four times in a row or with more than four digits are dropped too.
"""


def folded(text: str) -> str:
    """A text in lower case without accents.

    >>> folded("Weierstraß, Hölder and Poincaré")
    'weierstrass, holder and poincare'
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    kept = (char for char in decomposed if unicodedata.category(char) != "Mn")
    return "".join(kept).casefold()


class _TokenCache(dict[str, str]):
    """The token of each word, "" if it is dropped; cleared when full."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self.pattern = re.compile(analyzer.word)
        self.analyzer = analyzer
        pattern = analyzer.excluded_pattern
        self.excluded = re.compile(pattern) if pattern else None

    def __missing__(self, word: str) -> str:
        kept = "" if self._is_dropped(word) else word
        token = stem(kept) if self.analyzer.is_stemmed and kept else kept
        if len(word) <= _MAX_LENGTH:
            if len(self) >= _MAX_WORDS:
                self.clear()
            self[word] = token
        return token

    def _is_dropped(self, word: str) -> bool:
        limit = self.analyzer.max_length
        return (
            word in self.analyzer.stop_words
            or (limit is not None and len(word) > limit)
            or (self.excluded is not None and self.excluded.search(word) is not None)
        )


@cache
def _token_cache(analyzer: Analyzer) -> _TokenCache:
    return _TokenCache(analyzer)


def _lowered(text: str) -> str:
    """The text in lower case, with accents composed with their letters."""
    text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _words(pattern: re.Pattern[str], text: str) -> list[str]:
    words: list[str] = pattern.findall(text)
    return words
