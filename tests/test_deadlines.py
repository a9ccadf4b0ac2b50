"""Limits on the work of one request, with simulated clocks."""

import threading

import pytest

from porism import deadlines
from porism.deadlines import Cancelled, Deadline, DeadlineExceeded


class Clock:
    """CPU time that only a test advances."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_a_deadline_nothing_is_limited() -> None:
    deadlines.check()


def test_a_deadline_counts_cpu_time_from_the_first_check() -> None:
    clock = Clock()
    with deadlines.limited(Deadline(5.0, clock)):
        deadlines.check()
        clock.now += 5.0
        deadlines.check()
        clock.now += 0.1
        with pytest.raises(DeadlineExceeded, match="more than 5 s of computing time"):
            deadlines.check()
    deadlines.check()


def test_time_of_several_threads_is_added_up() -> None:
    clock = Clock()
    deadline = Deadline(5.0, clock)

    def work() -> None:
        deadline.check()
        clock.now += 3.0
        deadline.check()

    work()
    clock.now = 0.0  # each thread has a clock of its own
    raised: list[bool] = []

    def exceed_deadline() -> None:
        with pytest.raises(DeadlineExceeded):
            work()
        raised.append(True)

    thread = threading.Thread(target=exceed_deadline)
    thread.start()
    thread.join()
    assert raised == [True]


def test_a_cancelled_request_stops_at_the_next_check() -> None:
    deadline = Deadline(None)
    with deadlines.limited(deadline):
        deadlines.check()
        deadline.cancel()
        with pytest.raises(Cancelled):
            deadlines.check()
