"""Short answers with their sources, as every system gives them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from porism.formats.answer_text import MAX_ANSWER_LENGTH as MAX_ANSWER_LENGTH
from porism.model import Content, DocId, PostKind


class AnswerKind(StrEnum):
    """Whether a text was taken from its sources or written by a language model."""

    EXTRACT = "extract"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A post that an answer draws from, or may have drawn from.

    ``number`` is that of its citations, from 1. ``passage`` is the part that was used, as Markdown
    with LaTeX. ``title`` is that of the thread, ``score`` that of the ranking. ``url`` is the post
    in its source, None if the collection does not know it.
    """

    number: int
    doc_id: DocId
    thread_id: DocId
    kind: PostKind
    title: Content
    passage: str
    score: float
    votes: int | None = None
    is_accepted: bool = False
    url: str | None = None


@dataclass(frozen=True, slots=True)
class FormulaCheck:
    """Where the final formula or value of an answer occurs in the sources.

    ``agreeing`` are the numbers of sources that have it, equal up to notation; ``contradicting``
    those that give another value for the same expression. ``holds`` says whether both sides of the
    formula are the same number; None if they are not constants that can be computed.
    """

    latex: str
    agreeing: tuple[int, ...] = ()
    contradicting: tuple[int, ...] = ()
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sources that give different values for the same expression, all as LaTeX."""

    expression: str
    first_source: int
    first_value: str
    second_source: int
    second_value: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What a comparison of an answer's formulas with those of its sources showed."""

    check: FormulaCheck | None = None
    contradictions: tuple[Contradiction, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A generated sentence without its citations, and the numbers of the sources that it cites.

    The model cited them itself if ``is_by_model``; else its words are in the source.
    ``is_supported`` says whether most of its words and formulas are in one of them; None if it has
    too few to tell, or no source.
    """

    text: str
    sources: tuple[int, ...]
    is_by_model: bool
    is_supported: bool | None


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds that the steps of an answer took; a step that was not needed took none."""

    search: float = 0.0
    extract: float = 0.0
    generate: float = 0.0


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """One answer, as Markdown with LaTeX, of at most ``MAX_ANSWER_LENGTH`` characters.

    If there is none, ``text`` is empty, ``reason`` says why, and ``sources`` are the nearest
    results. ``model`` is the language model that wrote the text or the encoder that chose it, empty
    if none did. ``notes`` say what the reader should know of how the text was made.
    """

    text: str
    kind: AnswerKind
    system: str
    sources: tuple[AnswerSource, ...] = ()
    model: str = ""
    score: float = 0.0
    reason: str = ""
    notes: tuple[str, ...] = ()
    sentences: tuple[CitedSentence, ...] = ()
    verification: Verification = Verification()
    timings: Timings = field(default=Timings(), compare=False)


class AnswerListener(Protocol):
    """Receives an answer while it is made."""

    def sources(self, sources: tuple[AnswerSource, ...]) -> None:
        """Receive the sources, before any text is generated."""
        ...

    def text(self, piece: str) -> None:
        """Receive a piece of generated text. It is not checked yet: the answer may differ."""
        ...


class Silent:
    """Receives nothing."""

    def sources(self, sources: tuple[AnswerSource, ...]) -> None:
        """Ignore the sources."""

    def text(self, piece: str) -> None:
        """Ignore the text."""


SILENT = Silent()
