"""Requests meant to harm: slow bodies, costly queries, foreign hosts and sites, false addresses.

Against real servers by real sockets. What waits, waits for an event.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from porism import deadlines
from porism.cli.main import porism
from porism.deadlines import Cancelled, Deadline
from porism.errors import PorismError
from porism.inverted import Index
from porism.query.typed_topics import TypedTopic, typed_answer_topic
from porism.web import api
from porism.web.server import bodies, connection_timeouts
from porism.web.server.connection_timeouts import ClientStep
from porism.web.server.limits import RateLimit
from porism.web.server.listener import listening_socket
from porism.web.settings import SearchAppSettings
from tests.web.serving import served_by_thread

HANGING = 10
"""More requests than either server runs at once."""

HALF_A_BODY = b"POST /api/convert HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"

EXPLODING = r"\def\a#1{#1#1#1#1#1#1#1#1#1}\a{\a{\a{\a{xyzw}}}}"

LONG = 120
"""Seconds after which a test that waits for an event fails, rather than never ending."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers whose timeouts never end during a test."""
    for owed in ClientStep:
        monkeypatch.setitem(connection_timeouts.STEP_SECONDS, owed, 3600.0)
    monkeypatch.setattr(bodies, "SECONDS", 3600.0)


@pytest.fixture
def address(sample_index: Path) -> Iterator[str]:
    with served_by_thread(SearchAppSettings(sample_index, requests_a_second=0)) as url:
        yield url


def opened(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), LONG)


def status_of(connection: socket.socket) -> int:
    """The status of the answer; 0 if there is none."""
    return int((connection.recv(100).split() or [b"", b"0"])[1])


def is_open(connection: socket.socket) -> bool:
    """Whether the other side has neither answered nor ended the connection."""
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except BlockingIOError:
        return True


