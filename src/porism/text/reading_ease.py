"""Flesch's reading ease, with syllables counted by a rule of our own.

Flesch had people count syllables. The rule here counts groups of vowels and corrects for the most
common exceptions of English spelling; a short list has mathematical words that it would miscount.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from porism.text.analyzers import WORD

_WORD = re.compile(WORD)
# "i.e. so" does not end a sentence: no sentence begins in lower case.
_SENTENCE_END = re.compile(r"""[.!?…]+["'”’)\]]*(?=\s+[^\sa-z]|\s*$)|\n\s*\n""")

_VOWELS = re.compile("[aeiouy]+")
_SILENT = (
    re.compile(r"^y(?=[aeiou])"),  # year
    re.compile(r"(?<=[gq])ue$"),  # unique
    # prove, proves, proved; but not table, classes, limited
    re.compile(r"(?<=[^aeiouy])e$(?<![^aeiouylrw]le)"),
    re.compile(r"(?<=[^aeiouyscgxz])es$(?<![^aeiouylrw]les)(?<![sc]hes)"),
    re.compile(r"(?<=[^aeiouytd])ed$(?<![^aeiouylrw]led)"),
    re.compile(r"(?<=[^aeiouy])e(?=(?:ly|ments?|ness|less|ful)$)"),  # statement
)
_TWO = re.compile(
    r"(?<![tscgx])i[ao]"  # trivial; not partial, action
    r"|(?<=[tc])ia[tb]|tio$|iu|(?<![tc])ient"  # associate, ratio, radius, gradient
    r"|[^aeo]ying|[eou]ing|eyo|eo[rm]"  # trying, doing, beyond, theorem
    r"|(?<![gq])u(?:a|ou|i?ty|enc)"  # evaluate, continuous, continuity, influence
    r"|sm$"  # isomorphism
)
"""Adjacent vowels that are spoken apart, and a syllable without a vowel."""

_KNOWN = {
    "linear": 3,
    "nonlinear": 4,
    "bilinear": 4,
    "collinear": 4,
    "area": 3,
    "areas": 3,
    "idea": 3,
    "ideas": 3,
    "create": 2,
    "theory": 3,
    "theories": 3,
    "real": 1,
    "reals": 1,
    "people": 2,
    "geometry": 4,
    "coefficient": 4,
    "coefficients": 4,
    "euclidean": 5,
    "archimedean": 6,
    "being": 2,
    "poisson": 2,
    "science": 2,
    "society": 4,
    "variety": 4,
    "quiet": 2,
    "client": 2,
    "poem": 2,
    "coordinate": 4,
    "coordinates": 4,
    "cooperate": 4,
    "zero": 2,
    "somewhere": 2,
    "something": 2,
    "sometimes": 2,
    "someone": 2,
    "therefore": 2,
    "hence": 1,
}


@dataclass(frozen=True, slots=True)
class TextSize:
    """The counts that Flesch's measure is computed from."""

    sentences: int
    words: int
    syllables: int


def syllables(word: str) -> int:
    """The number of syllables of an English word, by rule; at least one.

    Accents are ignored, and a word without letters, such as a number, counts as one syllable.

    >>> [syllables(word) for word in ("proof", "table", "theorem", "derivative", "limited")]
    [1, 2, 3, 4, 3]
    """
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", word.lower()) if "a" <= char <= "z"
    )
    if plain in _KNOWN:
        return _KNOWN[plain]
    for silent in _SILENT:
        plain = silent.sub("", plain)
    return max(1, len(_VOWELS.findall(plain)) + len(_TWO.findall(plain)))


def text_size(text: str) -> TextSize:
    """Sentences, words and syllables. A blank line ends a sentence; empty ones do not count.

    >>> text_size("Is it true? I think so, e.g. for primes.")
    TextSize(sentences=2, words=10, syllables=10)
    """
    sentences = [words for part in _SENTENCE_END.split(text) if (words := _WORD.findall(part))]
    counts = [syllables(word) for words in sentences for word in words]
    return TextSize(len(sentences), len(counts), sum(counts))


def reading_ease(text: str) -> float | None:
    """Flesch's Reading Ease: about 100 is very easy, 0 and below very hard; None without words.

    That is 206.835 - 1.015 x words per sentence - 84.6 x syllables per word.

    >>> reading_ease("The cat sat on the mat.")  # 206.835 - 1.015 * 6 - 84.6
    116.145
    """
    size = text_size(text)
    if not size.words:
        return None
    ease = 206.835 - 1.015 * size.words / size.sentences - 84.6 * size.syllables / size.words
    return round(ease, 3)
