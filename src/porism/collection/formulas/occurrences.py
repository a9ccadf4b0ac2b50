"""Formulas by their visual ids, and the posts in which they occur."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from porism.collection.schema import EFFECTIVE_VISUAL_ID, instances_by_visual_id, is_number
from porism.collection.store import Collection, is_refusal
from porism.formula.latex import layout_of
from porism.formula.tree import Tree
from porism.model import DocId


class FormulaOccurrence(NamedTuple):
    """A formula in a question, answer or document, with the metadata of that post.

    ``tags`` are those of the thread. ``is_accepted`` says that the post is an accepted answer.
    """

    formula_id: str
    visual_id: str
    post_id: DocId
    thread_id: DocId
    tags: tuple[str, ...]
    years: tuple[str, ...]
    votes: int | None
    is_accepted: bool
    users: tuple[str, ...]


def occurrences(collection: Collection, visual_id: str) -> Iterator[FormulaOccurrence]:
    """The occurrences of a visual formula in posts, by formula id; comments are left out."""
    return _occurrences(
        collection,
        f"({instances_by_visual_id()}) AS instances",
        "comment_id IS NULL",
        (int(visual_id) if is_number(visual_id) else -1,),
    )


def first_occurrences(
    collection: Collection, visual_ids: Iterable[str]
) -> dict[str, FormulaOccurrence]:
    """The first occurrence in a post for each visual id that has one.

    One query for all ids is many times as fast as one for each.
    """
    matching = instances_by_visual_id("IN (SELECT value FROM json_each(?1))")
    first = _occurrences(
        collection,
        f"(SELECT min(id) AS first FROM ({matching}) WHERE comment_id IS NULL "
        "GROUP BY effective_id) JOIN instances ON instances.id = first",
        "TRUE",
        # A damaged index may have ids that are not numbers.
        (json.dumps([int(each) for each in visual_ids if is_number(each)]),),
    )
    return {each.visual_id: each for each in first}


def first_layouts(collection: Collection, visual_ids: Iterable[str]) -> dict[str, Tree]:
    """The layout tree of each visual formula that occurs in a post and was not refused.

    Formulas with one visual id have the same layout, or nearly so; this is that of the first one.
    """
    matching = instances_by_visual_id("IN (SELECT value FROM json_each(?1))")
    rows = collection._connection.execute(
        "SELECT effective_id, latex, macros, problem FROM (SELECT min(id) AS first, effective_id "
        f"FROM ({matching}) WHERE comment_id IS NULL GROUP BY effective_id) "
        "JOIN instances ON instances.id = first JOIN formulas ON formulas.number = formula",
        (json.dumps([int(each) for each in visual_ids if is_number(each)]),),
    )
    return {
        str(visual_id): layout_of(latex, macros)
        for visual_id, latex, macros, problem in rows
        if not is_refusal(problem)
    }


def occurrences_in(collection: Collection, post_ids: Sequence[str]) -> list[FormulaOccurrence]:
    """The formulas of those posts that are in the collection, without comments, by id."""
    numbers = [number for number in map(collection.find_number, post_ids) if number is not None]
    marks = ", ".join("?" * len(numbers))
    condition = f"instances.post_id IN ({marks}) AND comment_id IS NULL"
    return list(_occurrences(collection, "instances", condition, numbers))


def first_posts(collection: Collection, visual_id: str, limit: int) -> list[FormulaOccurrence]:
    """The first occurrence in each of the first ``limit`` posts with a visual formula.

    Some formulas occur in a large part of all posts, so no more are read.
    """
    if not is_number(visual_id):
        return []
    first = _occurrences(
        collection,
        f"(SELECT min(id) AS first FROM ({instances_by_visual_id()}) WHERE comment_id IS NULL "
        "GROUP BY post_id ORDER BY post_id LIMIT ?2) JOIN instances ON instances.id = first",
        "TRUE",
        (int(visual_id), limit),
        order="posts.id",
    )
    return list(first)


def count_posts(collection: Collection, visual_id: str) -> int:
    """The number of posts with a visual formula, not counting comments."""
    if not is_number(visual_id):
        return 0
    (count,) = collection._connection.execute(
        f"SELECT count(DISTINCT post_id) FROM ({instances_by_visual_id()}) "
        "WHERE comment_id IS NULL",
        (int(visual_id),),
    ).fetchone()
    return int(count)


def first_formula_id(collection: Collection, visual_id: str) -> str | None:
    """The first instance with a visual id, in a post if there is one there, else in a comment."""
    if not is_number(visual_id):
        return None
    in_post, anywhere = collection._connection.execute(
        f"SELECT min(iif(comment_id IS NULL, id, NULL)), min(id) FROM ({instances_by_visual_id()})",
        (int(visual_id),),
    ).fetchone()
    formula_id = anywhere if in_post is None else in_post
    return None if formula_id is None else str(formula_id)


def count_visual_ids(collection: Collection, names: Iterable[str]) -> int:
    """How many of the names are visual ids, of either version of the lab's or ours.

    Formula ids have the same range, so a few of these match by accident.
    """
    (count,) = collection._connection.execute(
        """
        WITH names AS (SELECT value FROM json_each(?))
        SELECT count(*) FROM (
            SELECT visual_id FROM instances WHERE visual_id IN names
            UNION SELECT old_visual_id FROM instances WHERE old_visual_id IN names
            UNION SELECT visual_id FROM formulas WHERE visual_id IN names
        )
        """,
        (json.dumps([int(name) for name in names if is_number(name)]),),
    ).fetchone()
    return int(count)


def _occurrences(
    collection: Collection,
    source: str,
    condition: str,
    values: Sequence[int | str],
    order: str = "instances.id",
) -> Iterator[FormulaOccurrence]:
    rows = collection._connection.execute(
        f"SELECT instances.id, {EFFECTIVE_VISUAL_ID}, coalesce(posts.name, posts.id), "
        f"coalesce(posts.parent_id, posts.name, posts.id), {_METADATA} "
        f"FROM {source} {_JOINS} WHERE {condition} ORDER BY {order}",
        values,
    )
    return (
        FormulaOccurrence(
            str(formula_id),
            str(visual_id),
            DocId(str(post_id)),
            DocId(str(thread_id)),
            tuple(filter(None, tags.split("\n"))),
            (year,) if year else (),
            votes,
            bool(accepted),
            tuple(filter(None, users)),
        )
        for formula_id, visual_id, post_id, thread_id, tags, year, votes, accepted, *users in rows
    )


_METADATA = (
    "coalesce(questions.tags, posts.tags), substr(posts.created, 1, 4), posts.score, "
    "questions.accepted_id IS posts.id, CAST(posts.owner_id AS TEXT), users.name"
)
_JOINS = (
    "JOIN formulas ON formulas.number = instances.formula "
    "JOIN posts ON posts.id = instances.post_id "
    "LEFT JOIN posts AS questions ON questions.id = posts.parent_id "
    "LEFT JOIN users ON users.id = posts.owner_id"
)
