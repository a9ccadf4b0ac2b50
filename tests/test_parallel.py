"""Results in order, from one process or several, and workers that do not outlive their parent."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.parallel import AHEAD, map_in_order


def square(number: int) -> int:
    return number * number


def end_at_three(number: int) -> int:
    if number == 3:
        os._exit(1)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    assert list(map_in_order(square, range(50), jobs)) == [n * n for n in range(50)]


def test_few_items_are_read_ahead() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = map_in_order(square, items(), 2)
    next(results)
    assert len(taken) <= AHEAD * 2
    results.close()


def test_dead_worker_is_reported() -> None:
    with pytest.raises(PorismError, match="fewer jobs"):
        list(map_in_order(end_at_three, range(10), 2))


OWNER = """
import os, signal
from porism.parallel import map_in_order

def slow(number):
    os.write(1, b"w")  # its end of the pipe stays open as long as the process lives
    signal.pause()

if __name__ == "__main__":
    list(map_in_order(slow, range(4), 2))
"""


def test_workers_exit_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.read(2) == b"ww"
        owner.send_signal(signal.SIGKILL)
        # The pipe ends when the last process that can write to it has ended.
        assert owner.stdout.read() == b""
