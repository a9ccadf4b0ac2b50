"""A typed text in parts: words, formulas in whatever syntax, and operators.

The sources of the parts, joined, are the text, so a page can show how each part of a query was
understood, and let a person correct it.
"""

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

    def values(self, kind: PartKind) -> tuple[str, ...]:
        """The values of all parts of a kind."""
        return tuple(part.value for part in self.parts if part.kind is kind)
