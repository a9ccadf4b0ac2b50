"""Questions and their statistics, without reading their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from porism.collection.schema import is_number
from porism.collection.store import DUPLICATE, Collection
from porism.model import DocId, Link, LinkKind, PostKind


@dataclass(frozen=True, slots=True)
class QuestionStats:
    """Statistics of a question; ``reputation`` is that of its author.

    Answers and comments are the site's counts or, without these, those in the collection.
    """

    id: DocId
    year: int | None
    score: int | None
    views: int | None
    answers: int
    comments: int
    reputation: int | None
    tags: tuple[str, ...]


def question_stats(collection: Collection) -> Iterator[QuestionStats]:
    """The statistics of every question, by number."""
    rows = collection._connection.execute(_STATS, (PostKind.QUESTION,))
    for number, created, score, views, answers, comments, reputation, tags in rows:
        year = (created or "")[:4]
        yield QuestionStats(
            DocId(str(number)),
            int(year) if is_number(year) else None,
            score,
            views,
            answers,
            comments,
            reputation,
            tuple(tags.split("\n")) if tags else (),
        )


_STATS = """
SELECT posts.id, posts.created, score, views,
    coalesce(answer_count, (SELECT count(*) FROM posts AS answer WHERE parent_id = posts.id)),
    coalesce(comment_count, (SELECT count(*) FROM comments WHERE post_id = posts.id)),
    reputation, tags
FROM posts LEFT JOIN users ON users.id = owner_id WHERE kind = ? ORDER BY posts.id
"""


def has_question(collection: Collection, post_id: str) -> bool:
    """Whether there is such a post, and it is a question."""
    row = collection._connection.execute(
        "SELECT kind FROM posts WHERE id = ?", (collection.find_number(post_id),)
    ).fetchone()
    return row is not None and row[0] == PostKind.QUESTION


def answer_ids(collection: Collection, question_id: str) -> tuple[DocId, ...]:
    """The ids of the answers to a question, by number."""
    rows = collection._connection.execute(
        "SELECT id FROM posts WHERE parent_id = ? ORDER BY id", (collection.number(question_id),)
    )
    return tuple(DocId(str(number)) for (number,) in rows.fetchall())


@dataclass(frozen=True, slots=True)
class AnswerVotes:
    """An answer, its question, the score of its votes if known, and whether it is accepted."""

    id: DocId
    question_id: DocId
    score: int | None
    is_accepted: bool


def answer_votes(collection: Collection) -> Iterator[AnswerVotes]:
    """Every answer whose question is in the collection, by question and number."""
    for number, question, score, is_accepted in collection._connection.execute(_VOTES):
        yield AnswerVotes(DocId(str(number)), DocId(str(question)), score, bool(is_accepted))


_VOTES = """
SELECT answer.id, question.id, answer.score, question.accepted_id IS answer.id
FROM posts AS answer JOIN posts AS question ON question.id = answer.parent_id
ORDER BY question.id, answer.id
"""


def question_links(collection: Collection) -> Iterator[Link]:
    """The links between two different questions of the collection, as stored, by their numbers."""
    for post_id, related_id, kind in collection._connection.execute(_LINKS, (PostKind.QUESTION,)):
        yield _link(post_id, related_id, kind)


def title_links(collection: Collection) -> Iterator[Link]:
    """The links of questions with others of which the collection has the title only.

    The first post of each link is the question that is here, in whichever direction it was stored.
    """
    for post_id, related_id, kind in collection._connection.execute(
        _TITLE_LINKS, (PostKind.QUESTION,)
    ):
        yield _link(post_id, related_id, kind)


def _link(post_id: int, related_id: int, kind: int) -> Link:
    return Link(
        DocId(str(post_id)),
        DocId(str(related_id)),
        LinkKind.DUPLICATE if kind == DUPLICATE else LinkKind.RELATED,
    )


_LINKS = """
SELECT DISTINCT links.post_id, links.related_id, links.kind
FROM links
JOIN posts AS question ON question.id = links.post_id
JOIN posts AS related ON related.id = links.related_id
WHERE question.kind = ?1 AND related.kind = ?1 AND question.id != related.id
ORDER BY links.post_id, links.related_id, links.kind DESC
"""

_TITLE_LINKS = """
SELECT question, other, both.kind FROM (
    SELECT post_id AS question, related_id AS other, kind FROM links
    UNION SELECT related_id, post_id, kind FROM links
) AS both
JOIN posts ON posts.id = question
JOIN linked_titles ON linked_titles.post_id = other
WHERE posts.kind = ?1 AND other NOT IN (SELECT id FROM posts)
ORDER BY question, other, both.kind DESC
"""
