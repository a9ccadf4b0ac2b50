"""A server needs few open files, however often its index is updated."""

import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from porism.analysis import Unit
from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.store import Collection, open_collection
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.components.inverted_index import unit_index
from porism.searchindex.manifest import read_manifest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="counts open files in /proc, as Linux has it"
)

UPDATES = 100
OPEN_FILES = 256
CLIENTS = 4
PATHS = ("/api/search?q=large+sum", "/api/formulas?q=n%5E2", "/?q=large+sum")


def collections_in(folder: Path) -> list[Collection]:
    """Three states of the same notes; each has notes that the others lack."""
    made = []
    for state in range(3):
        source = folder / "notes"
        source.mkdir(exist_ok=True)
        for number in range(state, state + 6):
            text = f"# Sum {number}\n\nThe large sum $\\sum_n n^{number}$ of state {state}.\n"
            (source / f"{number}.md").write_text(text)
        target = folder / f"collection-{state}"
        ingest(source, target, IngestOptions(jobs=1))
        made.append(open_collection(target))
    return made


def test_a_hundred_updates_need_no_more_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no need to survive a power cut
    collections = collections_in(tmp_path)
    index = tmp_path / "index"
    build_index(
        collections[0], index, index_plan(["porism", "l8"]), IndexOptions(), lambda progress: None
    )
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0", "--rate", "0"]
    command += ["--collection", str(tmp_path / "collection-0")]
    failures: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split("is at ")[1].split("/ ")[0]
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
        open_files = Path(f"/proc/{server.pid}/fd")
        with httpx.Client(base_url=address, timeout=None) as client:

            def ask(path: str) -> None:
                answered = client.get(path)
                if answered.status_code != 200:
                    failures.append(f"{path}: {answered.status_code} {answered.text[:200]}")

            with ThreadPoolExecutor(CLIENTS) as clients:
                for number in range(1, UPDATES + 1):
                    update_index(
                        collections[number % 3], index, IndexOptions(), watch=lambda progress: None
                    )
                    list(clients.map(ask, PATHS))
                    assert len(list(open_files.iterdir())) < OPEN_FILES // 2
        server.terminate()
    for collection in collections:
        collection.close()
    assert failures == []
    contents = read_manifest(index)
    assert contents.commit == UPDATES + 1
    assert len(unit_index(contents.components, Unit.ANSWERS).meta.segments) <= 5
    assert all(len(component.files) <= 7 for component in contents.components)