def get(address: str, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    """The status, text and headers of an answer; ``sec_fetch_site`` is ``Sec-Fetch-Site``."""
    parts = urlsplit(address)
    with closing(HTTPConnection(str(parts.hostname), parts.port, timeout=LONG)) as link:
        link.putrequest("GET", path, skip_host="host" in headers)
        for name, value in headers.items():
            link.putheader(name.replace("_", "-"), value)
        link.endheaders()
        answer = link.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, answer.read().decode(), found


@contextmanager
def hanging_requests(address: str, sent: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        made = [stack.enter_context(opened(address)) for _ in range(HANGING)]
        for each in made:
            each.sendall(sent)
        yield made


def test_slow_bodies_keep_nobody_waiting(address: str) -> None:
    with hanging_requests(address, HALF_A_BODY) as slow:
        assert get(address, "/api/health")[0] == 200  # so that the server has seen them all
        assert get(address, "/api/search?q=sum")[0] == 200
        assert all(map(is_open, slow))


def test_slow_bodies_of_get_keep_nobody_waiting(address: str) -> None:
    with hanging_requests(address, HALF_A_BODY.replace(b"POST", b"GET")) as slow:
        assert get(address, "/api/health")[0] == 200
        assert get(address, "/?q=sum")[0] == 200
        assert all(map(is_open, slow))


def test_clients_that_do_not_read_keep_nobody_waiting(address: str) -> None:
    pages = 300 * b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        deaf = [stack.enter_context(socket.socket()) for _ in range(HANGING)]
        for each in deaf:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            each.connect((urlsplit(address).hostname, urlsplit(address).port))
            each.sendall(pages)
        # As many as the deaf ones' requests could have kept waiting, and more.
        for _ in range(HANGING):
            assert get(address, "/?q=sum")[0] == 200


def test_only_a_run_may_be_large(address: str) -> None:
    for path, expected in (("/api/convert", 413), ("/runs/try", 200)):
        with opened(address) as link:
            body = b"x" * 300_000
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
            link.sendall(head.encode() + b"Content-Type: text/plain\r\n\r\n" + body)
            assert status_of(link) == expected


def test_document_frequencies_are_looked_up_in_batches(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_sizes: list[int] = []
    frequencies = Index.frequencies

    def counted(index: Index, field: str, tokens: Sequence[str]) -> NDArray[np.int64]:
        batch_sizes.append(len(tokens))
        return frequencies(index, field, tokens)

    monkeypatch.setattr(Index, "frequencies", counted)
    assert get(address, f"/api/formulas?q={quote('x+' * 300)}")[0] == 200
    assert max(batch_sizes) > 100
    assert len(batch_sizes) < 50


def test_an_exploding_macro_is_cut_with_a_message(address: str) -> None:
    status, text, _ = get(address, f"/api/formulas?q={quote(EXPLODING)}")
    assert status == 200
    messages = [each["message"] for each in json.loads(text)["problems"]]
    assert any("expands without end" in message for message in messages)
    status, text, _ = get(address, f"/?what=formulas&q={quote('x+' * 900)}")
    assert status == 200
    assert "only the first 600 are searched for" in text


@pytest.mark.parametrize("path", ["/api/search?q=sum", "/api/formulas?q=x", "/?q=sum"])
def test_a_request_is_stopped_after_its_cpu_time(sample_index: Path, path: str) -> None:
    # A negative limit is exceeded at the first check, whatever the clock says.
    with served_by_thread(SearchAppSettings(sample_index, cpu_seconds=-1.0)) as address:
        status, text, _ = get(address, path)
        assert status == 422
        assert "computing time" in text
        assert "too-costly" in text or not path.startswith("/api/")
        assert get(address, "/api/health")[0] == 200


class Watched:
    """A search that waits until its request is cancelled, and its outcome."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started = threading.Semaphore(0)
        self.cancelled = threading.Event()
        self.stopped = threading.Event()
        self.texts: list[str] = []
        cancel = Deadline.cancel

        def cancel_and_tell(deadline: Deadline) -> None:
            cancel(deadline)
            self.cancelled.set()

        monkeypatch.setattr(Deadline, "cancel", cancel_and_tell)
        monkeypatch.setattr(api, "typed_answer_topic", self.read)

    def read(self, text: str, literal: Collection[str] = ()) -> TypedTopic:
        self.texts.append(text)
        if text == "slow":
            self.started.release()
            assert self.cancelled.wait(LONG)
            try:
                deadlines.check()
            except Cancelled:
                self.stopped.set()
                raise
        return typed_answer_topic(text, literal)


def test_an_abandoned_request_stops(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    with opened(address) as link:
        link.sendall(b"GET /api/search?q=slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert watched.started.acquire(timeout=LONG)
    assert watched.stopped.wait(LONG)
    assert get(address, "/api/search?q=sum")[0] == 200


def test_a_request_abandoned_while_waiting_never_starts(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)
    with served_by_thread(
        SearchAppSettings(sample_index, requests_a_second=0, at_once=1)
    ) as address:
        with opened(address) as first, opened(address) as second:
            first.sendall(b"GET /api/search?q=slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert watched.started.acquire(timeout=LONG)
            second.sendall(b"GET /api/search?q=waiting HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert get(address, "/api/health")[0] == 200  # so that the second waits for its turn
            second.close()
            assert watched.cancelled.wait(LONG)
            # The event was for the second: the first goes on as long as its client is there.
            assert status_of(first) == 200
        assert get(address, "/api/search?q=sum")[0] == 200
    assert watched.texts == ["slow", "sum"]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8000", 200),
        ("127.0.0.1:99", 200),
        ("127.8.7.6", 200),
        ("[::1]:8000", 200),
        ("search.example", 200),
        ("evil.example", 421),
        ("evil.example:8000", 421),
        ("localhost.evil.example", 421),
        ("localhost@evil.example", 421),
        ("10.1.2.3", 421),
        ("", 421),
    ],
)
def test_only_host_names_of_the_server_are_accepted(
    sample_index: Path, host: str, status: int
) -> None:
    with served_by_thread(SearchAppSettings(sample_index, hosts=("search.example",))) as address:
        for path in ("/", "/api/search?q=sum", "/static/porism.css"):
            found, text, _ = get(address, path, host=host)
            assert found == status
        if status == 421:
            assert "Misdirected" in text or "--allow-host" in text


def test_redirects_do_not_repeat_the_host(address: str) -> None:
    status, _, headers = get(address, "/runs/", host="localhost:1234")
    assert (status, headers["location"]) == (307, "/runs")
    status, _, headers = get(address, "//evil.example/", host="localhost:1234")
    assert not headers.get("location", "/").startswith("//")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec_fetch_site": "same-origin", "sec_fetch_mode": "cors"}, 200),
        ({"sec_fetch_site": "none", "sec_fetch_mode": "navigate"}, 200),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, 200),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "cors", "origin": "http://a"}, 403),
        (
            {
                "sec_fetch_site": "cross-site",
                "sec_fetch_mode": "navigate",
                "sec_fetch_dest": "iframe",
            },
            403,
        ),
        (
            {
                "sec_fetch_site": "cross-site",
                "sec_fetch_mode": "cors",
                "origin": "https://ours.example",
            },
            200,
        ),
    ],
)
def test_other_sites_cannot_make_browsers_search(
    sample_index: Path, headers: dict[str, str], status: int
) -> None:
    settings = SearchAppSettings(sample_index, origins=("https://ours.example",))
    with served_by_thread(settings) as address:
        assert get(address, "/api/search?q=sum", **headers)[0] == status
        assert get(address, "/?q=sum", **headers)[0] == status


@pytest.mark.parametrize("is_behind_proxy", [False, True])
def test_forwarding_headers_are_trusted_only_behind_a_proxy(
    sample_index: Path, is_behind_proxy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def note(rate: RateLimit, address: str) -> float:
        seen.append(address)
        return 0.0

    monkeypatch.setattr(RateLimit, "take", note)
    with served_by_thread(
        SearchAppSettings(sample_index, is_behind_proxy=is_behind_proxy)
    ) as address:
        get(address, "/api/health", x_forwarded_for="1.2.3.4, 203.0.113.9")
    # Of several addresses the last counts, which the proxy itself has seen.
    assert seen == ["203.0.113.9" if is_behind_proxy else "127.0.0.1"]


def test_an_empty_host_is_refused(sample_index: Path) -> None:
    for host in ("", "  "):
        done = CliRunner().invoke(porism, ["serve", str(sample_index), "--host", host])
        assert done.exit_code == 2
        assert "empty address" in done.stderr
        with pytest.raises(PorismError, match="empty address"):
            listening_socket(host, 0, 1)


def test_pages_allow_no_inline_style(address: str) -> None:
    for path in ("/runs", "/api/health", "/static/porism.css", "/threads/1"):
        _, _, headers = get(address, path)
        assert "style-src 'self';" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_page_with_the_editor_allows_style_attributes_alone(address: str) -> None:
    _, _, headers = get(address, "/")
    policy = headers["content-security-policy"]
    assert "style-src 'self';" in policy
    assert policy.count("'unsafe-inline'") == policy.count("style-src-attr 'unsafe-inline'")


def test_the_preview_has_no_styles_or_links_from_latex(address: str) -> None:
    for command in (r"\htmlStyle{position:fixed}", r"\href{javascript:x}", r"\cssId{a}"):
        status, text, _ = get(address, f"/preview?q={quote(f'${command}{{x}}$')}")
        assert status == 200
        (formula,) = re.findall(r"<math.*</math>", text)
        for attribute in ("style=", "href=", "id=", 'class="a'):
            assert attribute not in formula.replace("alttext", "")
