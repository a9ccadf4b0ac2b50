"""What each document that is searched was made of, as one number, to see what has changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from porism.collection.store import Collection
from porism.hashing import text_number


def answer_digests(collection: Collection) -> Iterator[tuple[str, str, int]]:
    """For each answer and note its id, that of its thread, and the digest of all it is made of.

    An answer is searched with its question, the comments on both, and the titles of the questions
    that its question is linked with, so it has changed if any of these has.
    """
    connection = collection._connection
    remarks: dict[int, int] = defaultdict(int)
    for post_id, digest in connection.execute("SELECT post_id, digest FROM comments"):
        remarks[post_id] = (remarks[post_id] + digest) % _NUMBERS
    links: dict[int, int] = defaultdict(int)
    for post_id, other, kind, title in connection.execute(
        "SELECT ours.post_id, ours.other, ours.kind, coalesce(posts.title, linked_titles.title) "
        "FROM (SELECT post_id, related_id AS other, kind FROM links UNION "
        "SELECT related_id, post_id, kind FROM links) AS ours "
        "LEFT JOIN posts ON posts.id = ours.other "
        "LEFT JOIN linked_titles ON linked_titles.post_id = ours.other"
    ):
        link = text_number(str(other), str(kind), title or "")
        links[post_id] = (links[post_id] + link) % _NUMBERS
    for own, parent, name, digest, parent_digest in connection.execute(
        "SELECT posts.id, posts.parent_id, posts.name, posts.digest, questions.digest "
        "FROM posts LEFT JOIN posts AS questions ON questions.id = posts.parent_id "
        "WHERE posts.kind != 'question' ORDER BY coalesce(posts.parent_id, posts.id), posts.id"
    ):
        made_of = (digest, remarks[own], parent_digest, remarks[parent], links[parent or own])
        thread = parent if parent is not None else (name or own)
        yield str(name or own), str(thread), text_number(*map(str, made_of))


_NUMBERS = 1 << 63
