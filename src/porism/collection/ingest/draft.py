"""The database that an ingest works on, beside the one that readers have open.

An ingest never writes to the finished database: it works on a copy, which takes its place when all
is done. Killed at any moment, it leaves the old one as it was and the copy as of its last commit,
from which the next ingest of the same source goes on.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
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
    """An unfinished collection, open for writing, and how far each part of the source has come."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection

    def meta(self, key: str) -> str | None:
        """What was noted under ``key``."""
        found = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if found is None else str(found[0])

    def note(self, key: str, value: str) -> None:
        """Note ``value`` under ``key``, in place of what was there."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def is_finished(self, part: SourcePart[Row]) -> bool:
        """Whether this part, as it is now, has been taken in wholly."""
        found = self.connection.execute(
            "SELECT is_finished FROM parts WHERE name = ? AND fingerprint = ?",
            (part.name, part.fingerprint),
        ).fetchone()
        return found is not None and bool(found[0])

    def has_changed(self, part: SourcePart[Row]) -> bool:
        """Whether this part was taken in, wholly or not, as it was once and is no more."""
        found = self.connection.execute(
            "SELECT 1 FROM parts WHERE name = ? AND fingerprint NOT IN ('', ?)",
            (part.name, part.fingerprint),
        ).fetchone()
        return found is not None

    def begin(self, part: SourcePart[Row], table: str) -> tuple[int, int]:
        """The number of this pass over the part, and how many of its rows are already taken in."""
        found = self.connection.execute(
            "SELECT pass, rows_done FROM parts "
            "WHERE name = ? AND fingerprint = ? AND NOT is_finished",
            (part.name, part.fingerprint),
        ).fetchone()
        if found is not None:
            return int(found[0]), int(found[1])
        with transaction(self.connection):
            (last,) = self.connection.execute("SELECT max(pass) FROM parts").fetchone()
            this = (last or 0) + 1
            self.connection.execute(
                "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, 0, 0, ?)",
                (part.name, table, part.fingerprint, this),
            )
            self.connection.execute("DELETE FROM rejects WHERE part = ?", (part.name,))
            # What is counted goes, for it will be counted again.
            self.connection.execute("DELETE FROM meta WHERE key = ?", (_tally(table),))
            if table == "votes":
                self.connection.execute("DELETE FROM votes")
        return this, 0

    def advance(self, part: SourcePart[Row], rows: int) -> None:
        """Note within a transaction that so many more rows of the part are taken in."""
        self.connection.execute(
            "UPDATE parts SET rows_done = rows_done + ? WHERE name = ?", (rows, part.name)
        )

    def finish_part(self, part: SourcePart[Row]) -> None:
        """Note within a transaction that all of the part is taken in."""
        self.connection.execute("UPDATE parts SET is_finished = 1 WHERE name = ?", (part.name,))

    def forget(self, parts: Iterable[SourcePart[Row]]) -> None:
        """Note within a transaction that the parts are to be taken in again, from the beginning."""
        # The row stays, so that the number of its pass is not used again.
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
        """Note what was not taken as it stands; what is bad keeps the ingest from its end."""
        self.connection.execute(
            "INSERT OR IGNORE INTO rejects VALUES (?, ?, ?, ?, ?, ?)",
            (part.name, storable(str(part.path)), line, storable(what), storable(reason), severity),
        )

    def count_lost(self, table: str, number: int) -> None:
        """Count within a transaction rows of a table that have no place in the collection."""
        self.connection.execute(
            "INSERT INTO meta VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + excluded.value",
            (_tally(table), number),
        )

    def publish(self) -> None:
        """Close the database and put it in the place of the finished one."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM meta WHERE key = 'unfinished'")
        self.connection.execute("PRAGMA journal_mode = DELETE")  # its file would be left otherwise
        self.connection.close()
        unfinished = self.folder / UNFINISHED
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        replace_database(unfinished)


def _tally(table: str) -> str:
    return f"lost {table}"


@contextmanager
def open_draft(folder: Path, purpose: str) -> Iterator[DraftCollection]:
    """The unfinished database of the collection in ``folder``, to be worked on by no one else.

    ``purpose`` says what it is made for. One that was left by an ingest for the same purpose is
    gone on with; otherwise a new one begins as a copy of the finished database, if there is any.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PorismError(f"{folder}: cannot be made a folder ({error.strerror})") from error
    try:
        # Others are kept out also while the databases change places.
        with ProcessLock(folder / LOCK, f"{folder}: {_BUSY}"):
            building = _left(folder, purpose) or _begun(folder)
            try:
                with transaction(building.connection):
                    building.note("unfinished", storable(purpose))
                yield building
            finally:
                building.connection.close()
    except (sqlite3.DatabaseError, OSError) as error:
        raise PorismError(_told(folder, error)) from error


def _left(folder: Path, purpose: str) -> DraftCollection | None:
    """What an earlier ingest for the same purpose left, if it can be gone on with."""
    unfinished = folder / UNFINISHED
    if not unfinished.exists():
        return None
    try:
        building = DraftCollection(folder, connect_to_write(unfinished))
        (found,) = building.connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            building.connection.close()
            raise PorismError(str(found))
    except sqlite3.OperationalError:  # it may be well, but cannot be opened now
        raise
    except (sqlite3.DatabaseError, PorismError) as error:
        log.warning("%s: begun anew, for it cannot be gone on with (%s)", unfinished, error)
        return None
    if building.meta("unfinished") in (None, storable(purpose)):
        return building
    building.connection.close()
    return None


def _begun(folder: Path) -> DraftCollection:
    """A new unfinished database."""
    # What lies beside a database that is gone would be taken for a part of the new one.
    for file in folder.glob(f"*{UNFINISHED}*"):
        file.unlink()
    unfinished = folder / UNFINISHED
    if (folder / DATABASE).exists():
        copy = folder / f".{UNFINISHED}"
        shutil.copyfile(folder / DATABASE, copy)
        copy.replace(unfinished)
    return DraftCollection(folder, connect_to_write(unfinished))


_BUSY = "another ingest is at work on this collection; wait until it has ended"


def _told(folder: Path, error: Exception) -> str:
    if "locked" in str(error):
        return f"{folder}: {_BUSY}"
    if "full" in str(error):
        return (
            f"{folder}: the disk is full; make room and run the same command again, "
            "which goes on where this one stopped"
        )
    if "unable to open" in str(error) or "readonly" in str(error):
        return (
            f"{folder}: cannot be written to ({error}); see to its rights, or name another folder"
        )
    return f"{folder}: {error}; what was finished before is still there"
