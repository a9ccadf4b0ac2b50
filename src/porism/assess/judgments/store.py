"""Judgments on disk: one SQLite file, to which rows are only ever added.

A judgment is acknowledged when its transaction is on disk, so it is stored exactly once however
the server ends. The current judgments are computed: the latest row counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path

from porism.assess.judgments.assessors import add_assessor, all_assessors, assessor_of, check_name
from porism.assess.judgments.database import (
    AssessmentConflict,
    JudgmentDatabase,
    NotPermitted,
    utc_now,
)
from porism.assess.judgments.final_grades import CandidateKey
from porism.assess.judgments.store_rows import (
    ANNOTATION_COLUMNS,
    JUDGMENT_COLUMNS,
    SELECT_ANNOTATIONS,
    SELECT_INSTRUCTIONS,
    SELECT_JUDGMENTS,
    annotation_from_row,
    instructions_from_rows,
    judgment_from_row,
)
from porism.assess.pools.pool_folder import pool_bytes, pool_digest, pool_from_bytes
from porism.assess.records import (
    Annotation,
    AssessmentBatch,
    Assessor,
    Assignment,
    BatchKind,
    Instructions,
    Judgment,
    NewAnnotation,
    NewJudgment,
    Pool,
    TopicWish,
    VisualMatchRule,
)
from porism.errors import PorismError
from porism.model import DocId, Qrels, TopicId

MAX_COMMENT_LENGTH, MAX_KEY_LENGTH = 4_000, 100


class JudgmentStore:
    """The data of an assessment; any number of threads and processes may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = JudgmentDatabase(path)
        self._pools: dict[str, Pool] = {}
        self._known: dict[str, frozenset[CandidateKey]] = {}

    def close(self) -> None:
        """Close the connection of this thread."""
        self._database.close()

    # Batches

    def add_batch(
        self, name: str, kind: BatchKind, pool: Pool, earlier: Qrels | None = None
    ) -> None:
        """Add a pool to be judged; adding the same again changes nothing.

        ``earlier`` are grades that candidates had before; assessors do not see them.
        """
        # The name is part of addresses.
        check_name("a batch", name)
        if "/" in name or name in (".", ".."):
            raise PorismError(f"{name!r} cannot be the name of a batch: choose another")
        with self._database.transaction() as connection:
            known = connection.execute(
                "SELECT kind, digest FROM batches WHERE name = ?", (name,)
            ).fetchone()
            if known == (kind, pool_digest(pool)):
                return
            if known is not None:
                raise AssessmentConflict(
                    f"{self.path}: the batch {name} already has another pool; choose another name "
                    "for this one"
                )
            connection.execute(
                "INSERT INTO batches VALUES (?, ?, ?, ?, ?)",
                (name, kind, pool_digest(pool), pool_bytes(pool), utc_now()),
            )
            grades = {} if earlier is None else earlier.grades
            connection.executemany(
                "INSERT INTO earlier_grades VALUES (?, ?, ?, ?)",
                [
                    (name, each.topic_id, each.doc_id, grades[each.topic_id][each.doc_id])
                    for each in pool.candidates
                    if each.doc_id in grades.get(each.topic_id, {})
                ],
            )

    def batches(self) -> tuple[AssessmentBatch, ...]:
        """All batches, oldest first."""
        rows = self._database.rows("SELECT name, kind, digest, at FROM batches ORDER BY rowid")
        return tuple(
            AssessmentBatch(name, BatchKind(kind), digest, at) for name, kind, digest, at in rows
        )

    def pool(self, batch: str) -> Pool:
        """The pool of a batch; it never changes."""
        if batch not in self._pools:
            rows = self._database.rows("SELECT pool FROM batches WHERE name = ?", batch)
            if not rows:
                raise NotPermitted(f"there is no batch {batch}")
            self._pools[batch] = pool_from_bytes(rows[0][0])
        return self._pools[batch]

    def earlier_grades(self, batch: str) -> Qrels:
        """The grades that candidates of a batch had before it."""
        grades: dict[TopicId, dict[DocId, int]] = {}
        for topic, document, grade in self._database.rows(
            "SELECT topic, document, grade FROM earlier_grades WHERE batch = ?", batch
        ):
            grades.setdefault(TopicId(topic), {})[DocId(document)] = grade
        return Qrels(grades)

    # Instructions

    def set_instructions(
        self, same_look: VisualMatchRule | None, asks_annotations: bool | None
    ) -> Instructions:
        """Change the instructions for judgments from now on; None leaves a value unchanged."""
        with self._database.transaction() as connection:
            before = instructions_from_rows(connection.execute(SELECT_INSTRUCTIONS).fetchall())[-1]
            changed = replace(
                before,
                same_look=before.same_look if same_look is None else same_look,
                asks_annotations=before.asks_annotations
                if asks_annotations is None
                else asks_annotations,
            )
            if changed == before:
                return before
            new = replace(changed, number=before.number + 1, at=utc_now())
            connection.execute(
                "INSERT INTO instructions (number, same_look, asks_annotations, at) "
                "VALUES (?, ?, ?, ?)",
                (new.number, new.same_look, new.asks_annotations, new.at),
            )
            return new

    def instructions(self) -> tuple[Instructions, ...]:
        """All instructions that assessors ever had; the last are the current ones."""
        return instructions_from_rows(self._database.rows(SELECT_INSTRUCTIONS))

    # Assessors

    def add_assessor(self, name: str, is_admin: bool = False) -> str:
        """Add an assessor and return the token to sign in with, which cannot be read again."""
        return add_assessor(self._database, name, is_admin)

    def assessors(self) -> tuple[Assessor, ...]:
        """All assessors, in the order in which they were added."""
        return all_assessors(self._database)

    def assessor_of_token(self, token: str) -> Assessor | None:
        """The assessor with this token, if any."""
        return assessor_of(self._database, token)

    # Assignments

    def assign(self, batch: str, topic_id: str, assessor: str, is_second: bool = False) -> None:
        """Assign a topic; one that is already assigned to another only if ``is_second``."""
        self.assign_all(batch, [(topic_id, assessor)], is_second)

    def assign_all(
        self, batch: str, given: Iterable[tuple[str, str]], is_second: bool = False
    ) -> None:
        """Assign topics to assessors, all or none."""
        pairs = list(given)
        for topic_id, _ in pairs:
            self._check_topic(batch, topic_id)
        with self._database.transaction() as connection:
            known = {name for (name,) in connection.execute("SELECT name FROM assessors")}
            for topic_id, assessor in pairs:
                current = _assigned(connection, batch, topic_id)
                if assessor in current:
                    continue
                if current and not is_second:
                    raise AssessmentConflict(
                        f"topic {topic_id} is already assigned to {', '.join(current)}"
                    )
                if assessor not in known:
                    raise NotPermitted(f"there is no assessor {assessor}")
                _add_assignment(connection, batch, topic_id, assessor, is_assigned=True)

    def unassign(self, batch: str, topic_ids: Iterable[str], assessor: str) -> None:
        """Unassign topics; judgments stay and count as before."""
        unassigned = list(topic_ids)
        for topic_id in unassigned:
            self._check_topic(batch, topic_id)
        with self._database.transaction() as connection:
            for topic_id in unassigned:
                if assessor in _assigned(connection, batch, topic_id):
                    _add_assignment(connection, batch, topic_id, assessor, is_assigned=False)

    def assignments(self, batch: str) -> tuple[Assignment, ...]:
        """The current assignments of a batch, in the order in which they were made."""
        rows = self._database.rows(
            "SELECT topic, assessor, is_assigned, at FROM assignments WHERE batch = ? "
            "AND number IN (SELECT max(number) FROM assignments GROUP BY batch, topic, assessor) "
            "ORDER BY number",
            batch,
        )
        return tuple(
            Assignment(batch, TopicId(topic), assessor, at)
            for topic, assessor, is_assigned, at in rows
            if is_assigned
        )

    def record_wishes(self, batch: str, assessor: str, wishes: Mapping[TopicId, int]) -> None:
        """Record how much an assessor would like to judge topics, from 0 to 3."""
        for topic_id, wish in wishes.items():
            self._check_topic(batch, topic_id)
            if wish not in range(4):
                raise PorismError(f"found the wish {wish}: expected a number from 0 to 3")
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO wishes (batch, topic, assessor, wish, at) VALUES (?, ?, ?, ?, ?)",
                [(batch, topic_id, assessor, wish, utc_now()) for topic_id, wish in wishes.items()],
            )

    def wishes(self, batch: str) -> tuple[TopicWish, ...]:
        """The current wishes: the latest of each assessor and topic."""
        rows = self._database.rows(
            "SELECT topic, assessor, wish FROM wishes WHERE batch = ? AND number IN "
            "(SELECT max(number) FROM wishes GROUP BY batch, topic, assessor) ORDER BY number",
            batch,
        )
        return tuple(
            TopicWish(batch, TopicId(topic), assessor, wish) for topic, assessor, wish in rows
        )

    # Judgments

    def record(self, assessor: Assessor, new: NewJudgment) -> Judgment:
        """Add a judgment, which is on disk when this returns; one sent again is not added again.

        Only assessors of the topic may judge its candidates, and only administrators adjudicate.
        """
        self._check(assessor, new)
        with self._database.transaction() as connection:
            if not new.is_adjudication and assessor.name not in _assigned(
                connection, new.batch, new.topic_id
            ):
                known = connection.execute(
                    f"{SELECT_JUDGMENTS} WHERE key = ?", (new.key,)
                ).fetchone()
                if known is None:
                    raise NotPermitted(f"topic {new.topic_id} is not assigned to you")
            return _recorded(connection, assessor.name, new)

    def import_judgments(self, given: Iterable[tuple[str, NewJudgment]]) -> int:
        """Add judgments made elsewhere, with their assessors, all or none; return how many.

        Unknown assessors are added without a token, and the topics that they judged are assigned
        to them. Judgments that are already stored are not added again.
        """
        judgments = list(given)
        for name, new in judgments:
            check_name("an assessor", name)
            self._check(Assessor(name), new)
        with self._database.transaction() as connection:
            before = connection.execute("SELECT count(*) FROM judgments").fetchone()[0]
            for name in dict.fromkeys(name for name, _ in judgments):
                connection.execute(
                    "INSERT INTO assessors SELECT ?1, 0, ?2 WHERE NOT EXISTS "
                    "(SELECT 1 FROM assessors WHERE name = ?1)",
                    (name, utc_now()),
                )
            topics = dict.fromkeys((new.batch, new.topic_id, name) for name, new in judgments)
            for batch, topic_id, name in topics:
                if name not in _assigned(connection, batch, topic_id):
                    _add_assignment(connection, batch, topic_id, name, is_assigned=True)
            for name, new in judgments:
                _recorded(connection, name, new)
            after = connection.execute("SELECT count(*) FROM judgments").fetchone()[0]
        return int(after - before)

    def _check(self, assessor: Assessor, new: NewJudgment) -> None:
        self._check_act(new)
        if not isfinite(new.seconds):
            raise PorismError(f"found {new.seconds} seconds: expected a finite number of seconds")
        if len(new.comment) > MAX_COMMENT_LENGTH:
            raise PorismError(f"a comment has at most {MAX_COMMENT_LENGTH:,} characters")
        if new.is_adjudication and not assessor.is_admin:
            raise NotPermitted("only administrators can adjudicate")

    def _check_act(self, new: NewJudgment | NewAnnotation) -> None:
        if not 0 < len(new.key) <= MAX_KEY_LENGTH:
            raise PorismError(f"the key of a judgment must have 1 to {MAX_KEY_LENGTH} characters")
        if (new.topic_id, new.doc_id) not in self._candidates(new.batch):
            raise NotPermitted(f"{new.doc_id} is not a candidate for topic {new.topic_id}")

    def _candidates(self, batch: str) -> frozenset[tuple[TopicId, DocId]]:
        if batch not in self._known:
            self._known[batch] = frozenset(
                (each.topic_id, each.doc_id) for each in self.pool(batch).candidates
            )
        return self._known[batch]

    def judgments(
        self, batch: str, assessor: str | None = None, topic_id: str | None = None
    ) -> tuple[Judgment, ...]:
        """All judgments ever made in a batch, by all assessors or one, in the order of time."""
        filters = {"batch": batch, "assessor": assessor, "topic": topic_id}
        values = {column: value for column, value in filters.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in values)
        rows = self._database.rows(
            f"{SELECT_JUDGMENTS} WHERE {where} ORDER BY number", *values.values()
        )
        return tuple(map(judgment_from_row, rows))

    # Annotations

    def annotate(self, assessor: Assessor, new: NewAnnotation) -> Annotation:
        """Add an annotation, as ``record`` adds a judgment; only administrators may."""
        self._check_act(new)
        if not assessor.is_admin:
            raise NotPermitted("only administrators can annotate the answers that others judged")
        values = (
            new.key,
            new.batch,
            assessor.name,
            new.topic_id,
            new.doc_id,
            new.is_machine_made,
            new.is_unrelated,
        )
        with self._database.transaction() as connection:
            known = connection.execute(f"{SELECT_ANNOTATIONS} WHERE key = ?", (new.key,)).fetchone()
            if known is None:
                connection.execute(
                    f"INSERT INTO annotations ({ANNOTATION_COLUMNS}, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (*values, utc_now()),
                )
                known = connection.execute(
                    f"{SELECT_ANNOTATIONS} WHERE key = ?", (new.key,)
                ).fetchone()
            elif tuple(known[1:-1]) != values:
                raise AssessmentConflict("another annotation was sent with the same key")
        return annotation_from_row(known)

    def annotations(self, batch: str) -> tuple[Annotation, ...]:
        """All annotations ever made in a batch, in the order of time."""
        rows = self._database.rows(f"{SELECT_ANNOTATIONS} WHERE batch = ? ORDER BY number", batch)
        return tuple(map(annotation_from_row, rows))

    def _check_topic(self, batch: str, topic_id: str) -> None:
        if all(topic.id != topic_id for topic in self.pool(batch).topics):
            raise NotPermitted(f"there is no topic {topic_id} in {batch}")
        if all(topic != topic_id for topic, _ in self._candidates(batch)):
            raise NotPermitted(
                f"topic {topic_id} has no candidates in {batch}, so it cannot be judged"
            )


