"""The application for a source: a page that shows progress until the source can be searched."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from porism.web import api
from porism.web.live.process import LiveIndex
from porism.web.live.status import LiveState, LiveStatus
from porism.web.page_templates import render
from porism.web.server.bodies import BodyLimits
from porism.web.server.guard import Guard, add_guard
from porism.web.server.problems import add_problem_handlers, internal_error, problem_response
from porism.web.settings import SearchAppSettings

log = logging.getLogger(__name__)

OpenApp = Callable[[], FastAPI]
"""Opens the search application, once there is an index; may take seconds."""


class ServedApp:
    """Passes requests to the search application as soon as it is open.

    ``on_status`` is told each state, in a thread; ``on_failure`` that nothing can be served.
    """

    def __init__(
        self,
        settings: SearchAppSettings,
        live: LiveIndex,
        open_app: OpenApp,
        on_status: Callable[[LiveStatus], None],
        on_failure: Callable[[str], None],
    ) -> None:
        self._live = live
        self._open_app = open_app
        self._on_status = on_status
        self._on_failure = on_failure
        self._app: ASGIApp = _waiting_app(settings, live)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await self._app(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()  # lifespan.startup
        loop = asyncio.get_running_loop()
        ready, stopped = asyncio.Event(), asyncio.Event()

        def on_status(status: LiveStatus) -> None:
            self._on_status(status)
            if status.state is LiveState.FAILED:
                self._on_failure(status.message)
            elif status.state is LiveState.READY:
                loop.call_soon_threadsafe(ready.set)

        self._live.start(on_status)
        serving = asyncio.create_task(self._serve(ready, stopped))
        await send({"type": "lifespan.startup.complete"})
        await receive()  # lifespan.shutdown
        stopped.set()
        ready.set()
        await to_thread.run_sync(self._live.close)
        await serving
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, ready: asyncio.Event, stopped: asyncio.Event) -> None:
        """Open the search application when it can be opened, and close it at the end."""
        await ready.wait()
        if stopped.is_set():
            return
        try:
            app = await to_thread.run_sync(self._open_app)
        except Exception as error:  # the server ends with its message
            self._on_failure(str(error))
            return
        async with app.router.lifespan_context(app):
            self._app = app
            await stopped.wait()


def _waiting_app(settings: SearchAppSettings, live: LiveIndex) -> FastAPI:
    """The application until there is an index; each address has the same page."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    add_guard(
        app,
        Guard(
            settings.requests_a_second,
            BodyLimits(settings.body_bytes),
            settings.at_once,
            settings.waiting,
            respond=problem_response,
            failed=internal_error,
            hosts=frozenset(settings.hosts),
            origins=frozenset(settings.origins),
        ),
    )
    add_problem_handlers(app)

    @app.get(api.HEALTH)
    async def health() -> JSONResponse:
        record = {"status": LiveState.STARTING, "message": live.status.text}
        return JSONResponse(record, headers={"Cache-Control": "no-store"})

    @app.get("/{path:path}")
    async def wait(request: Request, path: str) -> Response:
        if f"{request.url.path}/".startswith("/api/"):
            return problem_response(request, 503, "the index is being made", retry_after=1)
        page = render(
            request, "waiting.html", source=live.source.path.name, message=live.status.text
        )
        page.headers["Cache-Control"] = "no-store"
        return page

    return app
