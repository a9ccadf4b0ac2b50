"""Clients that hang: others are served meanwhile, and their connection is closed."""

import asyncio
import socket
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from porism.query.typed_topics import TypedTopic, typed_answer_topic
from porism.web import api
from porism.web.app import create_app
from porism.web.server import connection_timeouts
from porism.web.server.connection_timeouts import ClientStep
from porism.web.server.listener import server_of
from porism.web.settings import SearchAppSettings
from tests.web.serving import SAFETY_NET, running, until

HOUR = 3600.0
HALF_A_HEAD = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HALF_A_BODY = b"POST /api/convert HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
MANY_PAGES = 500 * b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def server(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> uvicorn.Server:
    """A server with timeouts of an hour, by a clock that a test can advance."""
    for owed in ClientStep:
        monkeypatch.setitem(connection_timeouts.STEP_SECONDS, owed, HOUR)
    made = server_of(create_app(SearchAppSettings(sample_index, requests_a_second=0)))
    made.config.timeout_keep_alive = 10 * int(HOUR)  # not the limit that is tested here
    return made


@pytest.fixture
def address(server: uvicorn.Server) -> Iterator[tuple[str, int]]:
    """The address of the server."""
    with running(server) as url:
        parts = urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        yield parts.hostname, parts.port


def advance_clock(server: uvicorn.Server, seconds: float) -> None:
    """Let time pass for a server that has a connection, and what is due then be done."""
    loop = next(iter(server.server_state.connections)).loop
    now = loop.time

    async def jump() -> None:
        loop.time = lambda: now() + seconds  # type: ignore[method-assign]  # a clock of our own
        for _ in range(3):
            await asyncio.sleep(0)

    asyncio.run_coroutine_threadsafe(jump(), loop).result(SAFETY_NET)


def owing(server: uvicorn.Server, owed: ClientStep) -> int:
    """How many clients owe something."""
    return sum(getattr(each, "_step", None) is owed for each in server.server_state.connections)


@contextmanager
def connections(
    address: tuple[str, int], number: int, sent: bytes
) -> Iterator[list[socket.socket]]:
    """Clients that send a few bytes and then nothing."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(address, SAFETY_NET))
            for _ in range(number)
        ]
        for each in opened:
            each.sendall(sent)
        yield opened


def is_served(address: tuple[str, int]) -> bool:
    host, port = address
    return (
        httpx.get(f"http://{host}:{port}/api/search?q=sum", timeout=SAFETY_NET).status_code == 200
    )


def is_cut_off(connection: socket.socket) -> bool:
    """Whether the other side ends the connection, whatever it says before."""
    connection.settimeout(SAFETY_NET)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True
    return True


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD, HALF_A_BODY], ids=["none", "head", "body"])
def test_an_incomplete_request_times_out(
    server: uvicorn.Server, address: tuple[str, int], sent: bytes
) -> None:
    with connections(address, 100, sent) as hanging_ones:
        until(lambda: len(server.server_state.connections) == 100)
        assert is_served(address)
        advance_clock(server, HOUR)
        assert all(map(is_cut_off, hanging_ones))
        assert is_served(address)


def test_slow_bytes_do_not_extend_the_timeout(
    server: uvicorn.Server, address: tuple[str, int]
) -> None:
    with connections(address, 1, HALF_A_HEAD) as (slow,):
        for _ in range(9):
            slow.sendall(b"x")
            assert is_served(address)  # so that the byte was read before
            advance_clock(server, HOUR / 9)
        assert is_cut_off(slow)


def test_a_client_that_does_not_read_is_disconnected(
    server: uvicorn.Server, address: tuple[str, int]
) -> None:
    with ExitStack() as stack:
        deaf = [stack.enter_context(socket.socket()) for _ in range(5)]
        for each in deaf:
            each.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVBUF, 2048
            )  # so that little is on its way
            each.connect(address)
            each.sendall(MANY_PAGES)
        assert is_served(address)
        until(lambda: owing(server, ClientStep.READING) == len(deaf))

        # While the system's buffers still fill, a client may have been given a new deadline.
        def all_closed() -> bool:
            if server.server_state.connections:
                advance_clock(server, HOUR)
            return not server.server_state.connections

        until(all_closed)
        # What was sent before can still be read, but not all.
        assert all(map(is_cut_off, deaf))


def test_a_connection_in_use_stays_open(server: uvicorn.Server, address: tuple[str, int]) -> None:
    host, port = address
    with httpx.Client(base_url=f"http://{host}:{port}", timeout=SAFETY_NET) as client:
        for _ in range(4):
            stream = client.get("/api/health").extensions["network_stream"]
            (before,) = {stream.get_extra_info("client_addr")}
            advance_clock(server, HOUR / 2)
            after = client.get("/api/health").extensions["network_stream"]
            assert after.get_extra_info("client_addr") == before


def test_a_long_search_does_not_time_out(
    server: uvicorn.Server, address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(text: str, literal: Collection[str] = ()) -> TypedTopic:
        advance_clock(server, 3 * HOUR)
        return typed_answer_topic(text, literal)

    monkeypatch.setattr(api, "typed_answer_topic", slow)
    assert is_served(address)


def test_beyond_the_limit_hanging_connections_are_closed(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_timeouts, "MOST_CONNECTIONS", 20)
    with connections(address, 50, HALF_A_HEAD) as hanging_ones:
        assert is_served(address)
        assert all(map(is_cut_off, hanging_ones[:30]))


def test_a_hanging_client_does_not_delay_shutdown(server: uvicorn.Server) -> None:
    with running(server) as url:
        parts = urlsplit(url)
        address = (parts.hostname or "", parts.port or 0)
        with connections(address, 3, HALF_A_BODY):
            until(lambda: owing(server, ClientStep.BODY) == 3)
            server.should_exit = True
            until(lambda: not server.servers[0].is_serving())
            advance_clock(server, HOUR / 2)  # before they are cut off
