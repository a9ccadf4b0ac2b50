"""Unauthenticated requests are refused before the body; slow bodies do not block others."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from porism.web.assessment.authentication import COOKIE
from porism.web.server import bodies, connection_timeouts
from porism.web.server.connection_timeouts import ClientStep
from tests.web.assessment.sample_assessment import Assessment

LONG = 120
HANGING = 12
"""More than the requests handled at once."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for owed in ClientStep:
        monkeypatch.setitem(connection_timeouts.STEP_SECONDS, owed, 3600.0)
    monkeypatch.setattr(bodies, "SECONDS", 3600.0)


@contextmanager
def half_judgments(
    site: str, more: str = "", path: str = "/judgments"
) -> Iterator[list[socket.socket]]:
    """Clients that send the head of a judgment and one byte of its body."""
    parts = urlsplit(site)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n{more}\r\n{{"
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection((parts.hostname, parts.port), LONG))
            for _ in range(HANGING)
        ]
        for each in opened:
            each.sendall(head.encode())
        yield opened


@pytest.mark.parametrize("path", ["/judgments", "/judge/answers/A.1", "/admin/assign"])
def test_unauthenticated_requests_are_refused_before_the_body(site: str, path: str) -> None:
    for more in ("", f"Cookie: {COOKIE}=wrong\r\n"):
        with half_judgments(site, more, path) as unknown:
            assert {each.recv(12) for each in unknown} == {b"HTTP/1.1 401"}


def test_other_sites_are_refused_before_the_body(site: str, assessment: Assessment) -> None:
    more = f"Cookie: {COOKIE}={assessment.tokens['Ada']}\r\nOrigin: http://evil.example\r\n"
    with half_judgments(site, more) as cross_site:
        assert {each.recv(12) for each in cross_site} == {b"HTTP/1.1 403"}


def test_slow_judgments_do_not_block_others(site: str, assessment: Assessment) -> None:
    more = f"Cookie: {COOKIE}={assessment.tokens['Ada']}\r\n"
    with half_judgments(site, more) as slow:
        assert httpx.get(f"{site}/sign-in", timeout=LONG).status_code == 200
        cookies = {COOKIE: assessment.tokens["Bob"]}
        assert httpx.get(f"{site}/", cookies=cookies, timeout=LONG).status_code == 200
        for each in slow:
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.recv(1)


@pytest.mark.parametrize(("host", "status"), [("localhost", 200), ("evil.example", 421)])
def test_only_known_host_names_are_answered(site: str, host: str, status: int) -> None:
    assert httpx.get(f"{site}/sign-in", headers={"Host": host}, timeout=LONG).status_code == status


def test_cross_origin_reads_are_refused(site: str, assessment: Assessment) -> None:
    cookies = {COOKIE: assessment.tokens["Ada"]}
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert httpx.get(f"{site}/", cookies=cookies, headers=headers, timeout=LONG).status_code == 403
