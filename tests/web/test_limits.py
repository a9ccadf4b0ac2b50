"""Shares: of requests, and of searches at the same time."""

import threading

import pytest

from porism.web import limits
from porism.web.limits import RequestRate, Turns
from porism.web.problems import Refused


def test_twice_as_many_at_once_and_then_so_many_a_second() -> None:
    rate = RequestRate(2)
    assert [rate.take("a", now=0.0) for _ in range(4)] == [0, 0, 0, 0]
    assert rate.take("a", now=0.0) == pytest.approx(0.5)
    assert rate.take("b", now=0.0) == 0  # others have their own share
    assert rate.take("a", now=0.5) == 0
    assert rate.take("a", now=0.5) > 0


def test_no_limit_is_none() -> None:
    rate = RequestRate(0)
    assert {rate.take("a", now=0.0) for _ in range(1000)} == {0}


def test_addresses_without_number_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ADDRESSES", 3)
    rate = RequestRate(1)
    for number in range(100):
        rate.take(str(number), now=0.0)
    assert len(rate._left) == 3


def test_searches_wait_for_their_turn_and_too_many_are_refused() -> None:
    turns = Turns(at_once=1, waiting=1)
    order: list[str] = []
    may_go = threading.Event()

    def second() -> None:
        with turns.one():
            order.append("second")

    with turns.one():
        waiting = threading.Thread(target=second)
        waiting.start()
        while turns._here < 2:
            may_go.wait(0.01)
        with pytest.raises(Refused, match="too many searches"), turns.one():
            pass
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]
    assert turns._here == 0


def test_a_turn_that_does_not_come_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PATIENCE", 0.01)
    turns = Turns(at_once=1, waiting=5)
    with turns.one(), pytest.raises(Refused, match="did not get its turn"), turns.one():
        pass
    with turns.one():
        pass
