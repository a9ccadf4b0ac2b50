"""Judgments on disk: one SQLite file, to which rows are only ever added.

A judgment is acknowledged when its transaction is on disk, so whatever ends the server, what was
acknowledged is there once. What is in force is computed: the latest row counts.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from math import isfinite
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from porism.assess.pool_files import pool_bytes, pool_digest, pool_of
from porism.assess.records import BatchKind, Choice, Judgment, Pool
from porism.errors import PorismError
from porism.model import DocId, TopicId

APPLICATION_ID = 0x506F724A  # "PorJ"

LONGEST_NAME, LONGEST_COMMENT, LONGEST_KEY = 80, 4_000, 100

WAIT_SECONDS = 20.0
"""So long is waited for another process that is writing."""

TABLES = """
CREATE TABLE batches (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    pool BLOB NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE assessors (name TEXT PRIMARY KEY, is_admin INTEGER NOT NULL, at TEXT NOT NULL);
-- The newest of a name counts. Of a token only a digest is kept, by which nobody can sign in.
CREATE TABLE tokens (
    number INTEGER PRIMARY KEY,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    digest TEXT NOT NULL,
    at TEXT NOT NULL
);
-- The newest of an assessor and topic counts.
CREATE TABLE assignments (
    number INTEGER PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batches (name),
    topic TEXT NOT NULL,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    is_assigned INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE wishes (
    number INTEGER PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batches (name),
    topic TEXT NOT NULL,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    wish INTEGER NOT NULL,
    at TEXT NOT NULL
);
-- A key is made by whoever sends a judgment, so that sending it again adds nothing.
CREATE TABLE judgments (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    batch TEXT NOT NULL REFERENCES batches (name),
    assessor TEXT NOT NULL REFERENCES assessors (name),
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    choice TEXT,
    seconds REAL NOT NULL,
    comment TEXT NOT NULL,
    is_adjudication INTEGER NOT NULL,
    is_machine_made INTEGER,
    is_unrelated INTEGER,
    at TEXT NOT NULL
);
CREATE INDEX judgments_by_topic ON judgments (batch, topic);
"""

_KEPT = ("batches", "assessors", "tokens", "assignments", "wishes", "judgments")

_GUARDS = "".join(
    f"CREATE TRIGGER {table}_no_{act} BEFORE {act} ON {table} "
    "BEGIN SELECT raise(ABORT, 'rows are only ever added'); END;\n"
    for table in _KEPT
    for act in ("UPDATE", "DELETE")
)


_Row = tuple[Any, ...]  # what the columns of a query are, only the query says


class NotYours(PorismError):
    """Somebody asked for what is not theirs to do."""


class Conflict(PorismError):
    """What is asked contradicts what is there already."""


@dataclass(frozen=True, slots=True)
class Assessor:
    """Somebody who signs in; whoever administers may adjudicate too."""

    name: str
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """A pool that is judged, officially or to train."""

    name: str
    kind: BatchKind
    digest: str
    at: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """A topic of a batch that an assessor judges."""

    batch: str
    topic_id: TopicId
    assessor: str
    at: str


@dataclass(frozen=True, slots=True)
class Wish:
    """How much an assessor would like to judge a topic: 3 most, 1 least, 0 not at all."""

    batch: str
    topic_id: TopicId
    assessor: str
    wish: int


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """A judgment as it is sent, with a key by which it is known when it is sent again.

    ``at`` is when it was made, if that was elsewhere; it is made now if not given.
    """

    key: str
    batch: str
    topic_id: TopicId
    doc_id: DocId
    choice: Choice | None
    seconds: float = 0.0
    comment: str = ""
    is_adjudication: bool = False
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None
    at: str | None = None


class Store:
    """The file; any number of threads and processes may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of_thread = threading.local()
        self._pools: dict[str, Pool] = {}
        self._known: dict[str, frozenset[tuple[TopicId, DocId]]] = {}
        self._check_file()
        with self._told(), self._writing() as connection:
            self._make(connection)

    def _check_file(self) -> None:
        """Refuse what is another's database before anything of it is changed."""
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS)) as connection:
                found = connection.execute("PRAGMA application_id").fetchone()[0]
                tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise PorismError(f"{self.path}: cannot be opened ({error}); name another") from error
        if tables and found != APPLICATION_ID:
            raise PorismError(f"{self.path}: this is no file of judgments; name another")

    def _make(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
            return
        for statement in _statements(TABLES + _GUARDS):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    # Batches

    def add_batch(self, name: str, kind: BatchKind, pool: Pool) -> None:
        """Have a pool judged; the same again changes nothing.

        The name is a part of addresses, which some characters would divide.
        """
        _check_name("batch", name)
        if "/" in name or name in (".", ".."):
            raise PorismError(f"{name!r} cannot be the name of a batch: name it otherwise")
        with self._told(), self._writing() as connection:
            known = connection.execute(
                "SELECT kind, digest FROM batches WHERE name = ?", (name,)
            ).fetchone()
            if known == (kind, pool_digest(pool)):
                return
            if known is not None:
                raise Conflict(
                    f"{self.path}: the batch {name} has another pool already; give this one "
                    "another name"
                )
            connection.execute(
                "INSERT INTO batches VALUES (?, ?, ?, ?, ?)",
                (name, kind, pool_digest(pool), pool_bytes(pool), _now()),
            )

    def batches(self) -> tuple[Batch, ...]:
        """All batches, the oldest first."""
        rows = self._rows("SELECT name, kind, digest, at FROM batches ORDER BY rowid")
        return tuple(Batch(name, BatchKind(kind), digest, at) for name, kind, digest, at in rows)

    def pool(self, batch: str) -> Pool:
        """The pool of a batch; it never changes."""
        if batch not in self._pools:
            rows = self._rows("SELECT pool FROM batches WHERE name = ?", batch)
            if not rows:
                raise NotYours(f"there is no batch {batch}")
            self._pools[batch] = pool_of(rows[0][0])
        return self._pools[batch]

    # Assessors

    def add_assessor(self, name: str, is_admin: bool = False) -> str:
        """Somebody who may sign in, and the token to do it with, which is told only here.

        An assessor who is there already gets a new token, and the old one is no longer good.
        """
        _check_name("assessor", name)
        token = token_urlsafe(24)
        with self._told(), self._writing() as connection:
            known = connection.execute(
                "SELECT is_admin FROM assessors WHERE name = ?", (name,)
            ).fetchone()
            if known is None:
                connection.execute(
                    "INSERT INTO assessors VALUES (?, ?, ?)", (name, is_admin, _now())
                )
            elif bool(known[0]) != is_admin:
                raise Conflict(
                    f"{self.path}: {name} is there already, and "
                    + ("administers; name another" if known[0] else "does not administer")
                )
            connection.execute(
                "INSERT INTO tokens (assessor, digest, at) VALUES (?, ?, ?)",
                (name, _digest(token), _now()),
            )
        return token

    def assessors(self) -> tuple[Assessor, ...]:
        """All who may sign in, in the order in which they were added."""
        rows = self._rows("SELECT name, is_admin FROM assessors ORDER BY rowid")
        return tuple(Assessor(name, bool(is_admin)) for name, is_admin in rows)

    def signed_in(self, token: str) -> Assessor | None:
        """Whose token it is. How long that takes says nothing about any token."""
        given = _digest(token)
        found: Assessor | None = None
        for name, is_admin, digest in self._rows(
            "SELECT name, is_admin, digest FROM tokens JOIN assessors ON name = assessor "
            "WHERE number IN (SELECT max(number) FROM tokens GROUP BY assessor)"
        ):
            if compare_digest(given, digest):
                found = Assessor(name, bool(is_admin))
        return found

    # Assignments

    def assign(self, batch: str, topic_id: str, assessor: str, is_second: bool = False) -> None:
        """Give a topic to an assessor; one that somebody else has only if ``is_second``."""
        self._check_topic(batch, topic_id)
        with self._told(), self._writing() as connection:
            have = _assigned(connection, batch, topic_id)
            if assessor in have:
                return
            if have and not is_second:
                raise Conflict(f"topic {topic_id} is already assigned to {', '.join(have)}")
            if not connection.execute(
                "SELECT 1 FROM assessors WHERE name = ?", (assessor,)
            ).fetchone():
                raise NotYours(f"there is no assessor {assessor}")
            _note_assignment(connection, batch, topic_id, assessor, is_assigned=True)

    def unassign(self, batch: str, topic_id: str, assessor: str) -> None:
        """Take a topic away; what was judged stays, and counts as before."""
        with self._told(), self._writing() as connection:
            if assessor in _assigned(connection, batch, topic_id):
                _note_assignment(connection, batch, topic_id, assessor, is_assigned=False)

    def assignments(self, batch: str) -> tuple[Assignment, ...]:
        """Who judges which topic of a batch now, in the order in which it was given."""
        rows = self._rows(
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

    def wish(self, batch: str, topic_id: str, assessor: str, wish: int) -> None:
        """Note how much an assessor would like to judge a topic, from 0 to 3."""
        self._check_topic(batch, topic_id)
        if wish not in range(4):
            raise PorismError(f"a wish is a number from 0 to 3, not {wish}")
        with self._told(), self._writing() as connection:
            connection.execute(
                "INSERT INTO wishes (batch, topic, assessor, wish, at) VALUES (?, ?, ?, ?, ?)",
                (batch, topic_id, assessor, wish, _now()),
            )

    def wishes(self, batch: str) -> tuple[Wish, ...]:
        """The wishes that stand, the newest of each assessor and topic."""
        rows = self._rows(
            "SELECT topic, assessor, wish FROM wishes WHERE batch = ? AND number IN "
            "(SELECT max(number) FROM wishes GROUP BY batch, topic, assessor) ORDER BY number",
            batch,
        )
        return tuple(Wish(batch, TopicId(topic), assessor, wish) for topic, assessor, wish in rows)

    # Judgments

    def record(self, assessor: Assessor, new: NewJudgment) -> Judgment:
        """Add a judgment, on disk when this returns; one sent again is the one that is there.

        Only who has the topic may judge its candidates, and only who administers adjudicates.
        """
        self._check(assessor, new)
        values = (
            new.key,
            new.batch,
            assessor.name,
            new.topic_id,
            new.doc_id,
            new.choice,
            round(max(0.0, new.seconds), 1),
            new.comment,
            new.is_adjudication,
            new.is_machine_made,
            new.is_unrelated,
        )
        with self._told(), self._writing() as connection:
            known = connection.execute(f"{_SELECT} WHERE key = ?", (new.key,)).fetchone()
            if known is None:
                if not new.is_adjudication and assessor.name not in _assigned(
                    connection, new.batch, new.topic_id
                ):
                    raise NotYours(f"topic {new.topic_id} is not assigned to you")
                connection.execute(
                    f"INSERT INTO judgments ({_COLUMNS}, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*values, new.at or _now()),
                )
                known = connection.execute(f"{_SELECT} WHERE key = ?", (new.key,)).fetchone()
            elif tuple(known[1:-1]) != values:
                raise Conflict("another judgment was sent with the same key")
        return _judgment(known)

    def _check(self, assessor: Assessor, new: NewJudgment) -> None:
        if not 0 < len(new.key) <= LONGEST_KEY:
            raise PorismError(f"the key of a judgment has 1 to {LONGEST_KEY} characters")
        if not isfinite(new.seconds):
            raise PorismError(f"a judgment takes a number of seconds, not {new.seconds}")
        if len(new.comment) > LONGEST_COMMENT:
            raise PorismError(f"a comment has at most {LONGEST_COMMENT:,} characters")
        if new.is_adjudication and not assessor.is_admin:
            raise NotYours("only who administers can adjudicate")
        if (new.topic_id, new.doc_id) not in self._candidates(new.batch):
            raise NotYours(f"{new.doc_id} is no candidate for topic {new.topic_id}")

    def _candidates(self, batch: str) -> frozenset[tuple[TopicId, DocId]]:
        if batch not in self._known:
            self._known[batch] = frozenset(
                (each.topic_id, each.doc_id) for each in self.pool(batch).candidates
            )
        return self._known[batch]

    def judgments(
        self, batch: str, assessor: str | None = None, topic_id: str | None = None
    ) -> tuple[Judgment, ...]:
        """All that was ever said in a batch, by anybody or one, in the order of time."""
        given = {"batch": batch, "assessor": assessor, "topic": topic_id}
        asked = {column: value for column, value in given.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in asked)
        rows = self._rows(f"{_SELECT} WHERE {where} ORDER BY number", *asked.values())
        return tuple(map(_judgment, rows))

    def _check_topic(self, batch: str, topic_id: str) -> None:
        if all(topic.id != topic_id for topic in self.pool(batch).topics):
            raise NotYours(f"there is no topic {topic_id} in {batch}")

    # The database

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self.path, isolation_level=None, timeout=WAIT_SECONDS)
            # Readers do not wait for writers; a commit is on disk, not only in the system's memory.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            self._of_thread.connection = connection
        return connection

    def _rows(self, query: str, *values: str) -> list[_Row]:
        with self._told():
            return self._connection().execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the database cannot do, told so that something can be done about it."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise NotWritten(
                f"{self.path}: {error}; nothing was changed: make room or wait, and send it again"
            ) from error
        except sqlite3.DatabaseError as error:
            raise PorismError(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Close the connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is not None:
            connection.close()
            self._of_thread.connection = None


class NotWritten(PorismError):
    """The database could not be written or read now, as when the disk is full."""


_COLUMNS = (
    "key, batch, assessor, topic, document, choice, seconds, comment, is_adjudication, "
    "is_machine_made, is_unrelated"
)
_SELECT = f"SELECT number, {_COLUMNS}, at FROM judgments"


def _judgment(row: _Row) -> Judgment:
    number, _, batch, assessor, topic, document, choice, seconds, comment, *flags, at = row
    is_adjudication, is_machine_made, is_unrelated = flags
    return Judgment(
        number=number,
        batch=batch,
        assessor=assessor,
        topic_id=TopicId(topic),
        doc_id=DocId(document),
        choice=None if choice is None else Choice(choice),
        at=at,
        seconds=seconds,
        comment=comment,
        is_adjudication=bool(is_adjudication),
        is_machine_made=None if is_machine_made is None else bool(is_machine_made),
        is_unrelated=None if is_unrelated is None else bool(is_unrelated),
    )


def _assigned(connection: sqlite3.Connection, batch: str, topic_id: str) -> list[str]:
    """Who has a topic now."""
    rows = connection.execute(
        "SELECT assessor, is_assigned FROM assignments WHERE batch = ? AND topic = ? "
        "AND number IN (SELECT max(number) FROM assignments GROUP BY batch, topic, assessor) "
        "ORDER BY number",
        (batch, topic_id),
    )
    return [assessor for assessor, is_assigned in rows if is_assigned]


def _note_assignment(
    connection: sqlite3.Connection, batch: str, topic_id: str, assessor: str, is_assigned: bool
) -> None:
    connection.execute(
        "INSERT INTO assignments (batch, topic, assessor, is_assigned, at) VALUES (?, ?, ?, ?, ?)",
        (batch, topic_id, assessor, is_assigned, _now()),
    )


def _check_name(what: str, name: str) -> None:
    if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME:
        raise PorismError(
            f"the name of a {what} has 1 to {LONGEST_NAME} characters, without blanks around them"
        )


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript`` would end the transaction."""
    waiting = ""
    for line in script.splitlines():
        waiting += line + "\n"
        if sqlite3.complete_statement(waiting):
            yield waiting
            waiting = ""
