"""Only one at a time: a lock between processes, which ends with the process that has it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

from porism.errors import PorismError

WAIT_SECONDS = 1.0
"""So long is waited for another process that has the lock."""


class ProcessLock:
    """Held until it is closed, or until the process ends, however it ends.

    SQLite's own lock on a file is used, because that works on every system. The file stays: were
    it removed, one process could lock the old file and another a new one.
    """

    def __init__(self, file: Path, told: str) -> None:
        self._database = sqlite3.connect(file, isolation_level=None, timeout=WAIT_SECONDS)
        try:
            self._database.execute("PRAGMA journal_mode = MEMORY")  # else there is a second file
            self._database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self._database.close()
            if "locked" not in str(error):  # the file cannot be made, or not be written to
                raise OSError(f"{file}: {error}") from error
            raise PorismError(told) from error

    def close(self) -> None:
        """Let others have it."""
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
