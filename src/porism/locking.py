"""A lock between processes, released when the process that holds it exits."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

from porism.errors import PorismError

WAIT_SECONDS = 1.0
"""Lock timeout in seconds."""


class ProcessLock:
    """An exclusive lock, held until it is closed or the process exits, for whatever reason.

    ``message`` is that of the ``PorismError`` raised when another process holds the lock. It is
    SQLite's lock on a file, because that works on every system. The file stays: if it were removed,
    one process could lock the old file and another a new one.
    """

    def __init__(self, file: Path, message: str) -> None:
        self._database = sqlite3.connect(file, isolation_level=None, timeout=WAIT_SECONDS)
        try:
            self._database.execute("PRAGMA journal_mode = MEMORY")  # else there is a second file
            self._database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self._database.close()
            if "locked" not in str(error):  # the file cannot be created or written
                raise OSError(f"{file}: {error}") from error
            raise PorismError(message) from error

    def close(self) -> None:
        """Release the lock."""
        self._database.close()

    def __enter__(self) -> ProcessLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
