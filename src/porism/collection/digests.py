"""Digests of searchable documents, by which an update of an index finds changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from porism.collection.store import Collection
from porism.hashing import text_number


def answer_digests(collection: Collection) -> Iterator[tuple[str, str, int]]:
    """The id, thread id and digest of each answer and document.

    An answer is indexed with its question, the comments on both, the titles of linked questions and
    the name of its author, so its digest covers all of these.
    """
    comments, links = _context(collection)
    for own, parent, name, digest, parent_digest, author in collection._connection.execute(
        "SELECT posts.id, posts.parent_id, posts.name, posts.digest, questions.digest, users.name "
        "FROM posts LEFT JOIN posts AS questions ON questions.id = posts.parent_id "
        "LEFT JOIN users ON users.id = posts.owner_id "
        "WHERE posts.kind != 'question' ORDER BY coalesce(posts.parent_id, posts.id), posts.id"
    ):
        of_question = (parent_digest, comments[parent], links[parent or own])
        parts = (digest, comments[own], *of_question, author)
        thread = parent if parent is not None else (name or own)
        yield str(name or own), str(thread), text_number(*map(str, parts))


def question_digests(collection: Collection) -> Iterator[tuple[str, int]]:
    """The id and digest of each question, with its comments and the titles linked with it."""
    comments, links = _context(collection)
    for own, digest, author in collection._connection.execute(
        "SELECT posts.id, digest, users.name FROM posts "
        "LEFT JOIN users ON users.id = posts.owner_id WHERE kind = 'question' ORDER BY posts.id"
    ):
        yield str(own), text_number(*map(str, (digest, comments[own], links[own], author)))


class _Context(NamedTuple):
    """Digests of what is indexed with posts, by the numbers of the posts."""

    comments: Mapping[int, int]
    links: Mapping[int, int]


def _context(collection: Collection) -> _Context:
    connection = collection._connection
    comments: dict[int, int] = defaultdict(int)
    for post_id, digest in connection.execute("SELECT post_id, digest FROM comments"):
        comments[post_id] = (comments[post_id] + digest) % _MODULUS
    links: dict[int, int] = defaultdict(int)
    for post_id, other, kind, title in connection.execute(
        "SELECT pair.post_id, pair.other, pair.kind, coalesce(posts.title, linked_titles.title) "
        "FROM (SELECT post_id, related_id AS other, kind FROM links UNION "
        "SELECT related_id, post_id, kind FROM links) AS pair "
        "LEFT JOIN posts ON posts.id = pair.other "
        "LEFT JOIN linked_titles ON linked_titles.post_id = pair.other"
    ):
        link = text_number(str(other), str(kind), title or "")
        links[post_id] = (links[post_id] + link) % _MODULUS
    return _Context(comments, links)


_MODULUS = 1 << 63
