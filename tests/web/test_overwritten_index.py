"""A server whose index is overwritten in place reports it and exits."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from porism.storage.bus_errors import MESSAGE
from tests.web.serving import until
from tests.web.test_processes import children

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/maps").exists(), reason="looks for mapped files in /proc, as Linux has it"
)


@pytest.fixture
def index(sample_index: Path, tmp_path: Path) -> Path:
    """A copy of the index, next to a copy of its collection."""
    shutil.copytree(sample_index.parent, tmp_path / "sample")
    return tmp_path / "sample" / "index"


def mapped(process: int, index: Path) -> set[Path]:
    """The files below the index that a process has mapped."""
    lines = Path(f"/proc/{process}/maps").read_text(errors="replace").splitlines()
    paths = {Path(line.split(maxsplit=5)[5]) for line in lines if line.endswith(_suffixes(index))}
    return {path for path in paths if path.is_relative_to(index)}


def _suffixes(index: Path) -> tuple[str, ...]:
    return tuple(str(path) for path in index.rglob("*") if path.is_file())


def served(index: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def address_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().split("is at ")[1].split("/ ")[0]


def search(address: str, words: str) -> None:
    """A search that may get no response, because the server exits."""
    with contextlib.suppress(httpx.TransportError):
        httpx.get(f"{address}/api/search", params={"q": words}, timeout=None)


def test_a_server_with_a_truncated_index_reports_it_and_exits(index: Path) -> None:
    with served(index) as process:
        address = address_of(process)
        assert httpx.get(f"{address}/api/search?q=prime", timeout=None).status_code == 200
        files = mapped(process.pid, index)
        assert files
        for file in files:
            os.truncate(file, 0)
        search(address, r"$\int_0^1 x\,dx$ integral")
        _, errors = process.communicate()
    assert errors == MESSAGE
    assert process.returncode == 1


def test_the_process_that_reads_a_truncated_index_reports_it(index: Path) -> None:
    with served(index, "--processes", "2") as first:
        assert first.stderr is not None
        address = address_of(first)
        until(lambda: len(children(first.pid)) == 1)
        (other,) = children(first.pid)
        for process in (first.pid, other):
            while not mapped(process, index):  # whoever is free takes the next connection
                httpx.get(f"{address}/api/search?q=prime", timeout=None)
        for file in mapped(first.pid, index) | mapped(other, index):
            os.truncate(file, 0)
        search(address, r"$\int_0^1 x\,dx$ integral")
        assert first.stderr.readline() == MESSAGE
        first.terminate()
        first.communicate()
    until(lambda: not Path(f"/proc/{other}").exists())


def test_the_search_command_exits_with_the_same_message(tmp_path: Path) -> None:
    """Here the process truncates the file itself, since a search is too short."""
    code = (
        "import mmap, sys\n"
        "from porism.storage.bus_errors import exit_on_bus_error\n"
        "exit_on_bus_error()\n"
        "with open(sys.argv[1], 'w+b') as file:\n"
        "    file.write(bytes(100_000)); file.flush()\n"
        "    pages = mmap.mmap(file.fileno(), 0)\n"
        "    file.truncate(0)\n"
        "    print(pages[50_000])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "file")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", MESSAGE)
