"""Lexical overlap (LO) of Task 3: the tokens that an answer shares with a relevant one.

S3 section 6.3.2 describes bags of tokens, but the lab's released scorer compares sets. The lab's
tokens are MathBERTa's (see ``answer_tokenizers``); the built-in tokenizer below needs no model and
gives other scores.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from porism.evaluation.short_answers.references import Reference
from porism.formats.answer_text import math_pieces

_WORDS = r"\\(?:text(?:rm|bf|it|sf|tt|normal)?|mathrm|mbox|operatorname\*?)\s*\{(?P<words>[^{}]*)\}"
_SIGNS = r"\\(?:begin|end)\{[A-Za-z]+\*?\}|\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?"
_PROSE = re.compile(rf"{_SIGNS}|[^\W\d_]+(?:['’][^\W\d_]+)*|\S", re.DOTALL)
_MATH = re.compile(rf"{_WORDS}|{_SIGNS}|\S", re.DOTALL)

_LAYOUT = frozenset(
    r"{ } & ~ $ \$ \\ \, \; \: \! \> \( \) \[ \] \/ \quad \qquad \left \right \middle \big \Big"
    r" \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \displaystyle \textstyle \limits \nolimits"
    r" \label \tag \nonumber \hline \hfill".split()
) | {"\\ ", "\\\n"}
"""Commands and characters for grouping, spacing and layout, without meaning of their own."""

_PUNCTUATION = frozenset(". , ; : ! ? \" ' ` ’ ‘ “ ” ( ) * # …".split())


def built_in_tokens(text: str) -> list[str]:
    r"""The words of the prose, and the commands, numbers, letters and symbols of the mathematics.

    Words are lower-cased. Single letters and commands keep their case, because A and a, \Gamma and
    \gamma differ in mathematics. Punctuation in prose is dropped, and so are delimiters and layout
    commands of formulas.

    >>> built_in_tokens(r"The area is $\frac{1}{2} A b_{10}$, if \(\text{Area } \neq 2.5\).")
    ['the', 'area', 'is', '\\frac', '1', '2', 'A', 'b', '_', '10', 'if', 'area', '\\neq', '2.5']
    """
    tokens: list[str] = []
    for piece in math_pieces(unicodedata.normalize("NFC", text)):
        tokens += _math_tokens(piece.text) if piece.is_math else _prose_tokens(piece.text)
    return tokens


def _prose_tokens(prose: str) -> list[str]:
    return [
        sign if len(sign) == 1 or sign.startswith("\\") else sign.lower()
        for sign in _PROSE.findall(prose)
        if sign not in _LAYOUT and sign not in _PUNCTUATION
    ]


def _math_tokens(latex: str) -> list[str]:
    tokens: list[str] = []
    for match in _MATH.finditer(latex):
        sign = match.group()
        if match["words"] is not None:
            tokens += _prose_tokens(match["words"])
        elif sign not in _LAYOUT and not sign.startswith(r"\end{"):
            tokens.append(sign)
    return tokens


@dataclass(frozen=True, slots=True)
class AnswerTokenizer:
    """A function from text to tokens, with a name for reports."""

    name: str
    tokens: Callable[[str], Sequence[str]]


BUILT_IN_TOKENIZER = AnswerTokenizer("built-in tokenizer", built_in_tokens)


def token_f1(answer: Iterable[str], reference: Iterable[str], *, bags: bool = False) -> float:
    """The harmonic mean of precision and recall of an answer's tokens; 0 if none are shared.

    Tokens are compared as sets, or as bags, where each occurrence counts.

    >>> token_f1("a a b".split(), "a c c".split())
    0.5
    >>> token_f1("a a b".split(), "a a a c".split(), bags=True) == 4 / 7
    True
    """
    ours, theirs = Counter(answer), Counter(reference)
    if not bags:
        ours, theirs = Counter(ours.keys()), Counter(theirs.keys())
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


@dataclass(frozen=True, slots=True)
class LexicalOverlap:
    """Lexical overlap by a tokenizer. Tokens are cached, since references recur."""

    tokenizer: AnswerTokenizer = BUILT_IN_TOKENIZER
    bags: bool = False
    _cache: dict[str, Sequence[str]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name in reports."""
        return f"{self.tokenizer.name}, {'bags' if self.bags else 'sets'}"

    def score(self, answer: str, reference: str) -> float:
        """The token F1 of two texts."""
        return token_f1(self._tokens(answer), self._tokens(reference), bags=self.bags)

    def _tokens(self, text: str) -> Sequence[str]:
        if text not in self._cache:
            self._cache[text] = self.tokenizer.tokens(text)
        return self._cache[text]


def lexical_overlap(
    answer: str, references: Iterable[Reference], overlap: LexicalOverlap | None = None
) -> float | None:
    """The highest F1 with any reference; None, not 0, without references."""
    overlap = overlap if overlap is not None else LexicalOverlap()
    return max((overlap.score(answer, reference.text) for reference in references), default=None)
