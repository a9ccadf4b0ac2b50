"""The database that an ingest writes, next to the one that readers have open.

An ingest works on a copy of the finished database and replaces it at the end. It can be killed at
any time: the finished database is unchanged, and the next ingest of the same source continues from
the last commit of the copy.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from porism.collection.checksums import replace_database
from porism.collection.ingest.sources import SourcePart
from porism.collection.schema import (
    DATABASE,
    UNFINISHED,
    RejectSeverity,
    connect_to_write,
    storable,
    transaction,
)
from porism.errors import PorismError
from porism.locking import ProcessLock

LOCK = ".collection.lock"

Row = TypeVar("Row")

log = logging.getLogger(__name__)


class DraftCollection:
    """An unfinished collection, open for writing, and the progress of each part of the source."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection

    def meta(self, key: str) -> str | None:
        """The value recorded under ``key``, if any."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def record_meta(self, key: str, value: str) -> None:
        """Record ``value`` under ``key``, replacing any other."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def is_finished(self, part: SourcePart[Row]) -> bool:
        """Whether the current version of this part has been ingested completely."""
        row = self.connection.execute(
            "SELECT is_finished FROM parts WHERE name = ? AND fingerprint = ?",
            (part.name, part.fingerprint),
        ).fetchone()
        return row is not None and bool(row[0])

    def has_changed(self, part: SourcePart[Row]) -> bool:
        """Whether another version of this part has been ingested, completely or not."""
        row = self.connection.execute(
            "SELECT 1 FROM parts WHERE name = ? AND fingerprint NOT IN ('', ?)",
            (part.name, part.fingerprint),
        ).fetchone()
        return row is not None

    def begin(self, part: SourcePart[Row], table: str) -> tuple[int, int]:
        """The number of this pass over the part, and how many of its rows it has done."""
        row = self.connection.execute(
            "SELECT pass, rows_done FROM parts "
            "WHERE name = ? AND fingerprint = ? AND NOT is_finished",
            (part.name, part.fingerprint),
        ).fetchone()
        if row is not None:
            return int(row[0]), int(row[1])
        with transaction(self.connection):
            (last,) = self.connection.execute("SELECT max(pass) FROM parts").fetchone()
            pass_number = (last or 0) + 1
            self.connection.execute(
                "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, 0, 0, ?)",
                (part.name, table, part.fingerprint, pass_number),
            )
            self.connection.execute("DELETE FROM rejects WHERE part = ?", (part.name,))
            # Rows are counted again.
            self.connection.execute("DELETE FROM meta WHERE key = ?", (_orphans_key(table),))
            if table == "votes":
                self.connection.execute("DELETE FROM votes")
        return pass_number, 0

    def begin_documents(self, part: SourcePart[Row], unchanged: AbstractSet[str]) -> int:
        """The number of a new pass over documents; rejects of ``unchanged`` files are kept."""
        with transaction(self.connection):
            (last,) = self.connection.execute("SELECT max(pass) FROM parts").fetchone()
            pass_number = (last or 0) + 1
            self.connection.execute(
                "INSERT OR REPLACE INTO parts VALUES (?, 'posts', ?, 0, 0, ?)",
                (part.name, part.fingerprint, pass_number),
            )
            names = {f"document {storable(name)}" for name in unchanged}
            rejects = self.connection.execute(
                "SELECT what FROM rejects WHERE part = ?", (part.name,)
            ).fetchall()
            # A document is named after its file, with or without a path in it and an anchor.
            old = [(part.name, what) for (what,) in rejects if names.isdisjoint(_prefixes(what))]
            self.connection.executemany("DELETE FROM rejects WHERE part = ? AND what = ?", old)
        return pass_number

    def advance(self, part: SourcePart[Row], rows: int) -> None:
        """Record within a transaction that more rows of the part are done."""
        self.connection.execute(
            "UPDATE parts SET rows_done = rows_done + ? WHERE name = ?", (rows, part.name)
        )

    def finish_part(self, part: SourcePart[Row]) -> None:
        """Record within a transaction that the part is complete."""
        self.connection.execute("UPDATE parts SET is_finished = 1 WHERE name = ?", (part.name,))

    def forget_parts(self, parts: Iterable[SourcePart[Row]]) -> None:
        """Record within a transaction that the parts must be ingested again from the beginning."""
        # The row stays, so that its pass number is not used again.
        self.connection.executemany(
            "UPDATE parts SET fingerprint = '', is_finished = 0 "
            "WHERE name = ? AND (is_finished OR rows_done > 0)",
            [(part.name,) for part in parts],
        )

    def reject(
        self,
        part: SourcePart[Row],
        line: int,
        what: str,
        reason: str,
        severity: RejectSeverity = RejectSeverity.BAD,
    ) -> None:
        """Record what was left out or changed; bad rows keep the ingest from finishing."""
        self.connection.execute(
            "INSERT OR IGNORE INTO rejects VALUES (?, ?, ?, ?, ?, ?)",
            (part.name, storable(str(part.path)), line, storable(what), storable(reason), severity),
        )

    def count_orphans(self, table: str, number: int) -> None:
        """Count within a transaction rows of a table whose post is missing."""
        self.connection.execute(
            "INSERT INTO meta VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + excluded.value",
            (_orphans_key(table), number),
        )

    def publish(self) -> None:
        """Close the database and replace the finished one."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM meta WHERE key = 'unfinished'")
        self.connection.execute("PRAGMA journal_mode = DELETE")  # removes the journal file
        self.connection.close()
        unfinished = self.folder / UNFINISHED
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        replace_database(unfinished)


def _prefixes(name: str) -> Iterator[str]:
    """The name, and its beginnings before each number sign and slash."""
    yield name
    for match in re.finditer("[#/]", name):
        yield name[: match.start()]


def _orphans_key(table: str) -> str:
    return f"lost {table}"


@contextmanager
def open_draft(folder: Path, purpose: str) -> Iterator[DraftCollection]:
    """Open the unfinished database of the collection in ``folder`` for one process.

    A database left by an ingest with the same ``purpose`` is continued. Otherwise a new one starts
    as a copy of the finished database, if there is one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PorismError(f"{folder}: cannot create this folder ({error.strerror})") from error
    try:
        # The lock also covers the replacement of the finished database.
        with ProcessLock(folder / LOCK, f"{folder}: {_BUSY}"):
            draft = _resumed(folder, purpose) or _new_draft(folder)
            try:
                with transaction(draft.connection):
                    draft.record_meta("unfinished", storable(purpose))
                yield draft
            finally:
                draft.connection.close()
    except (sqlite3.DatabaseError, OSError) as error:
        raise PorismError(_message(folder, error)) from error


