"""The checksum of a collection's database, stored next to it.

The database and its checksum are two files and cannot be replaced in one step. So both the old and
the new checksum are recorded before the database is replaced, and only the new one afterwards:
whenever the process is killed, the database has one of the recorded checksums.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import DATABASE, connect_to_read
from porism.errors import PorismError
from porism.formats.byte_streams import replaced_file

CHECKSUMS = "collection.checksums.json"

CHUNK = 1 << 20
"""Bytes read at once."""


class FileChecksum(NamedTuple):
    """The length of a file in bytes and the CRC-32 of its content."""

    size: int
    crc32: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Files and bytes checked, and a message for each damage found.

    ``note`` says what could not be checked.
    """

    files: int
    size: int
    damages: tuple[str, ...]
    note: str = ""


def file_checksum(path: Path, watch: Watch = lambda progress: None) -> FileChecksum:
    """The checksum of a file."""
    size = path.stat().st_size
    done = checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            checksum = zlib.crc32(chunk, checksum)
            done += len(chunk)
            watch(StepProgress("checksums", done, size, 0))
    return FileChecksum(done, checksum)


def recorded_checksums(folder: Path) -> list[FileChecksum] | None:
    """The recorded checksums, one of which the database has; None without a record."""
    path = folder / CHECKSUMS
    try:
        values = json.loads(path.read_bytes())
        return [FileChecksum(int(each["size"]), int(each["crc32"])) for each in values["files"]]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PorismError(
            f"{path} is damaged; make the collection again with porism ingest"
        ) from None


def write_checksums(folder: Path, checksums: Sequence[FileChecksum]) -> None:
    """Record the checksums, one of which the database has."""
    record = {"files": [each._asdict() for each in checksums]}
    with replaced_file(folder / CHECKSUMS) as out:
        out.write(json.dumps(record, indent=1).encode() + b"\n")
        out.flush()
        os.fsync(out.fileno())


def replace_database(unfinished: Path) -> None:
    """Replace the database of a collection with a new one and record its checksum."""
    folder = unfinished.parent
    new = file_checksum(unfinished)
    write_checksums(folder, [*_old_checksums(folder), new])
    unfinished.replace(folder / DATABASE)
    write_checksums(folder, [new])


def _old_checksums(folder: Path) -> list[FileChecksum]:
    """The checksums of the database before it is replaced."""
    try:
        recorded = recorded_checksums(folder)
    except PorismError:
        recorded = None
    if recorded is None:
        database = folder / DATABASE
        recorded = [file_checksum(database)] if database.exists() else []
    return recorded


def check_collection(folder: Path, watch: Watch) -> CheckReport:
    """Compare the database with its checksum and run SQLite's integrity check."""
    database = folder / DATABASE
    damages: list[str] = []
    note = ""
    actual = file_checksum(database, watch)
    try:
        recorded = recorded_checksums(folder)
        if recorded is None:
            note = "no checksum recorded; the next porism ingest records one"
        elif actual not in recorded:
            damages.append(f"{database} is damaged (its checksum does not match); {_REMEDY}")
    except PorismError as error:
        damages.append(str(error))
    try:
        with closing(connect_to_read(database)) as connection:
            for (line,) in connection.execute("PRAGMA integrity_check"):
                if line != "ok":
                    damages.append(f"{database} is damaged ({line}); {_REMEDY}")
    except (PorismError, sqlite3.DatabaseError) as error:
        damages.append(f"{database} is damaged ({error}); {_REMEDY}")
    return CheckReport(1, actual.size, tuple(damages), note)


_REMEDY = "remove it and make it again with porism ingest"
