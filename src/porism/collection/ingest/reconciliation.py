"""Checks that need all posts: orphaned rows, and the join with the lab's formula files.

The lab's formula files list instances by id. Instances with these ids get the values of the files.
Of the other ids, some belong to formulas that lost their id and get it back here (S4 section 2.4);
the rest occur in no post at all (S3 section 3).
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from porism.collection.ingest.draft import DraftCollection
from porism.collection.ingest.instance_ids import POSTS_FROM, RECOVERED
from porism.collection.ingest.posts import IngestRules
from porism.collection.ingest.sources import CollectionSource
from porism.collection.ingest.tables import spelling_number
from porism.collection.ingest.writer import remove_posts
from porism.collection.schema import InstancePlace, transaction
from porism.model import PostKind

_NO_QUESTION = "an answer whose question{} is missing; add the question, or remove the answer"


def remove_orphans(draft: DraftCollection, source: CollectionSource, rules: IngestRules) -> None:
    """Remove rows that belong to no thread; an answer without its question is rejected."""
    connection = draft.connection
    with transaction(connection):
        if rules.until is not None:  # threads whose dates were in another file than the posts
            late = connection.execute(
                "SELECT id FROM posts WHERE substr(created, 1, 4) > ?1 OR parent_id IN "
                "(SELECT id FROM posts WHERE substr(created, 1, 4) > ?1)",
                (str(rules.until),),
            ).fetchall()
            remove_posts(connection, late)
        strays = connection.execute(
            "SELECT id, parent_id, line FROM posts AS answer WHERE kind = ? "
            "AND NOT EXISTS (SELECT 1 FROM posts WHERE posts.id = answer.parent_id)",
            (PostKind.ANSWER,),
        ).fetchall()
        for post_id, parent_id, line in strays:
            reason = _NO_QUESTION.format("" if parent_id is None else f" {parent_id}")
            draft.reject(source.posts[0], line, f"post {post_id}", reason)
        remove_posts(connection, [(post_id,) for post_id, _, _ in strays])
        for table in ("links", "votes"):
            connection.execute(
                f"DELETE FROM {table} WHERE NOT EXISTS "
                f"(SELECT 1 FROM posts WHERE posts.id = {table}.post_id)"
            )


def join_annotations(draft: DraftCollection) -> None:
    """Add the values of the lab's files to the instances, and recover lost ids."""
    connection = draft.connection
    (lines,) = connection.execute("SELECT count(*) FROM annotations").fetchone()
    if not lines:
        return
    _recover_ids(draft)
    with transaction(connection):
        _reject_spurious(connection)
        connection.execute(
            "UPDATE instances SET visual_id = NULL, old_visual_id = NULL, issue = NULL "
            "WHERE coalesce(visual_id, old_visual_id, issue) IS NOT NULL "
            "AND NOT EXISTS (SELECT 1 FROM annotations WHERE annotations.id = instances.id)"
        )
        # A visual id that equals ours, as in files that Porism wrote, is not stored.
        connection.execute(
            "UPDATE instances SET old_visual_id = listed.old_visual_id, issue = listed.issue, "
            "visual_id = nullif(listed.visual_id, "
            "(SELECT visual_id FROM formulas WHERE number = instances.formula)) "
            "FROM annotations AS listed WHERE listed.id = instances.id"
        )
        connection.execute("DELETE FROM annotations")


class _Lost(NamedTuple):
    post_id: int
    comment_id: int | None
    id: int
    spelling: int


def _recover_ids(draft: DraftCollection) -> None:
    """Give ids of the formula files that occur nowhere to equal formulas of the same text."""
    connection = draft.connection
    with transaction(connection):
        # A separate table, since the loop changes the instances.
        connection.execute(
            "CREATE TEMP TABLE lost AS SELECT post_id, comment_id, id, spelling "
            "FROM annotations AS listed "
            "WHERE NOT EXISTS (SELECT 1 FROM instances WHERE instances.id = listed.id) "
            "AND EXISTS (SELECT 1 FROM posts WHERE posts.id = listed.post_id) "
            "ORDER BY post_id, comment_id, id"
        )
        rows = map(_Lost._make, connection.execute("SELECT * FROM lost ORDER BY rowid"))
        for (post_id, comment_id), lost in groupby(rows, key=lambda row: row[:2]):
            _recover_in(connection, post_id, comment_id, lost)
        connection.execute("DROP TABLE lost")


def _recover_in(
    connection: sqlite3.Connection, post_id: int, comment_id: int | None, lost: Iterable[_Lost]
) -> None:
    fresh: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for instance_id, place, latex in connection.execute(
        "SELECT instances.id, place, formulas.latex FROM instances "
        "JOIN formulas ON formulas.number = formula "
        "WHERE post_id = ? AND comment_id IS ? AND instances.id >= ? "
        "ORDER BY instances.id DESC",
        (post_id, comment_id, POSTS_FROM),
    ):
        fresh[spelling_number(latex)].append((instance_id, place))
    for _, _, formula_id, spelled in lost:
        if fresh[spelled]:
            instance_id, place = fresh[spelled].pop()
            connection.execute(
                "UPDATE instances SET id = ?, repairs = repairs | ? WHERE id = ?",
                (formula_id, RECOVERED, instance_id),
            )
            table, column, owner = (
                ("comments", "text", comment_id)
                if place == InstancePlace.COMMENT
                else ("posts", "title" if place == InstancePlace.TITLE else "body", post_id)
            )
            connection.execute(
                f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE id = ?",
                (f'id="{instance_id}"', f'id="{formula_id}"', owner),
            )


def _reject_spurious(connection: sqlite3.Connection) -> None:
    """Record the lines of the formula files whose formula occurs in no post."""
    connection.execute("DELETE FROM rejects WHERE part = ?", (FORMULA_FILES,))
    connection.execute(
        "INSERT INTO rejects SELECT ?1, ?1, line, 'formula ' || id, "
        "'not in post ' || post_id || ', where the formula files have it', 0 "
        "FROM annotations AS listed "
        "WHERE NOT EXISTS (SELECT 1 FROM instances WHERE instances.id = listed.id)",
        (FORMULA_FILES,),
    )


FORMULA_FILES = "formula files"
