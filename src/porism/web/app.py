"""The application: routes, limits, headers and metrics put together."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.staticfiles import StaticFiles

from porism import __version__, catalog
from porism.rank.results import find
from porism.rank.typed import typed_answer_topic, typed_formula_topic
from porism.web import api, explorer, formula_page, search_page, thread_page
from porism.web.limits import BodyLimit, RequestRate, Turns, told_too_large
from porism.web.metrics import Metrics
from porism.web.problems import failed, problem, tell_problems
from porism.web.run_store import Explored
from porism.web.served import Served
from porism.web.settings import Settings

STATIC = Path(__file__).parent / "static"

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


def create_app(settings: Settings) -> FastAPI:
    """The application over an index; an index that is not there is told here."""
    app = FastAPI(
        lifespan=_few_threads,
        title="Porism",
        version=__version__,
        summary="Search that understands mathematics",
        docs_url=None,  # its page would fetch scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.settings = settings
    app.state.served = Served(settings.index, settings.collection)
    app.state.turns = Turns(settings.at_once, settings.waiting)
    app.state.metrics = Metrics()
    app.state.explored = (
        Explored(settings.runs, settings.qrels, settings.topics)
        if settings.runs is not None and settings.qrels is not None
        else None
    )
    app.state.has_mathlive = (STATIC / "mathlive" / "mathlive.min.mjs").is_file()
    rate = RequestRate(settings.requests_a_second)
    app.add_middleware(BodyLimit, most=settings.body_bytes)

    @app.middleware("http")
    async def guarded(request: Request, go_on: Next) -> Response:
        begun = time.perf_counter()
        try:
            response = await _refusal(request, rate, settings.body_bytes) or await go_on(request)
        except Exception as error:  # whatever it is, it is told as safely as all else
            response = await run_in_threadpool(failed, request, error)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        app.state.metrics.count(request, response.status_code, time.perf_counter() - begun)
        return response

    if settings.origins:
        app.add_middleware(CORSMiddleware, allow_origins=settings.origins, allow_methods=["GET"])
    tell_problems(app)
    for module in (search_page, thread_page, formula_page, explorer, api):
        app.include_router(module.router)
    _warm(app.state.served)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


@asynccontextmanager
async def _few_threads(app: FastAPI) -> AsyncIterator[None]:
    """Have few threads work on requests: each has an index opened, and what it keeps of it."""
    settings: Settings = app.state.settings
    current_default_thread_limiter().total_tokens = settings.at_once
    yield


def _warm(served: Served) -> None:
    """Search once, so that the first person who does need not wait for compiled code to load."""
    library = served.library()
    for task, typed in (
        (catalog.ANSWERS_TASK, typed_answer_topic("a sum $x+1$")),
        (catalog.FORMULAS_TASK, typed_formula_topic("x+1")),
    ):
        name = catalog.best_name(task, library)
        searcher = catalog.system(name).searcher(task)
        if searcher is not None and not library.missing(searcher.needs):
            find(library, catalog.ranker(name, task, library), typed, 1)


async def _refusal(request: Request, rate: RequestRate, body_bytes: int) -> Response | None:
    """Why a request is not even looked at, if so."""
    address = request.client.host if request.client else ""
    wait = rate.take(address)
    if wait:
        told = "too many requests from this address; wait a moment"
        return await run_in_threadpool(problem, request, 429, told, max(1, round(wait)))
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > body_bytes:
        return await run_in_threadpool(problem, request, 413, told_too_large(body_bytes))
    return None
