"""Shares: of requests, and of searches at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path

import httpx
import pytest

from porism.web import api
from porism.web.server import limits
from porism.web.server.limits import ConcurrencyLimit, RateLimit
from porism.web.server.problems import RequestRefused
from porism.web.settings import SearchAppSettings
from tests.web.serving import SAFETY_NET, served_by_thread


def test_the_rate_limit_allows_bursts_of_twice_the_rate() -> None:
    rate = RateLimit(2)
    assert [rate.take("a", now=0.0) for _ in range(4)] == [0, 0, 0, 0]
    assert rate.take("a", now=0.0) == pytest.approx(0.5)
    assert rate.take("b", now=0.0) == 0  # others have their own share
    assert rate.take("a", now=0.5) == 0
    assert rate.take("a", now=0.5) > 0


def test_a_rate_of_0_is_no_limit() -> None:
    rate = RateLimit(0)
    assert {rate.take("a", now=0.0) for _ in range(1000)} == {0}


def test_the_number_of_remembered_addresses_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ADDRESSES", 3)
    rate = RateLimit(1)
    for number in range(100):
        rate.take(str(number), now=0.0)
    assert len(rate._left) == 3


def test_the_concurrency_limit_counts_open_slots() -> None:
    crowd = ConcurrencyLimit(2)
    with crowd.slot() as first, crowd.slot() as second, crowd.slot() as third:
        assert (first, second, third) == (True, True, False)
    with crowd.slot() as later:
        assert later


def test_too_many_searches_get_503_and_health_is_answered_at_once(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go = threading.Event()

    def slow(*_: object) -> None:
        may_go.wait(SAFETY_NET)
        raise RequestRefused(404, "late")

    monkeypatch.setattr(api, "search_results", slow)
    settings = SearchAppSettings(sample_index, at_once=1, waiting=1, requests_a_second=0)
    with served_by_thread(settings) as address, ThreadPoolExecutor(4) as threads:

        def status(path: str) -> int:
            return httpx.get(f"{address}{path}", timeout=SAFETY_NET).status_code

        searches = [threads.submit(status, "/api/search?q=x") for _ in range(4)]
        refused = [each.result() for each in islice(as_completed(searches), 2)]
        assert refused == [503, 503]
        assert status("/api/health") == 200
        assert status("/static/porism.css") == 200
        may_go.set()
        assert sorted(each.result() for each in searches) == [404, 404, 503, 503]
