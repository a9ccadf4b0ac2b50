"""Answers that a language model is writing: a few at a time, each for a limited time.

A model takes seconds or minutes, so it must not take the place of searches, which take
milliseconds. A generation runs in a thread of its own pool and sends events, which wait in memory
until the client reads them: they are few, because texts are limited. So neither a slow model nor a
slow reader holds a worker of searches, and a slow reader does not hold the model either.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from enum import StrEnum
from typing import NamedTuple

from porism import deadlines
from porism.deadlines import Deadline, limited
from porism.web.server.problems import RequestRefused

KEEP_ALIVE_SECONDS = 15.0
"""Pause after which a stream shows that it is alive; proxies often close silent ones after 60 s."""

RETRY_AFTER = 5
"""Seconds after which a client may ask a busy model again."""

BUSY = "the language model is writing other answers; try again soon"


class AnswerEventName(StrEnum):
    """What an event of a generation says."""

    SOURCES = "sources"
    TEXT = "text"
    ANSWER = "answer"
    ERROR = "error"
    KEEP_ALIVE = "keep-alive"


class AnswerEvent(NamedTuple):
    """An event, with a value for JSON."""

    name: AnswerEventName
    value: object = None


SendEvent = Callable[[AnswerEvent], None]
"""Passes an event from the thread of a generation to its request."""


class Generations:
    """Runs at most ``at_once`` generations, each for at most ``seconds``; others are refused.

    For use in one event loop. A place is taken until its thread ends, not until its client is gone:
    a model that cannot stop at once is still in use.
    """

    def __init__(self, at_once: int, seconds: float) -> None:
        self._at_once = at_once
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(at_once, "porism-answer")
        self._running: set[Deadline] = set()

    def start(self, work: Callable[[SendEvent], None]) -> AsyncIterator[AnswerEvent]:
        """Start to work in a thread, and return the events that it sends.

        What it raises is raised at the end of the events. It is cancelled with its request, when
        its time is over, and when nobody reads its events any more.
        """
        if len(self._running) >= self._at_once:
            raise RequestRefused(503, BUSY, RETRY_AFTER)
        loop = asyncio.get_running_loop()
        # That of the request, which the guard cancels when the client disconnects.
        deadline = deadlines.current() or Deadline(None)
        events: asyncio.Queue[AnswerEvent | Exception | None] = asyncio.Queue()

        def put(event: AnswerEvent) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        def end(error: Exception | None) -> None:
            self._running.discard(deadline)  # before the client knows, who may ask again at once
            events.put_nowait(error)

        def run() -> None:
            failure: Exception | None = None
            try:
                with limited(deadline):
                    work(put)
            except Exception as error:  # raised where the events are read
                failure = error
            finally:
                loop.call_soon_threadsafe(end, failure)

        self._running.add(deadline)
        self._threads.submit(copy_context().run, run)
        return _events(events, deadline, self._seconds)

    def close(self) -> None:
        """Cancel all generations, and wait until their threads have ended."""
        for deadline in tuple(self._running):
            deadline.cancel()
        self._threads.shutdown(cancel_futures=True)


async def _events(
    events: asyncio.Queue[AnswerEvent | Exception | None], deadline: Deadline, seconds: float
) -> AsyncIterator[AnswerEvent]:
    """The events of a generation, until it ends or its time is over."""
    now = asyncio.get_running_loop().time
    end = now() + seconds
    try:
        while True:
            try:
                # Only waiting is limited: a slow reader gets what is there already.
                async with asyncio.timeout_at(min(end, now() + KEEP_ALIVE_SECONDS)):
                    event = await events.get()
            except TimeoutError:
                if now() >= end:
                    message = f"the language model took more than {seconds:g} s and was stopped"
                    raise RequestRefused(504, message) from None
                yield AnswerEvent(AnswerEventName.KEEP_ALIVE)
                continue
            if event is None:
                return
            if isinstance(event, Exception):
                raise event
            yield event
    finally:
        deadline.cancel()
