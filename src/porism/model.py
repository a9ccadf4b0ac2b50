"""The records of the field, shared by all packages: frozen, and without behaviour.

Ids are strings, as in files. The text of a post is its ``Content``: prose and formulas in reading
order, so that every consumer sees the same text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from operator import itemgetter
from typing import NamedTuple, NewType

TopicId = NewType("TopicId", str)
DocId = NewType("DocId", str)


class Task(IntEnum):
    """The tasks of the lab, by their numbers."""

    ANSWERS = 1
    FORMULAS = 2
    SHORT_ANSWERS = 3


_PARTS = re.compile(r"([0-9]+)|([^0-9]+)")


def natural_key(name: str) -> tuple[tuple[tuple[bool, int, str], ...], str]:
    """A sort key that orders ids as people count, with numbers before words.

    >>> sorted(["A.10", "A.9", "a", "10", "9"], key=natural_key)
    ['9', '10', 'A.9', 'A.10', 'a']
    """
    # Compared by length and digits, since a number may be longer than int() accepts.
    parts = (
        (bool(rest), len(digits.lstrip("0")), digits.lstrip("0") or rest)
        for digits, rest in _PARTS.findall(name)
    )
    return tuple(parts), name  # 7 and 07 are one number and two ids


@dataclass(frozen=True, slots=True)
class Formula:
    """One occurrence of a formula. ``visual_id`` is shared by formulas that look the same.

    ``macros`` are the definitions, as LaTeX, that are in force there and that it uses. ``number``
    identifies the distinct formula, LaTeX with macros, in every collection; formulas of topics and
    typed queries have none.
    """

    id: str
    latex: str
    visual_id: str = ""
    macros: str = ""
    number: int | None = None

    def _repr_latex_(self) -> str:
        """The formula as a notebook displays it."""
        return f"${self.macros}{self.latex}$"


Content = tuple[str | Formula, ...]
"""Prose (plain text, without markup) and formulas in reading order."""


def plain_text(content: Content) -> str:
    r"""Content as text: prose unchanged, each formula between dollars and on one line.

    >>> plain_text(("So\n", Formula("", "x\n = 1"), "."))
    'So\n$x = 1$.'
    """
    return "".join(
        piece if isinstance(piece, str) else f"${' '.join(piece.latex.split())}$"
        for piece in content
    )


class PostKind(StrEnum):
    """The kind of a post. A document is neither a question nor an answer, such as a note."""

    QUESTION = "question"
    ANSWER = "answer"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Location:
    """Where a document is in its source, which may have many documents in one file.

    ``path`` is that of the file, beginning with the name of the ingested folder. ``headings`` are
    those that enclose the document and its own, outermost first, as text with formulas between
    dollars. ``anchor`` is unique in the file, and empty for its beginning. ``label`` is what a
    reader would call the part if it is not a section: "Theorem 3.2", "page 7".
    """

    path: str
    headings: tuple[str, ...] = ()
    anchor: str = ""
    line: int = 1
    label: str = ""


@dataclass(frozen=True, slots=True)
class Post:
    """A question, an answer or a document; what the source does not say is None or empty.

    Only documents have a ``location``.
    """

    id: DocId
    kind: PostKind
    title: Content = ()
    body: Content = ()
    parent_id: DocId | None = None
    tags: tuple[str, ...] = ()
    created: str | None = None
    score: int | None = None
    views: int | None = None
    owner_id: str | None = None
    accepted_id: DocId | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a post."""

    id: str
    post_id: DocId
    text: Content = ()
    created: str | None = None
    score: int | None = None
    user_id: str | None = None


class LinkKind(StrEnum):
    """How two questions are linked; Stack Exchange numbers these 1 and 3."""

    RELATED = "related"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Link:
    """A link from one question to another, which need not be in the collection."""

    post_id: DocId
    related_id: DocId
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class Topic:
    """A query of the lab. ``focus`` is the query formula of a formula topic, else None."""

    id: TopicId
    title: Content = ()
    body: Content = ()
    tags: tuple[str, ...] = ()
    focus: Formula | None = None


class Hit(NamedTuple):
    """A retrieved document and its score; ``post_id`` is the post of a retrieved formula.

    A named tuple, because a search makes thousands, and a frozen dataclass takes three times as
    long to make.
    """

    doc_id: DocId
    score: float
    post_id: DocId | None = None


Ranking = tuple[Hit, ...]
"""Hits, best first, as ``ranked`` orders them."""


def ranked(hits: Iterable[Hit]) -> Ranking:
    """Order hits best first; equal scores by descending ``doc_id``, as trec_eval breaks ties.

    Scores are compared and kept as 32-bit floats, as trec_eval reads them, so a run is evaluated in
    the order in which it was presented.

    >>> [hit.doc_id for hit in ranked([Hit("a", 1.0), Hit("c", 2.0), Hit("b", 1.0)])]
    ['c', 'b', 'a']
    """
    unordered = list(hits)
    scores = array("f", [hit.score for hit in unordered]).tolist()
    rounded = [
        hit if hit.score == score else Hit(hit.doc_id, score, hit.post_id)
        for hit, score in zip(unordered, scores, strict=True)
    ]
    return tuple(sorted(rounded, key=itemgetter(1, 0), reverse=True))  # score and id


@dataclass(frozen=True, slots=True)
class Run:
    """What one system returned: a ranking for each topic."""

    name: str
    rankings: Mapping[TopicId, Ranking] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """One answer of Task 3: its text, and its sources in the system's own notation."""

    text: str
    score: float = 0.0
    rank: int = 1
    sources: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """The short answers of one system: a text for each topic."""

    name: str
    answers: Mapping[TopicId, RunAnswer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Qrels:
    """Relevance judgments: a grade for each judged document of each topic."""

    grades: Mapping[TopicId, Mapping[DocId, int]] = field(default_factory=dict)
