"""An ingest that is killed at any moment and run again ends as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.collection.dumps import Row, all_rows, answer, comment, question, write_table

MOMENTS = 10


def _body(number: int) -> str:
    formulas = (f"x_{{{number}}} + {n}" for n in range(8))
    return "".join(
        f"<p>Words and ${formula} = \\frac{{a}}{{{number}}}$.</p>" for formula in formulas
    )


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dump")
    posts: list[Row] = []
    for number in range(1, 2400, 2):
        posts += [question(number, _body(number)), answer(number + 1, number, _body(number + 1))]
    write_table(folder, "Posts", posts)
    write_table(
        folder, "Comments", [comment(n, n, f"See $y^{{{n}}}$, {'x' * 900}") for n in range(1, 2400)]
    )
    write_table(
        folder,
        "PostLinks",
        [{"PostId": n, "RelatedPostId": 1, "LinkTypeId": 1} for n in range(3, 2400, 2)],
    )
    return folder


def _start(dump: Path, collection: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "porism", "ingest", str(dump), "-o", str(collection)]
    command += ["--jobs", "2"]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def _finish(dump: Path, collection: Path) -> None:
    with _start(dump, collection) as process:
        _, told = process.communicate()
    assert process.returncode == 0, told.decode()


@pytest.mark.slow
def test_killed_at_ten_moments_and_resumed_the_store_is_the_same(
    dump: Path, tmp_path: Path
) -> None:
    begun = time.monotonic()
    _finish(dump, tmp_path / "undisturbed")
    whole = time.monotonic() - begun
    expected = all_rows(tmp_path / "undisturbed")
    assert len(expected["posts"]) == 2400
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    interrupted = 0
    for moment in range(MOMENTS):
        collection = tmp_path / f"killed-{moment}"
        process = _start(dump, collection)
        time.sleep(rng.uniform(0.1, 1.0) * whole)
        interrupted += process.poll() is None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            assert process.poll() is not None  # it was done before
        process.communicate()
        _finish(dump, collection)
        assert all_rows(collection) == expected, f"moment {moment} of seed {seed}"
    assert interrupted >= MOMENTS // 2
