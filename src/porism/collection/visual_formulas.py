"""Visually distinct formulas: one that stands for all that look alike, and where they occur."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from porism.collection.schema import is_number
from porism.collection.store import Collection


class VisualFormula(NamedTuple):
    """All formulas with one visual id, the lab's or, of formulas that have none, ours.

    ``formula`` is the number of the one that stands for them: the first in a post, or, if they
    occur in comments only, the first in a comment. ``tags`` and ``years`` are those of the posts,
    ``votes`` are those of the post with most, and ``is_accepted`` says whether one of the posts is
    an accepted answer; posts in whose comments alone it stands do not count for these two.
    """

    visual_id: str
    formula: int
    is_in_post: bool
    tags: tuple[str, ...]
    years: tuple[str, ...]
    votes: int | None
    is_accepted: bool


class FormulaOccurrence(NamedTuple):
    """A formula in a post of a thread, with what the post is filed under.

    ``is_accepted`` says that the post is an answer that the author of its question accepted.
    """

    formula_id: str
    visual_id: str
    post_id: str
    thread_id: str
    tags: tuple[str, ...]
    years: tuple[str, ...]
    votes: int | None
    is_accepted: bool


def visual_formulas(collection: Collection) -> Iterator[VisualFormula]:
    """All visually distinct formulas, in the order of their visual ids."""
    rows = collection.connection.execute(
        f"SELECT {_LOOK} AS look, formula, comment_id IS NOT NULL AS remark, {_FILED} "
        f"FROM instances {_JOINED} ORDER BY look, remark, instances.id"
    )
    for visual_id, group in groupby(rows, key=itemgetter(0)):
        first: tuple[int, bool] | None = None
        tags: set[str] = set()
        years: set[str | None] = set()
        votes: set[int | None] = set()
        is_accepted = False
        for _, formula, remark, listed, year, score, accepted in group:
            first = first or (formula, not remark)
            tags.add(listed)
            years.add(year)
            if not remark:
                votes.add(score)
                is_accepted = is_accepted or bool(accepted)
        assert first is not None
        yield VisualFormula(
            visual_id=str(visual_id),
            formula=first[0],
            is_in_post=first[1],
            tags=tuple(sorted({tag for listed in tags for tag in listed.split("\n") if tag})),
            years=tuple(sorted(filter(None, years))),
            votes=max((each for each in votes if each is not None), default=None),
            is_accepted=is_accepted,
        )


def occurrences(collection: Collection, visual_id: str) -> Iterator[FormulaOccurrence]:
    """Where formulas of that look stand in questions and answers, in the order of their ids."""
    return _occurrences(
        collection,
        # Of two conditions, each of which has an index, SQLite would use neither.
        "(SELECT * FROM instances WHERE visual_id = ?1 UNION ALL "
        "SELECT instances.* FROM formulas JOIN instances ON formula = number "
        "WHERE formulas.visual_id = ?1 AND instances.visual_id IS NULL) AS instances",
        "comment_id IS NULL",
        (int(visual_id) if is_number(visual_id) else -1,),
    )


def first_occurrences(
    collection: Collection, visual_ids: Iterable[str]
) -> dict[str, FormulaOccurrence]:
    """For each visual id the first occurrence in a question or answer, if there is any.

    All at once, which is many times quicker than one after another.
    """
    wanted = "SELECT value FROM json_each(?1)"
    found = _occurrences(
        collection,
        "(SELECT min(id) AS first FROM instances "
        f"WHERE visual_id IN ({wanted}) AND comment_id IS NULL GROUP BY visual_id UNION ALL "
        "SELECT min(instances.id) FROM formulas JOIN instances ON formula = number "
        f"WHERE formulas.visual_id IN ({wanted}) AND instances.visual_id IS NULL "
        "AND comment_id IS NULL GROUP BY formulas.visual_id) "
        "JOIN instances ON instances.id = first",
        "TRUE",
        # An id that is no number, as a damaged index may have, is that of no formula.
        (json.dumps([int(each) for each in visual_ids if is_number(each)]),),
    )
    # Some of a look may have the lab's visual id, and others by chance the same one as ours.
    return {each.visual_id: each for each in reversed(list(found))}


def occurrences_in(collection: Collection, post_ids: Sequence[str]) -> list[FormulaOccurrence]:
    """The formulas of posts that are here, without those of comments, in the order of their ids."""
    found = map(collection.find_number, post_ids)
    numbers = [number for number in found if number is not None]
    marks = ", ".join("?" * len(numbers))
    condition = f"instances.post_id IN ({marks}) AND comment_id IS NULL"
    return list(_occurrences(collection, "instances", condition, numbers))


def _occurrences(
    collection: Collection, source: str, condition: str, values: Sequence[int | str]
) -> Iterator[FormulaOccurrence]:
    rows = collection.connection.execute(
        f"SELECT instances.id, {_LOOK}, coalesce(posts.name, posts.id), "
        f"coalesce(posts.parent_id, posts.name, posts.id), {_FILED} "
        f"FROM {source} {_JOINED} WHERE {condition} ORDER BY instances.id",
        values,
    )
    return (
        FormulaOccurrence(
            str(formula),
            str(look),
            str(post),
            str(thread),
            tuple(filter(None, tags.split("\n"))),
            (year,) if year else (),
            votes,
            bool(is_accepted),
        )
        for formula, look, post, thread, tags, year, votes, is_accepted in rows
    )


_LOOK = "coalesce(instances.visual_id, formulas.visual_id)"
_FILED = (
    "coalesce(questions.tags, posts.tags), substr(posts.created, 1, 4), posts.score, "
    "questions.accepted_id IS posts.id"
)
_JOINED = (
    "JOIN formulas ON formulas.number = instances.formula "
    "JOIN posts ON posts.id = instances.post_id "
    "LEFT JOIN posts AS questions ON questions.id = posts.parent_id"
)
