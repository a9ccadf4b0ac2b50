"""The checksum of a collection's database, kept beside it, and whether it still holds.

The database and its checksum are two files and cannot be replaced in one step. So the new checksum
is written beside the old one before the database is replaced, and alone afterwards: whenever the
process is killed, the database has one of the checksums that are recorded.
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
"""Bytes that are read at a time."""


class FileChecksum(NamedTuple):
    """The length of a file in bytes and the CRC-32 of its content."""

    size: int
    crc32: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """How much was compared with its checksum, and a message for each damage that was found.

    ``note`` says what could not be checked.
    """

    files: int
    size: int
    damages: tuple[str, ...]
    note: str = ""


def file_checksum(path: Path, watch: Watch = lambda progress: None) -> FileChecksum:
    """The checksum of a file as it is now."""
    size = path.stat().st_size
    done = checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            checksum = zlib.crc32(chunk, checksum)
            done += len(chunk)
            watch(StepProgress("checksums", done, size, 0))
    return FileChecksum(done, checksum)


def recorded_checksums(folder: Path) -> list[FileChecksum] | None:
    """The checksums that the database may have; None if none were recorded."""
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
    """Record the checksums that the database may have."""
    record = {"files": [each._asdict() for each in checksums]}
    with replaced_file(folder / CHECKSUMS) as out:
        out.write(json.dumps(record, indent=1).encode() + b"\n")
        out.flush()
        os.fsync(out.fileno())


def replace_database(unfinished: Path) -> None:
    """Put a finished database in its place, and record its checksum."""
    folder = unfinished.parent
    new = file_checksum(unfinished)
    write_checksums(folder, [*_before(folder), new])
    unfinished.replace(folder / DATABASE)
    write_checksums(folder, [new])


def _before(folder: Path) -> list[FileChecksum]:
    """The checksums that the database has before it is replaced."""
    try:
        recorded = recorded_checksums(folder)
    except PorismError:
        recorded = None
    if recorded is None:
        database = folder / DATABASE
        recorded = [file_checksum(database)] if database.exists() else []
    return recorded


def check_collection(folder: Path, watch: Watch) -> CheckReport:
    """Compare the database with its checksum, and have SQLite check it."""
    database = folder / DATABASE
    damages: list[str] = []
    note = ""
    found = file_checksum(database, watch)
    try:
        recorded = recorded_checksums(folder)
        if recorded is None:
            note = "no checksum recorded; the next porism ingest records one"
        elif found not in recorded:
            damages.append(f"{database} is damaged (its checksum does not match); {_AGAIN}")
    except PorismError as error:
        damages.append(str(error))
    try:
        with closing(connect_to_read(database)) as connection:
            for (line,) in connection.execute("PRAGMA integrity_check"):
                if line != "ok":
                    damages.append(f"{database} is damaged ({line}); {_AGAIN}")
    except (PorismError, sqlite3.DatabaseError) as error:
        damages.append(f"{database} is damaged ({error}); {_AGAIN}")
    return CheckReport(1, found.size, tuple(damages), note)


_AGAIN = "remove it and make it again with porism ingest"
