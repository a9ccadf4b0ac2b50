"""The parts of a query: words, formulas and operators, with what each of them means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PartKind(StrEnum):
    """What a part of a query is."""

    WORDS = "words"
    FORMULA = "formula"
    PHRASE = "phrase"
    EXCLUDED = "excluded"
    TAG = "tag"
    USER = "user"
    SCORE = "score"
    POST = "post"


class FormulaSyntax(StrEnum):
    """How a formula was typed."""

    DELIMITED = "delimited"
    LATEX = "latex"
    UNICODE = "unicode"
    PLAIN = "plain"
    SPOKEN = "spoken"


@dataclass(frozen=True, slots=True)
class QueryPart:
    """A part of a query: ``source`` as it was typed, and what it means.

    ``value`` is the LaTeX of a formula, the words of a phrase, the word or phrase that is excluded,
    the name of a tag or user, a least number of votes, or the id of a post; empty for words.
    """

    kind: PartKind
    source: str
    value: str = ""
    syntax: FormulaSyntax | None = None


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A query in parts, in reading order."""

    parts: tuple[QueryPart, ...] = ()

    @property
    def text(self) -> str:
        """The query as it was typed.

        >>> words = QueryPart(PartKind.WORDS, "roots of ")
        >>> formula = QueryPart(PartKind.FORMULA, "x²", "x^2", FormulaSyntax.UNICODE)
        >>> Interpretation((words, formula)).text
        'roots of x²'
        """
        return "".join(part.source for part in self.parts)

    @property
    def formulas(self) -> tuple[QueryPart, ...]:
        """The parts that are formulas."""
        return tuple(part for part in self.parts if part.kind is PartKind.FORMULA)

    def values(self, kind: PartKind) -> tuple[str, ...]:
        """The values of all parts of a kind."""
        return tuple(part.value for part in self.parts if part.kind is kind)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text by its place; ``part`` says what is there."""

    start: int
    end: int
    part: QueryPart


def joined_parts(text: str, spans: list[Span]) -> tuple[QueryPart, ...]:
    """The parts of a text: those of ``spans``, in order and apart, and words in between.

    Adjacent words are one part.
    """
    parts: list[QueryPart] = []
    words_from = 0
    for span in spans:
        if span.part.kind is PartKind.WORDS:
            continue
        if words_from < span.start:
            parts.append(QueryPart(PartKind.WORDS, text[words_from : span.start]))
        parts.append(span.part)
        words_from = span.end
    if words_from < len(text):
        parts.append(QueryPart(PartKind.WORDS, text[words_from:]))
    return tuple(parts)
