"""The database that an ingest works on, beside the one that readers have open.

An ingest never writes to the finished database: it works on a copy, which takes its place when all
is done. Killed at any moment, it leaves the old one as it was and the copy as of its last commit,
from which the next ingest of the same source goes on.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from porism.collection.schema import DATABASE, connect_to_write, transaction
from porism.collection.sources import Part
from porism.errors import PorismError

UNFINISHED = "collection.unfinished.sqlite"

Row = TypeVar("Row")


class Building:
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

    def is_finished(self, part: Part[Row]) -> bool:
        """Whether this part, as it is now, has been taken in wholly."""
        found = self.connection.execute(
            "SELECT is_finished FROM parts WHERE name = ? AND fingerprint = ?",
            (part.name, part.fingerprint),
        ).fetchone()
        return found is not None and bool(found[0])

    def begin(self, part: Part[Row], table: str) -> tuple[int, int]:
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
            self.connection.execute("DELETE FROM rejects WHERE path = ?", (str(part.path),))
            # What is counted goes, for it will be counted again.
            self.connection.execute("DELETE FROM meta WHERE key = ?", (_tally(table),))
            if table == "votes":
                self.connection.execute("DELETE FROM votes")
        return this, 0

    def advance(self, part: Part[Row], rows: int) -> None:
        """Note within a transaction that so many more rows of the part are taken in."""
        self.connection.execute(
            "UPDATE parts SET rows_done = rows_done + ? WHERE name = ?", (rows, part.name)
        )

    def finish_part(self, part: Part[Row]) -> None:
        """Note within a transaction that all of the part is taken in."""
        self.connection.execute("UPDATE parts SET is_finished = 1 WHERE name = ?", (part.name,))

    def forget(self, parts: Iterable[Part[Row]]) -> None:
        """Note within a transaction that the parts are to be taken in again."""
        self.connection.executemany(
            "DELETE FROM parts WHERE name = ? AND is_finished", [(part.name,) for part in parts]
        )

    def reject(self, path: Path, line: int, what: str, reason: str, is_bad: bool = True) -> None:
        """Note what was not taken as it stands; ``is_bad`` if it keeps the ingest from its end."""
        self.connection.execute(
            "INSERT OR IGNORE INTO rejects VALUES (?, ?, ?, ?, ?)",
            (str(path), line, what, reason, is_bad),
        )

    def count_lost(self, table: str, number: int) -> None:
        """Count within a transaction rows of a table that have no place in the collection."""
        self.connection.execute(
            "INSERT INTO meta VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + excluded.value",
            (_tally(table), number),
        )

    def lost(self, table: str) -> int:
        """How many rows of a table had no place in the collection."""
        return int(self.meta(_tally(table)) or 0)

    def publish(self) -> None:
        """Close the database and put it in the place of the finished one."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM meta WHERE key = 'unfinished'")
        # Readers may have no right to write, which the write-ahead log would ask of them.
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.execute("PRAGMA journal_mode = DELETE")
        self.connection.close()
        unfinished = self.folder / UNFINISHED
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(self.folder / DATABASE)


def _tally(table: str) -> str:
    return f"lost {table}"


@contextmanager
def open_building(folder: Path, purpose: str) -> Iterator[Building]:
    """The unfinished database of the collection in ``folder``, to be worked on.

    ``purpose`` says what it is made for. One that was left by an ingest for the same purpose is
    gone on with; otherwise a new one begins as a copy of the finished database, if there is any.
    """
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / UNFINISHED
    building = _opened(folder, unfinished)
    try:
        if building.meta("unfinished") not in (None, purpose):
            building.connection.close()
            discard(folder)
            building = _opened(folder, unfinished)
        with transaction(building.connection):
            building.note("unfinished", purpose)
        yield building
    except sqlite3.OperationalError as error:
        raise PorismError(_told(folder, error)) from error
    finally:
        building.connection.close()


def _opened(folder: Path, unfinished: Path) -> Building:
    if not unfinished.exists() and (folder / DATABASE).exists():
        copy = folder / f".{UNFINISHED}.{os.getpid()}"
        try:
            shutil.copyfile(folder / DATABASE, copy)
            copy.replace(unfinished)
        finally:
            copy.unlink(missing_ok=True)
    try:
        return Building(folder, connect_to_write(unfinished))
    except sqlite3.OperationalError as error:
        raise PorismError(_told(folder, error)) from error


def discard(folder: Path) -> None:
    """Remove what an unfinished ingest left."""
    for file in folder.glob(f"{UNFINISHED}*"):
        file.unlink()


def _told(folder: Path, error: sqlite3.OperationalError) -> str:
    if "locked" in str(error):
        return f"{folder}: another ingest is at work on this collection; wait until it has ended"
    if "full" in str(error):
        return (
            f"{folder}: the disk is full; make room and run the same command again, "
            "which goes on where this one stopped"
        )
    return f"{folder}: {error}; what was finished before is still there"
