"""Clients that hang: others are served meanwhile, and the connection is taken from them."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from porism.rank.typed import Typed, typed_answer_topic
from porism.web import api, hanging
from porism.web.hanging import Owed
from porism.web.settings import Settings
from tests.web.serving import served_by_thread

SOON = 0.5
HALF_A_HEAD = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HALF_A_BODY = b"POST /api/convert HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
MANY_PAGES = 500 * b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def address(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """The sample served, by a server that waits for nothing longer than half a second."""
    for owed in Owed:
        monkeypatch.setitem(hanging.SECONDS, owed, SOON)
    with served_by_thread(Settings(sample_index, requests_a_second=0)) as url:
        port = re.search(r":(\d+)$", url)
        assert port is not None
        yield "127.0.0.1", int(port[1])


@contextmanager
def connections(
    address: tuple[str, int], number: int, sent: bytes
) -> Iterator[list[socket.socket]]:
    """Clients that send a few bytes and then nothing."""
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(address, 10)) for _ in range(number)]
        for each in opened:
            each.sendall(sent)
        yield opened


def is_served(address: tuple[str, int]) -> bool:
    host, port = address
    return httpx.get(f"http://{host}:{port}/api/search?q=sum", timeout=5).status_code == 200


def is_cut_off(connection: socket.socket, seconds: float = 10) -> bool:
    """Whether the other side ends the connection in that time, whatever it says before."""
    connection.settimeout(seconds)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True
    return True


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD, HALF_A_BODY], ids=["none", "head", "body"])
def test_half_a_request_is_not_waited_for(address: tuple[str, int], sent: bytes) -> None:
    with connections(address, 100, sent) as hanging_ones:
        assert is_served(address)
        assert all(map(is_cut_off, hanging_ones))
        assert is_served(address)


def test_bytes_now_and_then_do_not_buy_time(address: tuple[str, int]) -> None:
    def trickle(slow: socket.socket) -> None:
        for _ in range(100):
            slow.sendall(b"x")
            time.sleep(SOON / 10)

    with connections(address, 1, HALF_A_HEAD) as (slow,), pytest.raises(OSError, match=r"."):
        trickle(slow)


def test_whoever_does_not_listen_is_cut_off(address: tuple[str, int]) -> None:
    with ExitStack() as stack:
        deaf = [stack.enter_context(socket.socket()) for _ in range(5)]
        for each in deaf:
            each.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVBUF, 2048
            )  # so that little is on its way
            each.connect(address)
            each.sendall(MANY_PAGES)
        assert is_served(address)
        time.sleep(3 * SOON)
        # What was sent before can still be read, but not all.
        assert all(is_cut_off(each, 5) for each in deaf)


def test_a_connection_that_is_used_stays(address: tuple[str, int]) -> None:
    host, port = address
    with httpx.Client(base_url=f"http://{host}:{port}") as client:
        for _ in range(4):
            stream = client.get("/api/health").extensions["network_stream"]
            (before,) = {stream.get_extra_info("client_addr")}
            time.sleep(SOON / 2)
            after = client.get("/api/health").extensions["network_stream"]
            assert after.get_extra_info("client_addr") == before


def test_a_long_search_is_not_taken_for_a_client_that_hangs(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(text: str) -> Typed:
        time.sleep(3 * SOON)
        return typed_answer_topic(text)

    monkeypatch.setattr(api, "typed_answer_topic", slow)
    assert is_served(address)


def test_where_connections_are_too_many_those_that_hang_make_room(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hanging, "MOST_CONNECTIONS", 20)
    monkeypatch.setitem(hanging.SECONDS, Owed.HEAD, 60)
    with connections(address, 50, HALF_A_HEAD) as hanging_ones:
        assert is_served(address)
        assert sum(is_cut_off(each, 0.1) for each in hanging_ones[:30]) == 30


def test_a_client_that_hangs_does_not_keep_the_server_from_ending(sample_index: Path) -> None:
    command = [sys.executable, "-m", "porism", "serve", str(sample_index), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = re.search(r":(\d+)/", process.stdout.readline())
        assert port is not None
        with connections(("127.0.0.1", int(port[1])), 3, HALF_A_BODY):
            assert is_served(("127.0.0.1", int(port[1])))
            process.send_signal(signal.SIGINT)
            assert process.wait(20) is not None
