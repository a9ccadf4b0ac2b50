"""Several processes on one port: a dead one is replaced, and none outlives the first."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.web.serving import until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="looks for processes in /proc, as Linux has it"
)


def children(process: int) -> list[int]:
    """The server processes that another one has started."""
    tasks = Path(f"/proc/{process}/task")
    found = [
        int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()
    ]
    return [child for child in found if b"spawn_main" in _command(child)]


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_dead_process_is_replaced_and_none_outlives_the_first(sample_index: Path) -> None:
    command = [sys.executable, "-m", "porism", "serve", str(sample_index), "--port", "0"]
    with subprocess.Popen(
        [*command, "--processes", "2"], stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        address = first.stdout.readline().split("is at ")[1].split("/ ")[0]
        until(lambda: len(children(first.pid)) == 1)
        (other,) = children(first.pid)
        assert httpx.get(f"{address}/api/health", timeout=None).status_code == 200
        os.kill(other, signal.SIGKILL)
        until(lambda: children(first.pid) not in ([], [other]))
        (newer,) = children(first.pid)
        assert httpx.get(f"{address}/api/search?q=prime", timeout=None).status_code == 200
        os.kill(first.pid, signal.SIGKILL)
        until(lambda: not _command(newer))


def test_an_interrupt_ends_the_server(sample_index: Path) -> None:
    command = [sys.executable, "-m", "porism", "serve", str(sample_index), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split("is at ")[1].split("/ ")[0]
        assert httpx.get(f"{address}/api/health", timeout=None).status_code == 200
        process.send_signal(signal.SIGINT)
        process.wait()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/api/health", timeout=None)
