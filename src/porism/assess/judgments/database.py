"""The file that an assessment is kept in: SQLite, with tables to which rows are only ever added.

Whatever ends a program, a transaction that was made is there, and one that was not has left
nothing.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from porism.errors import PorismError

APPLICATION_ID = 0x506F724A  # "PorJ"
SCHEMA_VERSION = 1

LOCK_TIMEOUT_SECONDS = 20.0
"""So long is waited for another process that is writing."""

DatabaseRow = tuple[Any, ...]  # what the columns of a query are, only the query says

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    pool BLOB NOT NULL,
    at TEXT NOT NULL
);
-- What was known of the candidates of a batch before, as where they are those of earlier qrels.
CREATE TABLE IF NOT EXISTS earlier_grades (
    batch TEXT NOT NULL REFERENCES batches (name),
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    grade INTEGER NOT NULL,
    PRIMARY KEY (batch, topic, document)
);
-- The newest counts.
CREATE TABLE IF NOT EXISTS instructions (
    number INTEGER PRIMARY KEY,
    same_look TEXT NOT NULL,
    asks_annotations INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS assessors (
    name TEXT PRIMARY KEY,
    is_admin INTEGER NOT NULL,
    at TEXT NOT NULL
);
-- The newest of a name counts. Of a token only a digest is kept, by which nobody can sign in.
CREATE TABLE IF NOT EXISTS tokens (
    number INTEGER PRIMARY KEY,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    digest TEXT NOT NULL,
    at TEXT NOT NULL
);
-- The newest of an assessor and topic counts.
CREATE TABLE IF NOT EXISTS assignments (
    number INTEGER PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batches (name),
    topic TEXT NOT NULL,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    is_assigned INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS wishes (
    number INTEGER PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batches (name),
    topic TEXT NOT NULL,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    wish INTEGER NOT NULL,
    at TEXT NOT NULL
);
-- A key is made by whoever sends a judgment, so that sending it again adds nothing.
CREATE TABLE IF NOT EXISTS judgments (
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
    instructions INTEGER NOT NULL DEFAULT 0,
    at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS judgments_by_topic ON judgments (batch, topic);
CREATE TABLE IF NOT EXISTS annotations (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    batch TEXT NOT NULL REFERENCES batches (name),
    assessor TEXT NOT NULL REFERENCES assessors (name),
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    is_machine_made INTEGER,
    is_unrelated INTEGER,
    at TEXT NOT NULL
);
"""

_ADDED = "ALTER TABLE judgments ADD COLUMN instructions INTEGER NOT NULL DEFAULT 0"

TABLES = (
    "batches",
    "earlier_grades",
    "instructions",
    "assessors",
    "tokens",
    "assignments",
    "wishes",
    "judgments",
    "annotations",
)

_GUARDS = "".join(
    f"CREATE TRIGGER IF NOT EXISTS {table}_no_{act} BEFORE {act} ON {table} "
    "BEGIN SELECT raise(ABORT, 'rows are only ever added'); END;\n"
    for table in TABLES
    for act in ("UPDATE", "DELETE")
)


class NotPermitted(PorismError):
    """Somebody asked for what is not theirs to do."""


class AssessmentConflict(PorismError):
    """What is asked contradicts what is there already."""


class DatabaseUnavailable(PorismError):
    """The file could not be written or read now; ``is_full`` if that is for want of room."""

    def __init__(self, told: str, is_full: bool = False) -> None:
        super().__init__(told)
        self.is_full = is_full


class JudgmentDatabase:
    """The file; any number of threads and processes may use it at once.

    A file that is deleted or replaced while it is open would still take what is written, and
    nobody would ever find it again. So nothing is written unless the file that was opened first is
    still at its path; once it is back there, writing goes on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of_thread = threading.local()
        self._file: _FileId | None = None  # known when there is one
        version, tables = self._found()
        if version < SCHEMA_VERSION:
            with self.writing() as connection:
                if "judgments" in tables:  # a file from before there were versions
                    connection.execute(_ADDED)
                for statement in _statements(_TABLES + _GUARDS):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._file = _file_id(self.path)

    def _check_in_place(self) -> None:
        """Refuse to go on if the path no longer leads to the file that was opened first."""
        if self._file is None or _file_id(self.path) == self._file:
            return
        raise DatabaseUnavailable(
            f"{self.path}: the file of judgments was deleted or replaced while it was in use, and "
            "nothing was saved: put the same file back, or start the server again with the file "
            "that is to be used"
        )

    def _found(self) -> tuple[int, set[str]]:
        """What is there; another's database is refused before anything of it is changed."""
        try:
            with closing(_connected(self.path)) as connection:
                found = connection.execute("PRAGMA application_id").fetchone()[0]
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError as error:
            raise PorismError(f"{self.path}: cannot be opened ({error}); name another") from error
        if tables and found != APPLICATION_ID:
            raise PorismError(f"{self.path}: this is no file of judgments; name another")
        if version > SCHEMA_VERSION:
            raise PorismError(
                f"{self.path}: judgments of version {version}, and this Porism knows version "
                f"{SCHEMA_VERSION}; use the Porism that made the file, or a later one"
            )
        return version, tables

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            self._check_in_place()  # else an empty file would be made, or another one opened
            connection = _connected(self.path)
            # Readers do not wait for writers; a commit is on disk, not only in the system's memory.
            if not _is_read_only(self.path):
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            self._of_thread.connection = connection
        return connection

    def rows(self, query: str, *values: str) -> list[DatabaseRow]:
        """What a query finds."""
        with self._told():
            return self._connection().execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on disk when this ends; whatever is raised within it undoes it."""
        with self._told():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_in_place()
                yield connection
                self._check_in_place()
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
            raise DatabaseUnavailable(
                f"{self.path}: {error}; nothing was changed: make room or wait, and send it again",
                is_full=error.sqlite_errorcode == sqlite3.SQLITE_FULL,
            ) from error
        except sqlite3.DatabaseError as error:
            raise PorismError(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Close the connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is not None:
            connection.close()
            self._of_thread.connection = None


_FileId = tuple[int, int]
"""The device and inode of a file, which it keeps when it is renamed."""


def _file_id(path: Path) -> _FileId | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _is_read_only(path: Path) -> bool:
    """Whether this user can read the file but not add to it, as on a backup or a shared folder."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _connected(path: Path) -> sqlite3.Connection:
    """A connection by which all can be done that this user may do.

    SQLite reads a file with a write-ahead log through a file of shared memory, which it makes
    beside it. Where it cannot, it must be told that the file is immutable. That would pass over
    what is in the log alone, and over changes while we read. But there is a log as long as any
    process has the file open, and as long as something is in it that is not in the file: where
    there is none, nothing is passed over, and a command has read all before a server can begin.
    With a log there is shared memory too, and then reading alone (mode=ro) is enough.
    """
    if not _is_read_only(path):
        return sqlite3.connect(path, isolation_level=None, timeout=LOCK_TIMEOUT_SECONDS)
    has_log = path.with_name(f"{path.name}-wal").exists()
    how = "mode=ro" if has_log else "mode=ro&immutable=1"
    address = f"{path.resolve().as_uri()}?{how}"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=LOCK_TIMEOUT_SECONDS)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript`` would end the transaction."""
    waiting = ""
    for line in script.splitlines():
        waiting += line + "\n"
        if sqlite3.complete_statement(waiting):
            yield waiting
            waiting = ""


def utc_now() -> str:
    """The time in UTC, as rows have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
