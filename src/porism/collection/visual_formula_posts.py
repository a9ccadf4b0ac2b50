"""The posts that have a formula of one look: how many there are, and the first of them.

Some formulas stand in a good part of all posts, so no more of these are read than are asked for.
"""

from __future__ import annotations

from typing import NamedTuple

from porism.collection.schema import is_number
from porism.collection.store import Collection
from porism.model import DocId


class PostOccurrence(NamedTuple):
    """A question or answer, and the first formula in it that has the look."""

    post_id: DocId
    formula_id: str


def first_formula_id(collection: Collection, visual_id: str) -> str | None:
    """The first formula of that look, if possible one in a post and not in a comment."""
    if not is_number(visual_id):
        return None
    row = collection.connection.execute(
        f"SELECT min(iif(comment_id IS NULL, id, NULL)), min(id) FROM ({_HERE})", (int(visual_id),)
    ).fetchone()
    found = row[0] if row[0] is not None else row[1]
    return None if found is None else str(found)


def count_posts(collection: Collection, visual_id: str) -> int:
    """How many questions and answers have a formula of that look; comments are not counted."""
    if not is_number(visual_id):
        return 0
    (number,) = collection.connection.execute(
        f"SELECT count(DISTINCT post_id) FROM ({_HERE}) WHERE comment_id IS NULL", (int(visual_id),)
    ).fetchone()
    return int(number)


def first_posts(collection: Collection, visual_id: str, most: int) -> list[PostOccurrence]:
    """The first questions and answers that have a formula of that look, by their numbers."""
    if not is_number(visual_id):
        return []
    rows = collection.connection.execute(
        "SELECT coalesce(posts.name, posts.id), formula_id FROM "
        f"(SELECT post_id, min(id) AS formula_id FROM ({_HERE}) WHERE comment_id IS NULL "
        "GROUP BY post_id ORDER BY post_id LIMIT ?2) JOIN posts ON posts.id = post_id "
        "ORDER BY post_id",
        (int(visual_id), most),
    )
    return [PostOccurrence(DocId(str(post_id)), str(formula_id)) for post_id, formula_id in rows]


# As in porism.collection.visual_formulas: of two conditions joined by OR, SQLite would use no index.
_HERE = (
    "SELECT id, post_id, comment_id FROM instances WHERE visual_id = ?1 UNION ALL "
    "SELECT instances.id, post_id, comment_id FROM formulas JOIN instances ON formula = number "
    "WHERE formulas.visual_id = ?1 AND instances.visual_id IS NULL"
)
