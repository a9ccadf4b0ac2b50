"""An ingest killed at any commit and run again gives the same collection."""

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import pytest

from porism.collection.ingest import draft
from porism.collection.ingest import pipeline as ingesting
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.schema import connect_to_write
from tests.collection.dumps import Row, all_rows, answer, comment, question, write_table

# A child is a copy of a process that has imported everything but has no threads yet.
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])

POSTS = 120
CHUNK = 30
"""Small, so that a small dump has many transactions."""


def _body(number: int) -> str:
    formulas = (f"x_{{{number}}} + {n}" for n in range(3))
    return "".join(
        f"<p>Words and ${formula} = \\frac{{a}}{{{number}}}$.</p>" for formula in formulas
    )


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dump")
    posts: list[Row] = []
    for number in range(1, POSTS, 2):
        posts += [question(number, _body(number)), answer(number + 1, number, _body(number + 1))]
    write_table(folder, "Posts", posts)
    comments = [comment(n, n, f"See $y^{{{n}}}$.") for n in range(1, POSTS)]
    write_table(folder, "Comments", comments)
    links: list[Row] = [
        {"PostId": n, "RelatedPostId": 1, "LinkTypeId": 1} for n in range(3, POSTS, 2)
    ]
    write_table(folder, "PostLinks", links)
    return folder


@contextmanager
def _killed_at(event: int) -> Iterator["count[int]"]:
    """Kill this process at the given commit or fsync, both counted from 1; 0 is never reached."""
    events = count(1)

    def step(*_: object) -> None:
        if next(events) == event:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(path: Path) -> sqlite3.Connection:
        connection = connect_to_write(path)
        # Called before the statement is executed.
        connection.set_trace_callback(lambda sql: step() if sql == "COMMIT" else None)
        return connection

    with mock.patch.object(draft, "connect_to_write", traced), mock.patch("os.fsync", step):
        yield events


def _ingest_in_child(dump: Path, folder: Path, event: int, jobs: int, counted: Path) -> None:
    with (
        _killed_at(event) as events,
        mock.patch("porism.collection.ingest.posts.CHUNK_ROWS", CHUNK),
        mock.patch("porism.collection.ingest.posts.SMALL_PART", 0),
        mock.patch.object(ingesting, "CHUNK_FORMULAS", CHUNK),
        mock.patch.object(ingesting, "FEW_FORMULAS", 0),
    ):
        ingest(dump, folder, IngestOptions(jobs=jobs))
        counted.write_text(str(next(events) - 1))


def _ingest(dump: Path, folder: Path, event: int = 0, jobs: int = 1) -> int | None:
    """The events of a successful ingest, or None if it was killed."""
    counted = folder.with_suffix(".events")
    child = PROCESSES.Process(target=_ingest_in_child, args=(dump, folder, event, jobs, counted))
    child.start()
    child.join()
    if child.exitcode == 0:
        return int(counted.read_text())
    assert child.exitcode == -signal.SIGKILL
    return None


def test_killed_at_any_commit_and_resumed_the_collection_is_the_same(
    dump: Path, tmp_path: Path
) -> None:
    events = _ingest(dump, tmp_path / "undisturbed")
    assert events is not None
    assert events > 20
    expected = all_rows(tmp_path / "undisturbed")
    assert len(expected["posts"]) == POSTS
    for event in range(1, events + 1):
        collection = tmp_path / f"killed-{event}"
        assert _ingest(dump, collection, event) is None
        assert _ingest(dump, collection) is not None
        assert all_rows(collection) == expected, f"killed at event {event}"


def test_killed_repeatedly_it_finishes(dump: Path, tmp_path: Path) -> None:
    events = _ingest(dump, tmp_path / "undisturbed")
    assert events is not None
    # Each attempt gets a little further, beyond the few commits at every start.
    kills = [_ingest(dump, tmp_path / "killed", event) for event in range(4, events, 4)]
    assert kills.count(None) > 3
    assert _ingest(dump, tmp_path / "killed") is not None
    assert all_rows(tmp_path / "killed") == all_rows(tmp_path / "undisturbed")


@pytest.mark.slow
@pytest.mark.parametrize("event", [12])
def test_killed_while_worker_processes_run(dump: Path, tmp_path: Path, event: int) -> None:
    _ingest(dump, tmp_path / "undisturbed")
    assert _ingest(dump, tmp_path / "killed", event, jobs=2) is None
    assert _ingest(dump, tmp_path / "killed", jobs=2) is not None
    assert all_rows(tmp_path / "killed") == all_rows(tmp_path / "undisturbed")
