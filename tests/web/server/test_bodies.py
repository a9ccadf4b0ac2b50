"""Limits of request bodies; the clock advances only where a test says so."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from porism.web.server import bodies
from porism.web.server.bodies import SMALL, BodyLimits, RequestBodies
from porism.web.server.problems import RequestRefused

LIMITS = BodyLimits(1000, {"/upload": 4 * SMALL}, budget=5 * SMALL)


class Client:
    """Sends the messages it is given, and waits for more."""

    def __init__(self, *messages: Message) -> None:
        self.sent: asyncio.Queue[Message] = asyncio.Queue()
        self.is_awaited = asyncio.Event()
        for message in messages:
            self.sent.put_nowait(message)

    async def receive(self) -> Message:
        if self.sent.empty():
            self.is_awaited.set()
        return await self.sent.get()


def piece(size: int, more: bool = False) -> Message:
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


async def received(held: RequestBodies, path: str, client: Client) -> int:
    async with held.received(path, client.receive) as body:
        return len(body)


async def refusal(work: Coroutine[None, None, int] | asyncio.Task[int]) -> int:
    with pytest.raises(RequestRefused) as caught:
        await work
    return caught.value.status


def in_loop(work: Coroutine[None, None, None]) -> None:
    """Run in a thread: while a browser is open, the main thread has a running loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def test_the_chunks_of_a_body_are_joined() -> None:
    async def run() -> None:
        client = Client(piece(10, True), piece(0, True), piece(5))
        assert await received(RequestBodies(LIMITS), "/", client) == 15

    in_loop(run())


def test_a_body_may_be_as_large_as_its_path_allows() -> None:
    async def run() -> None:
        held = RequestBodies(LIMITS)
        assert await received(held, "/", Client(piece(1000))) == 1000
        assert await refusal(received(held, "/", Client(piece(900, True), piece(101)))) == 413
        assert await received(held, "/upload", Client(piece(2000))) == 2000

    in_loop(run())


def test_a_body_that_does_not_arrive_in_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "SECONDS", 0.0)

    async def run() -> None:
        assert await refusal(received(RequestBodies(LIMITS), "/", Client(piece(1, True)))) == 408

    in_loop(run())


def test_a_disconnect_is_raised() -> None:
    async def run() -> None:
        client = Client(piece(1, True), {"type": "http.disconnect"})
        with pytest.raises(ClientDisconnect):
            await received(RequestBodies(LIMITS), "/", client)

    in_loop(run())


def test_the_oldest_incomplete_upload_is_dropped() -> None:
    async def run() -> None:
        held = RequestBodies(LIMITS)
        hanging = [Client(piece(2 * SMALL, True)) for _ in range(2)]
        tasks = [asyncio.create_task(received(held, "/upload", each)) for each in hanging]
        for each in hanging:
            await each.is_awaited.wait()
        assert await received(held, "/upload", Client(piece(3 * SMALL))) == 3 * SMALL
        assert await refusal(tasks[0]) == 503
        hanging[1].sent.put_nowait(piece(1))
        assert await tasks[1] == 2 * SMALL + 1

    in_loop(run())


def test_complete_bodies_are_not_dropped() -> None:
    async def run() -> None:
        held = RequestBodies(LIMITS)
        async with held.received("/upload", Client(piece(4 * SMALL)).receive):
            assert await refusal(received(held, "/upload", Client(piece(2 * SMALL)))) == 503
            assert await received(held, "/", Client(piece(1000))) == 1000
        assert await received(held, "/upload", Client(piece(2 * SMALL))) == 2 * SMALL

    in_loop(run())
