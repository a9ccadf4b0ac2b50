"""The application, served by the command or by a server in a thread of the test."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from click.testing import CliRunner

from porism import catalog
from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from porism.formats.runs import RunForm, write_run
from porism.formats.topics import read_topics
from porism.model import Run, Task
from porism.searchindex.index_folder import open_index
from porism.web.app import create_app
from porism.web.server.listener import listening_socket, server_of
from porism.web.settings import SearchAppSettings
from tests.collection.dumps import Row, write_table


@contextmanager
def served_by_command(index: Path, *options: str) -> Iterator[str]:
    """Run ``porism serve`` in another process; its address."""
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        yield line.split("is at ")[1].split("/ ")[0]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def served_by_thread(settings: SearchAppSettings) -> Iterator[str]:
    """Run the server of the command in a thread of the test; its address."""
    with running(server_of(create_app(settings), settings.is_behind_proxy)) as address:
        yield address


@contextmanager
def running(server: uvicorn.Server) -> Iterator[str]:
    """Run a server in a thread of the test; its address."""
    with listening_socket("127.0.0.1", 0, server.config.backlog) as opened:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{opened.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def command(*arguments: str) -> None:
    """Run a command of Porism, which must succeed."""
    done = CliRunner().invoke(porism, [*arguments, "--jobs", "1"])
    assert done.exit_code == 0, done.stderr


def sample_runs_in(folder: Path, index: Path) -> Path:
    """Runs of two systems for the sample's topics, which are beside them."""
    topics = list(read_topics(sample_topics(1)))
    with open_index(index) as library:
        for name in ("bm25", "tangent-l"):
            ranker = catalog.ranker(name, Task.ANSWERS, library)
            run = Run(name, {topic.id: ranker.rank(topic, 50) for topic in topics})
            write_run(folder / f"{name}.tsv", run, RunForm.TASK1)
    (folder / "Topics.xml").write_bytes(sample_topics(1).read_bytes())
    return folder


def exploring(runs: Path) -> tuple[str, ...]:
    """The options of ``porism serve`` for runs of the sample."""
    return "--runs", str(runs), "--qrels", str(sample_qrels(1))


def small_index(folder: Path, posts: Iterable[Row], comments: Iterable[Row] = ()) -> Path:
    """An index of a few posts, built or rebuilt in ``folder``, for the best systems only."""
    write_table(folder / "dump", "Posts", posts)
    write_table(folder / "dump", "Comments", comments)
    command("ingest", str(folder / "dump"), "-o", str(folder / "collection"))
    command("index", str(folder / "collection"), "--systems", "porism,l8")
    return folder / "collection" / "index"


SAFETY_NET = 180.0
"""Seconds after which a waiting test fails."""


def until(is_so: Callable[[], bool]) -> None:
    """Poll until a condition holds."""
    end = time.monotonic() + SAFETY_NET
    while not is_so():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
