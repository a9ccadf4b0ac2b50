"""The SQLite file of an assessment, with tables to which rows are only ever added.

However a program ends, a committed transaction is kept, and any other leaves nothing.
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
"""Lock timeout in seconds."""

DatabaseRow = tuple[Any, ...]  # the columns depend on the query

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    pool BLOB NOT NULL,
    at TEXT NOT NULL
);
-- Grades that candidates of a batch had before, such as those of earlier qrels.
CREATE TABLE IF NOT EXISTS earlier_grades (
    batch TEXT NOT NULL REFERENCES batches (name),
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    grade INTEGER NOT NULL,
    PRIMARY KEY (batch, topic, document)
);
-- The latest row counts.
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
-- The latest of a name counts. Only a digest is stored, with which nobody can sign in.
CREATE TABLE IF NOT EXISTS tokens (
    number INTEGER PRIMARY KEY,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    digest TEXT NOT NULL,
    at TEXT NOT NULL
);
-- The latest of an assessor and topic counts.
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
    """The user may not do this."""


class AssessmentConflict(PorismError):
    """The request contradicts what is stored."""


class DatabaseUnavailable(PorismError):
    """The file could not be read or written now; ``is_full`` if the disk is full."""

    def __init__(self, message: str, is_full: bool = False) -> None:
        super().__init__(message)
        self.is_full = is_full


class JudgmentDatabase:
    """The file, usable by any number of threads and processes at once.

    A file that is deleted or replaced while it is open would still accept writes, which would be
    lost. So nothing is written unless the file that was opened first is still at its path; once it
    is back there, writing continues.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of_thread = threading.local()
        self._file: _FileId | None = None  # set once the file exists
        version, tables = self._version_and_tables()
        if version < SCHEMA_VERSION:
            with self.transaction() as connection:
                if "judgments" in tables:  # a file from before there were versions
                    connection.execute(_ADDED)
                for statement in _statements(_TABLES + _GUARDS):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._file = _file_id(self.path)

    def _check_in_place(self) -> None:
        """Refuse to continue if the path no longer leads to the file that was opened first."""
        if self._file is None or _file_id(self.path) == self._file:
            return
        raise DatabaseUnavailable(
            f"{self.path}: the judgment file was deleted or replaced while it was in use, and "
            "nothing was saved: put the same file back, or restart the server with the file to use"
        )

    def _version_and_tables(self) -> tuple[int, set[str]]:
        """The schema version and tables; a foreign database is refused before any change."""
        try:
            with closing(_connected(self.path)) as connection:
                application = connection.execute("PRAGMA application_id").fetchone()[0]
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError as error:
            raise PorismError(
                f"{self.path}: cannot be opened ({error}); choose another file"
            ) from error
        if tables and application != APPLICATION_ID:
            raise PorismError(f"{self.path}: not a judgment file; choose another file")
        if version > SCHEMA_VERSION:
            raise PorismError(
                f"{self.path}: found version {version} of judgment files, this Porism supports "
                f"{SCHEMA_VERSION}; use the Porism that made the file, or a later one"
            )
        return version, tables

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            self._check_in_place()  # else an empty file would be created, or another one opened
            connection = _connected(self.path)
            # Readers do not wait for writers; a commit is on disk, not only in a system buffer.
            if not _is_read_only(self.path):
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            self._of_thread.connection = connection
        return connection

    def rows(self, query: str, *values: str) -> list[DatabaseRow]:
        """The rows of a query."""
        with self._translated_errors():
            return self._connection().execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on disk at the end of the block; an exception rolls it back."""
        with self._translated_errors():
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
    def _translated_errors(self) -> Iterator[None]:
        """Turn SQLite errors into Porism errors that say what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise DatabaseUnavailable(
                f"{self.path}: {error}; nothing was changed: free disk space or wait, then try "
                "again",
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
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def _is_read_only(path: Path) -> bool:
    """Whether this user can read the file but not write to it, as on a backup or shared folder."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _connected(path: Path) -> sqlite3.Connection:
    """A connection with all the rights that this user has.

    SQLite reads a file with a write-ahead log through a shared-memory file, which it creates
    beside it. If it cannot, the file must be opened as immutable, which ignores the log and changes
    made while reading. That is safe without a log: there is one as long as any process has the file
    open, or as long as it holds anything that is not in the file, and a command has read everything
    before a server can start. With a log there is shared memory too, and mode=ro is enough.
    """
    if not _is_read_only(path):
        return sqlite3.connect(path, isolation_level=None, timeout=LOCK_TIMEOUT_SECONDS)
    has_log = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if has_log else "mode=ro&immutable=1"
    address = f"{path.resolve().as_uri()}?{mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=LOCK_TIMEOUT_SECONDS)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript`` would end the transaction."""
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def utc_now() -> str:
    """The current time in UTC, as stored in rows."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
