"""What every application here has around its routes: limits, safe headers, and few threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.staticfiles import StaticFiles

from porism.web.limits import BodyLimit, Crowd, RequestRate, told_too_large

STATIC = Path(__file__).parent / "static"

FONTS = "/static/fonts/"
FONT_CACHING = "public, max-age=31536000, immutable"
"""Text waits for its font, so a browser must not ask each time whether its copy is the newest."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

Next = Callable[[Request], Awaitable[Response]]


class Tell(Protocol):
    """Makes a page or a record of a failure, as an application tells it."""

    def __call__(
        self, request: Request, status: int, detail: str, retry_after: int | None = None, /
    ) -> Response: ...


@dataclass(frozen=True, slots=True)
class Guard:
    """How much one address may ask for, and how an application tells what is not done.

    Of requests, ``at_once`` are worked on at the same time, and ``waiting`` more wait; others are
    told to come back. Files, and the paths that are ``quick``, do not wait. ``refused`` says why a
    request is not even looked at, with a status. ``headers`` are those of what is no file of ours.
    ``done`` is told of each request when it is over, and what it took.
    """

    requests_a_second: float
    body_bytes: int
    at_once: int
    waiting: int
    tell: Tell
    failed: Callable[[Request, Exception], Response]
    refused: Callable[[Request], tuple[int, str] | None] = lambda request: None
    headers: Mapping[str, str] = field(default_factory=lambda: HEADERS)
    quick: frozenset[str] = frozenset()
    done: Callable[[Request, int, float], None] = lambda request, status, seconds: None


def put_guard(app: FastAPI, guard: Guard) -> None:
    """Have a guard before and after all that an application does, and serve our files."""
    rate = RequestRate(guard.requests_a_second)
    crowd = Crowd(guard.at_once + guard.waiting)
    turns = asyncio.Semaphore(guard.at_once)
    app.add_middleware(BodyLimit, most=guard.body_bytes)

    async def answered(request: Request, go_on: Next) -> Response:
        if (refusal := await _refusal(request, rate, guard)) is not None:
            return refusal
        if _is_static(request) or request.url.path in guard.quick:
            return await go_on(request)
        with crowd.one_more() as has_room:
            if has_room:
                async with turns:
                    return await go_on(request)
        return await aside(guard.tell, request, 503, "too many requests wait; try again soon", 1)

    @app.middleware("http")
    async def guarded(request: Request, go_on: Next) -> Response:
        begun = time.perf_counter()
        try:
            response = await answered(request, go_on)
        except Exception as error:  # whatever it is, it is told as safely as all else
            response = await aside(guard.failed, request, error)
        is_static = _is_static(request)
        if is_static and request.url.path.startswith(FONTS) and response.status_code == 200:
            response.headers["Cache-Control"] = FONT_CACHING
        for name, value in (HEADERS if is_static else guard.headers).items():
            response.headers.setdefault(name, value)
        guard.done(request, response.status_code, time.perf_counter() - begun)
        return response

    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _is_static(request: Request) -> bool:
    return request.url.path.startswith("/static/")


Made = TypeVar("Made")
_Arguments = ParamSpec("_Arguments")


async def aside(
    work: Callable[_Arguments, Made], *args: _Arguments.args, **named: _Arguments.kwargs
) -> Made:
    """Do something short by threads of its own, so that it waits for nothing that takes long."""
    return await run_sync(partial(work, *args, **named), limiter=_few())


_FEW: RunVar[CapacityLimiter] = RunVar("porism_few_threads_aside")


def _few() -> CapacityLimiter:
    """Two threads for each event loop."""
    try:
        return _FEW.get()
    except LookupError:
        _FEW.set(CapacityLimiter(2))
        return _FEW.get()


SPARE = 2
"""Threads for files, which wait for nothing that takes long."""


def few_threads(number: int) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Have few threads work on requests: each has files opened, and what it keeps of them."""

    @asynccontextmanager
    async def limited(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = number + SPARE
        yield

    return limited


async def _refusal(request: Request, rate: RequestRate, guard: Guard) -> Response | None:
    """Why a request is not even looked at, if so."""
    address = request.client.host if request.client else ""
    wait = rate.take(address)
    if wait:
        told = "too many requests from this address; wait a moment"
        return await aside(guard.tell, request, 429, told, max(1, round(wait)))
    if (refused := guard.refused(request)) is not None:
        return await aside(guard.tell, request, *refused)
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > guard.body_bytes:
        told = told_too_large(guard.body_bytes)
        return await aside(guard.tell, request, 413, told)
    return None
