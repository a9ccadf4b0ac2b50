"""Attempts at a request: which failures are repeated, after how long, and for how long in all."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from porism.deadlines import Cancelled, Deadline, limited
from porism.generation.connection import Clock
from porism.generation.endpoint import open_endpoint
from porism.generation.generator import Generation, GenerationError, Message, Role, Sampling
from porism.generation.settings import EndpointSettings
from tests.generation.openai_server import (
    Behaviour,
    Exchange,
    OpenAIServer,
    breaks_off,
    fails,
    never_ends,
    says,
    sends,
)

QUESTION = [Message(Role.USER, "Why?")]


@dataclass
class FakeTime:
    """Time that passes only while somebody sleeps."""

    now: float = 0.0
    chance: float = 1.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, self.sleep, lambda: self.chance)


def chat(
    script: Behaviour | Sequence[Behaviour],
    time: FakeTime,
    settings: EndpointSettings | None = None,
) -> tuple[Generation, int]:
    """The answer to a chat, and the number of requests that it took."""
    with OpenAIServer(script) as server:
        model = open_endpoint(server.url, "m", settings, time.clock)
        try:
            return model.chat(QUESTION, Sampling()), len(server.requests)
        finally:
            model.close()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_an_overloaded_server_is_asked_again_after_twice_as_long(status: int) -> None:
    time = FakeTime()
    generation, requests = chat([fails(status), fails(status), says("because")], time)
    assert (generation.text, requests) == ("because", 3)
    assert time.now == 0.5 + 1.0


def test_waits_are_spread_so_that_clients_do_not_come_back_together() -> None:
    time = FakeTime(chance=0.0)
    chat([fails(503), fails(503), says("because")], time)
    assert time.now == 0.25 + 0.5


def test_the_server_may_say_how_long_to_wait() -> None:
    time = FakeTime()
    chat([fails(429, headers={"Retry-After": "7"}), says("because")], time)
    assert time.now == 7.0


def test_a_date_that_has_passed_is_no_wait() -> None:
    time = FakeTime()
    past = {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}
    chat([fails(429, headers=past), says("because")], time)
    assert time.now == 0.5


def test_a_server_that_asks_for_too_much_patience_gets_none() -> None:
    time = FakeTime()
    with pytest.raises(GenerationError, match=r"429.*asks to wait 3600 s"):
        chat(fails(429, headers={"Retry-After": "3600"}), time)
    assert time.waits == []


def test_attempts_end() -> None:
    time = FakeTime()
    with pytest.raises(GenerationError, match="status 503"):
        chat(fails(503), time, EndpointSettings(retries=3))
    assert time.now == 0.5 + 1.0 + 2.0


@pytest.mark.parametrize("script", [fails(400), fails(401), fails(404), fails(501), sends("?")])
def test_other_failures_are_not_repeated(script: Behaviour) -> None:
    time = FakeTime()
    with pytest.raises(GenerationError):
        chat([script, says("because")], time)
    assert time.waits == []


def test_nothing_is_repeated_after_text() -> None:
    time = FakeTime()
    pieces: list[str] = []

    def resets(exchange: Exchange) -> None:
        exchange.send("data: x", headers={"X": "y"})

    with OpenAIServer([breaks_off("so"), resets]) as server:
        model = open_endpoint(server.url, "m", None, time.clock)
        with pytest.raises(GenerationError, match="after 2 characters"):
            model.chat(QUESTION, Sampling(), pieces.append)
    assert pieces == ["so"]
    assert len(server.requests) == 1


def test_a_connection_that_breaks_before_any_text_is_repeated() -> None:
    def breaks(exchange: Exchange) -> None:
        exchange.stream()
        exchange.raw(b": waiting\n\n")
        exchange._handler.connection.shutdown(socket.SHUT_RDWR)

    def promises_more(exchange: Exchange) -> None:
        exchange._handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
        exchange._handler.close_connection = True

    time = FakeTime()
    generation, requests = chat([promises_more, says("because")], time)
    assert (generation.text, requests) == ("because", 2)
    with pytest.raises(GenerationError, match=r"neither JSON nor events"):
        chat(breaks, time)


def test_an_endpoint_that_is_down_is_an_error_after_the_attempts() -> None:
    with OpenAIServer(says("yes")) as server:
        url = server.url
    time = FakeTime()
    model = open_endpoint(url, "m", None, time.clock)
    with pytest.raises(GenerationError, match=r"cannot be reached.*is the server running"):
        model.chat(QUESTION, Sampling())
    assert time.now == 1.5


def test_all_attempts_together_have_a_limit() -> None:
    time = FakeTime()
    settings = EndpointSettings(total_seconds=2.0, retries=9)
    with pytest.raises(GenerationError, match="took longer than 2 s"):
        chat(fails(503), time, settings)
    assert time.now < 5


def test_a_stream_that_drips_has_a_limit() -> None:
    time = FakeTime()
    with OpenAIServer(never_ends()) as server:
        model = open_endpoint(server.url, "m", EndpointSettings(total_seconds=60.0), time.clock)
        with pytest.raises(GenerationError, match="took longer than 60 s"):
            model.chat(QUESTION, Sampling(max_characters=10**9), lambda piece: time.sleep(1.0))


def test_a_wait_can_be_cancelled() -> None:
    deadline = Deadline(None)
    time = FakeTime()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        deadline.cancel()

    with OpenAIServer(fails(503)) as server, limited(deadline):
        model = open_endpoint(server.url, "m", None, Clock(lambda: time.now, sleep, lambda: 1.0))
        with pytest.raises(Cancelled):
            model.chat(QUESTION, Sampling())
    assert time.waits == [0.25]
