"""Middleware of every application: limits, safe headers, and few threads.

A request is checked in this order: rate of its client, host name, site of origin, authentication,
body, and then it waits for a worker. So refusing a request is cheap, and only complete requests
take a worker.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from porism.deadlines import Deadline, limited
from porism.web.server.bodies import BodyLimits, RequestBodies
from porism.web.server.limits import ConcurrencyLimit, RateLimit, too_large_message
from porism.web.server.origins import is_cross_site, wrong_host
from porism.web.server.problems import CLIENT_GONE, RequestRefused

STATIC = Path(__file__).parent.parent / "static"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{}; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": _POLICY.format(""),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Sites of --origin use CORS, to which this does not apply.
    "Cross-Origin-Resource-Policy": "same-origin",
}

FONTS = "/static/fonts/"
FONT_HEADERS = {**HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}
"""Text waits for its font, so browsers should not revalidate fonts."""

EDITOR_POLICY = _POLICY.format("; style-src-attr 'unsafe-inline'")
"""The policy of pages with the formula editor: MathLive sets ``style`` attributes on the HTML that
it generates. Style elements remain forbidden."""


class ProblemResponder(Protocol):
    """Makes the response of an application to a failed request."""

    def __call__(
        self, request: Request, status: int, detail: str, retry_after: int | None = None, /
    ) -> Response: ...


@dataclass(frozen=True, slots=True)
class Guard:
    """The limits and the error responses of an application.

    ``at_once`` requests run at the same time and ``waiting`` more wait; others get 503. Static
    files and ``quick`` paths do not wait. A request may use ``cpu_seconds`` of CPU time. ``hosts``
    are accepted host names besides those of this machine, ``origins`` sites whose scripts may send
    requests. ``respond`` and ``failed`` make the responses to refused requests and to unexpected
    errors. ``refused`` may refuse a request by its headers, before its body is read; it runs in a
    thread. Requests that are ``streamed`` take no worker, have no limit of CPU time, and their
    responses are sent as they are made: their application limits how many there are and how long
    they take, and nothing of them may run in the threads of searches. ``headers`` are added to all
    responses but static files. ``done`` is called after each request with its status and seconds.
    """

    requests_a_second: float
    bodies: BodyLimits
    at_once: int
    waiting: int
    respond: ProblemResponder
    failed: Callable[[Request, Exception], Response]
    cpu_seconds: float | None = None
    hosts: Collection[str] = frozenset()
    origins: Collection[str] = frozenset()
    refused: Callable[[Request], Response | None] = lambda request: None
    headers: Mapping[str, str] = field(default_factory=lambda: HEADERS)
    quick: frozenset[str] = frozenset()
    streamed: Callable[[Request], bool] = lambda request: False
    done: Callable[[Request, int, float], None] = lambda request, status, seconds: None


def add_guard(app: FastAPI, guard: Guard) -> None:
    """Put an application behind a guard, and serve the static files."""
    app.add_middleware(GuardedApp, guard=guard)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")


class GuardedApp:
    """An application behind a guard."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard
        self._rate = RateLimit(guard.requests_a_second)
        self._bodies = RequestBodies(guard.bodies)
        self._concurrency = ConcurrencyLimit(guard.at_once + guard.waiting)
        self._workers = asyncio.Semaphore(guard.at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        request = Request(scope)
        sending = _Sending(send, self._headers(request))
        try:
            response = await self._respond(request, receive, sending)
        except ClientDisconnect:
            response = Response(status_code=CLIENT_GONE)
        except RequestRefused as error:
            refusal = (error.status, error.detail, error.retry_after)
            response = await in_side_thread(self._guard.respond, request, *refusal)
        except Exception as error:  # every error gets a safe response
            if sending.status:
                raise
            response = await in_side_thread(self._guard.failed, request, error)
        if response is not None:
            await response(scope, receive, sending)
        self._guard.done(request, sending.status or CLIENT_GONE, time.perf_counter() - started)

    def _headers(self, request: Request) -> Callable[[int], Mapping[str, str]]:
        """The headers of a response, by its status."""
        if not _is_static(request):
            return lambda status: self._guard.headers
        is_font = request.url.path.startswith(FONTS)
        return lambda status: FONT_HEADERS if is_font and status == 200 else HEADERS

    async def _respond(self, request: Request, receive: Receive, send: Send) -> Response | None:
        """A refusal; None if the application has responded."""
        self._check_sender(request)
        if _is_static(request):
            await self._app(request.scope, receive, send)
            return None
        if request.method not in ("GET", "HEAD"):
            refusal = await in_side_thread(self._guard.refused, request)
            if refusal is not None:
                return refusal
        async with self._bodies.received(request.url.path, receive) as body:
            return await self._process(request, body, receive, send)

    def _check_sender(self, request: Request) -> None:
        """Refuse a request by its headers alone."""
        guard = self._guard
        wait = self._rate.take(request.client.host if request.client else "")
        if wait:
            message = "too many requests from this address; wait a moment"
            raise RequestRefused(429, message, max(1, round(wait)))
        if (wrong := wrong_host(request, guard.hosts)) is not None:
            raise RequestRefused(421, wrong)
        if not _is_static(request) and is_cross_site(request, guard.origins):
            raise RequestRefused(403, "the request was sent by a page of another site")
        length = request.headers.get("content-length", "0")
        most = guard.bodies.bytes_for(request.url.path)
        if not length.isdecimal() or int(length) > most:
            raise RequestRefused(413, too_large_message(most))

    async def _process(
        self, request: Request, body: bytes, receive: Receive, send: Send
    ) -> Response | None:
        """Run the application when a worker is free, unless the client disconnects."""
        is_streamed = self._guard.streamed(request)
        deadline = Deadline(None if is_streamed else self._guard.cpu_seconds)
        gone = asyncio.Event()
        watcher = asyncio.create_task(_watch(receive, deadline, gone))
        try:
            with limited(deadline):
                again = _received_again(body, gone)
                if is_streamed or request.url.path in self._guard.quick:
                    await self._app(request.scope, again, send)
                    return None
                with self._concurrency.slot() as has_room:
                    if not has_room:
                        raise RequestRefused(503, "too many requests; try again soon", 1)
                    response: list[Message] = []
                    async with self._workers:
                        if gone.is_set():
                            raise ClientDisconnect
                        await self._app(request.scope, again, _collect_into(response))
                # Sent after the worker is free again: a client may read slowly.
                for message in response:
                    await send(message)
                return None
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher


async def _watch(receive: Receive, deadline: Deadline, gone: asyncio.Event) -> None:
    """Wait until the client disconnects, then cancel its request."""
    while (await receive())["type"] != "http.disconnect":
        pass
    deadline.cancel()
    gone.set()


def _collect_into(response: list[Message]) -> Send:
    """Collects a response, which is in memory anyway: others are streamed."""

    async def keep(message: Message) -> None:
        response.append(message)

    return keep


def _received_again(body: bytes, gone: asyncio.Event) -> Receive:
    """Passes on a body that was read before."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    return again


class _Sending:
    """Sends a response with additional headers; ``status`` is 0 until it starts."""

    def __init__(self, send: Send, headers: Callable[[int], Mapping[str, str]]) -> None:
        self._send = send
        self._headers = headers
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in self._headers(self.status).items():
                headers.setdefault(name, value)
            if "location" in headers:
                headers["location"] = _within(headers["location"])
        await self._send(message)


def _within(address: str) -> str:
    """A redirect target without the host name, which the client chose.

    An editor's address, of another scheme, is ours.

    >>> _within("http://evil.example/runs?run=a"), _within("http://x//evil.example/"), _within("/a")
    ('/runs?run=a', '/evil.example/', '/a')
    """
    scheme, _, rest = address.partition("://")
    if scheme.lower() not in ("http", "https"):
        return address
    return "/" + rest.partition("/")[2].lstrip("/")


def _is_static(request: Request) -> bool:
    return request.url.path.startswith("/static/")


Made = TypeVar("Made")
_Arguments = ParamSpec("_Arguments")


async def in_side_thread(
    work: Callable[_Arguments, Made], *args: _Arguments.args, **named: _Arguments.kwargs
) -> Made:
    """Run something short in separate threads, so that it does not wait for searches."""
    return await run_sync(partial(work, *args, **named), limiter=_side_threads())


_SIDE_THREADS: RunVar[CapacityLimiter] = RunVar("porism_side_threads")


def _side_threads() -> CapacityLimiter:
    """Two threads for each event loop."""
    try:
        return _SIDE_THREADS.get()
    except LookupError:
        _SIDE_THREADS.set(CapacityLimiter(2))
        return _SIDE_THREADS.get()


SPARE_THREADS = 2
"""Threads for static files, which do not wait for searches."""


def thread_limit(number: int) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Limit the threads for requests: each has open files and caches of its own."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = number + SPARE_THREADS
        yield

    return lifespan
