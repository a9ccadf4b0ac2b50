"""The cost of a command that runs in its own processes: time, cores and memory."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

INTERVAL = 0.2
"""Seconds between two looks at the memory, at least."""

SHARE = 0.03
"""The most of a core that looking may take: the system walks all pages of a process."""


class Cost(NamedTuple):
    """What a command and the processes that it started cost together.

    ``megabytes`` is the peak of their own memory, ``mapped_megabytes`` that with mapped files,
    which the system may drop from memory. Pages that processes share count once.
    """

    seconds: float
    processor_seconds: float
    megabytes: float
    mapped_megabytes: float

    @property
    def cores(self) -> float:
        """The number of cores that were busy on average."""
        return self.processor_seconds / self.seconds


class MeasuredProcess:
    """A command that has been started, and its cost so far."""

    def __init__(self, command: Sequence[str]) -> None:
        self._start = time.monotonic()
        self._command = command
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._ended = threading.Event()
        self._peak = (0.0, 0.0)
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()

    def _watch(self) -> None:
        interval = INTERVAL
        while not self._ended.wait(interval):
            start = time.monotonic()
            shares = [_megabytes(pid) for pid in family(self.process.pid)]
            own = sum(share.own for share in shares)
            both = own + sum(share.mapped for share in shares)
            self._peak = (max(self._peak[0], own), max(self._peak[1], both))
            interval = max(INTERVAL, (time.monotonic() - start) / SHARE)

    def seconds(self) -> float:
        """The time since the start."""
        return time.monotonic() - self._start

    def wait(self) -> tuple[Cost, str]:
        """The cost of the command, which must succeed or end at SIGTERM, and its output."""
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            output = stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        seconds = self.seconds()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self._ended.set()
        self._watcher.join()
        if self.process.returncode not in (0, -15):
            command = " ".join(self._command)
            raise SystemExit(f"{command} ended with status {self.process.returncode}")
        return Cost(seconds, usage.ru_utime + usage.ru_stime, *self._peak), output


def measured(command: Sequence[str]) -> tuple[Cost, str]:
    """Run a command; returns its cost and its output."""
    return MeasuredProcess(command).wait()


def family(pid: int) -> list[int]:
    """The process and its descendants, from /proc."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        children = [
            int(child)
            for task in tasks
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return []
    return [pid, *(each for child in children for each in family(child))]


class _Share(NamedTuple):
    """Megabytes of a process's own and of its file-backed memory."""

    own: float = 0.0
    mapped: float = 0.0


def _megabytes(pid: int) -> _Share:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return _Share()
    sizes = {name: int(size) / 1024 for name, size, *_ in map(str.split, lines[1:])}
    if not sizes:  # it has just ended
        return _Share()
    return _Share(sizes["Pss_Anon:"] + sizes["Pss_Shmem:"], sizes["Pss_File:"])
