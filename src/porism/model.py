"""The records of the field, as every other package speaks of them: frozen, and without behaviour.

Ids are strings, as files have them. What a post says is its ``Content``: prose and formulas in
reading order, so that every consumer sees the same text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from operator import attrgetter
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
    """What orders ids as people count; numbers stand before words.

    >>> sorted(["A.10", "A.9", "a", "10", "9"], key=natural_key)
    ['9', '10', 'A.9', 'A.10', 'a']
    """
    # Compared by length and digits, since nobody says how long a number may be.
    parts = (
        (bool(rest), len(digits.lstrip("0")), digits.lstrip("0") or rest)
        for digits, rest in _PARTS.findall(name)
    )
    return tuple(parts), name  # 7 and 07 are one number and two ids


@dataclass(frozen=True, slots=True)
class Formula:
    """One occurrence of a formula. ``visual_id`` is shared by formulas that look alike.

    ``macros`` are the definitions in force where it stands, as LaTeX, as far as it uses them.
    """

    id: str
    latex: str
    visual_id: str = ""
    macros: str = ""


Content = tuple[str | Formula, ...]
"""Prose (plain text, without markup) and formulas in reading order."""


def plain_text(content: Content) -> str:
    r"""Content as text: prose as it is, each formula between dollars and without line ends.

    >>> plain_text(("So\n", Formula("", "x\n = 1"), "."))
    'So\n$x = 1$.'
    """
    return "".join(
        piece if isinstance(piece, str) else f"${' '.join(piece.latex.split())}$"
        for piece in content
    )


class PostKind(StrEnum):
    """What a post is. A document is a post that neither asks nor answers, such as a note."""

    QUESTION = "question"
    ANSWER = "answer"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Post:
    """A question, an answer or a document; what the source does not tell is None or empty."""

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


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on a post."""

    id: str
    post_id: DocId
    text: Content = ()
    created: str | None = None
    score: int | None = None
    user_id: str | None = None


class LinkKind(StrEnum):
    """How two questions belong together; Stack Exchange numbers these 1 and 3."""

    RELATED = "related"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Link:
    """One question points to another, which need not be in the collection."""

    post_id: DocId
    related_id: DocId
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked of a system. ``focus`` is the query formula of a formula topic, else None."""

    id: TopicId
    title: Content = ()
    body: Content = ()
    tags: tuple[str, ...] = ()
    focus: Formula | None = None


class Hit(NamedTuple):
    """A document found, with its score; of a formula found, ``post_id`` says where it stands.

    A tuple, because a search makes thousands of them and a frozen dataclass takes three times as
    long to make.
    """

    doc_id: DocId
    score: float
    post_id: DocId | None = None


Ranking = tuple[Hit, ...]
"""Hits, best first, as ``ranked`` orders them."""


def ranked(hits: Iterable[Hit]) -> Ranking:
    """Order hits best first; equal scores by descending ``doc_id``, as trec_eval breaks ties.

    Scores are compared, and kept, as the 32-bit numbers that trec_eval would read, so that a run
    is evaluated in the order in which it was shown.

    >>> [hit.doc_id for hit in ranked([Hit("a", 1.0), Hit("c", 2.0), Hit("b", 1.0)])]
    ['c', 'b', 'a']
    """
    given = list(hits)
    scores = array("f", [hit.score for hit in given]).tolist()
    rounded = [
        hit if hit.score == score else Hit(hit.doc_id, score, hit.post_id)
        for hit, score in zip(given, scores, strict=True)
    ]
    return tuple(sorted(rounded, key=attrgetter("score", "doc_id"), reverse=True))


@dataclass(frozen=True, slots=True)
class Run:
    """What one system returned: a ranking for each topic."""

    name: str
    rankings: Mapping[TopicId, Ranking] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """One answer of Task 3: its text, and where it came from, in the system's own words."""

    text: str
    score: float = 0.0
    rank: int = 1
    sources: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """What one system answered: a text for each topic."""

    name: str
    answers: Mapping[TopicId, ShortAnswer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Qrels:
    """What was judged: a grade for each judged document of each topic."""

    grades: Mapping[TopicId, Mapping[DocId, int]] = field(default_factory=dict)
