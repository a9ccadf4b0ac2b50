"""The lock between processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.locking import ProcessLock

OTHER = """
import sys
from pathlib import Path
from porism.locking import ProcessLock
lock = ProcessLock(Path(sys.argv[1]), "taken")
print("locked", flush=True)
sys.stdin.read()
"""


def test_lock_is_exclusive_until_closed(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with ProcessLock(file, "taken"), pytest.raises(PorismError, match="taken"):
        ProcessLock(file, "taken")
    ProcessLock(file, "taken").close()


def test_killed_process_releases_its_lock(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdin is not None
    assert other.stdout is not None
    try:
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(PorismError, match="taken"):
            ProcessLock(file, "taken")
    finally:
        other.kill()
        other.wait()
        other.stdin.close()
        other.stdout.close()
    ProcessLock(file, "taken").close()