def _resumed(folder: Path, purpose: str) -> DraftCollection | None:
    """The draft of an earlier ingest with the same purpose, if it can be continued."""
    unfinished = folder / UNFINISHED
    if not unfinished.exists():
        return None
    try:
        draft = DraftCollection(folder, connect_to_write(unfinished))
        (result,) = draft.connection.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            draft.connection.close()
            raise PorismError(str(result))
    except sqlite3.OperationalError:  # it may be intact, but cannot be opened now
        raise
    except (sqlite3.DatabaseError, PorismError) as error:
        log.warning("%s: cannot be continued, starting again (%s)", unfinished, error)
        return None
    if draft.meta("unfinished") in (None, storable(purpose)):
        return draft
    draft.connection.close()
    return None


def _new_draft(folder: Path) -> DraftCollection:
    # SQLite would take a journal left by an earlier database for that of the new one.
    for file in folder.glob(f"*{UNFINISHED}*"):
        file.unlink()
    unfinished = folder / UNFINISHED
    if (folder / DATABASE).exists():
        copy = folder / f".{UNFINISHED}"
        shutil.copyfile(folder / DATABASE, copy)
        copy.replace(unfinished)
    return DraftCollection(folder, connect_to_write(unfinished))


_BUSY = "another ingest is writing to this collection; wait until it has finished"


def _message(folder: Path, error: Exception) -> str:
    if "locked" in str(error):
        return f"{folder}: {_BUSY}"
    if "full" in str(error):
        return (
            f"{folder}: the disk is full; free some space and run the same command again, "
            "which continues from here"
        )
    if "unable to open" in str(error) or "readonly" in str(error):
        return f"{folder}: cannot be written ({error}); check its permissions"
    return f"{folder}: {error}; the finished collection, if any, is unchanged"