def _recorded(connection: sqlite3.Connection, assessor: str, new: NewJudgment) -> Judgment:
    """The stored judgment, added unless its key is known."""
    values = (
        new.key,
        new.batch,
        assessor,
        new.topic_id,
        new.doc_id,
        new.choice,
        round(max(0.0, new.seconds), 1),
        new.comment,
        new.is_adjudication,
        new.is_machine_made,
        new.is_unrelated,
    )
    known = connection.execute(f"{SELECT_JUDGMENTS} WHERE key = ?", (new.key,)).fetchone()
    if known is not None:
        if tuple(known[1:-2]) != values:
            raise AssessmentConflict("another judgment was sent with the same key")
        return judgment_from_row(known)
    last = connection.execute("SELECT ifnull(max(number), 0) FROM instructions").fetchone()[0]
    number = last if new.instructions is None else new.instructions
    if not 0 <= number <= last:
        raise PorismError(f"there are no instructions {number}: expected 0 to {last}")
    connection.execute(
        f"INSERT INTO judgments ({JUDGMENT_COLUMNS}, instructions, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, number, new.at or utc_now()),
    )
    return judgment_from_row(
        connection.execute(f"{SELECT_JUDGMENTS} WHERE key = ?", (new.key,)).fetchone()
    )


def _assigned(connection: sqlite3.Connection, batch: str, topic_id: str) -> list[str]:
    """The current assessors of a topic."""
    rows = connection.execute(
        "SELECT assessor, is_assigned FROM assignments WHERE batch = ? AND topic = ? "
        "AND number IN (SELECT max(number) FROM assignments GROUP BY batch, topic, assessor) "
        "ORDER BY number",
        (batch, topic_id),
    )
    return [assessor for assessor, is_assigned in rows if is_assigned]


def _add_assignment(
    connection: sqlite3.Connection, batch: str, topic_id: str, assessor: str, is_assigned: bool
) -> None:
    connection.execute(
        "INSERT INTO assignments (batch, topic, assessor, is_assigned, at) VALUES (?, ?, ?, ?, ?)",
        (batch, topic_id, assessor, is_assigned, utc_now()),
    )
