"""The search application: routes, limits, headers and metrics."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from porism import __version__, catalog
from porism.catalog.first_search import search_once
from porism.generation.generator import TextGenerator
from porism.generation.models import open_generator
from porism.generation.settings import GeneratorSettings
from porism.model import Task
from porism.web import api
from porism.web.answers import ask
from porism.web.answers.generations import Generations
from porism.web.current_index import CurrentIndex
from porism.web.guide import discovery, pages
from porism.web.live import note_opening
from porism.web.runs import explorer
from porism.web.runs.run_folder import RunFolder
from porism.web.search import formula_page, search_page, thread_page
from porism.web.server.bodies import BodyLimits
from porism.web.server.guard import Guard, add_guard, thread_limit
from porism.web.server.head_requests import HeadAsGet
from porism.web.server.metrics import Metrics
from porism.web.server.problems import add_problem_handlers, internal_error, problem_response
from porism.web.settings import SearchAppSettings

log = logging.getLogger(__name__)


def create_app(
    settings: SearchAppSettings, generator: TextGenerator | None = None, *, is_warm: bool = True
) -> FastAPI:
    """The application for an index; raises ``PorismError`` if there is none.

    If it ``is_warm``, the first request is as fast as others; else ``warm`` should follow.

    The language model of the settings is opened once, for all threads, unless one that is open is
    given. It is closed with the application.
    """
    app = FastAPI(
        lifespan=_lifespan,
        title="Porism",
        version=__version__,
        summary="Search that understands mathematics",
        docs_url=None,  # its page loads scripts from other servers; porism.web.guide has ours
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.settings = settings
    app.state.current_index = CurrentIndex(settings.index, settings.collection)
    app.state.generator = generator or opened_generator(settings.language_model)
    app.state.generations = Generations(
        settings.generations if settings.language_model.endpoint else 1,
        settings.language_model.timeout,
    )
    app.state.metrics = Metrics()
    app.state.run_folder = (
        RunFolder(settings.runs, settings.qrels, settings.topics)
        if settings.runs is not None and settings.qrels is not None
        else None
    )
    add_guard(
        app,
        Guard(
            settings.requests_a_second,
            BodyLimits(settings.body_bytes, {explorer.UPLOAD_PATH: settings.run_bytes}),
            settings.at_once,
            settings.waiting,
            respond=problem_response,
            failed=internal_error,
            cpu_seconds=settings.cpu_seconds,
            hosts=frozenset(settings.hosts),
            origins=frozenset(settings.origins),
            quick=frozenset({api.HEALTH}),
            streamed=ask.is_generated,
            done=app.state.metrics.count,
        ),
    )
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type"],
        )
    app.add_middleware(HeadAsGet)
    add_problem_handlers(app)
    for module in (search_page, thread_page, formula_page, explorer, api, ask, pages, discovery):
        app.include_router(module.router)
    app.include_router(ask.page_router)
    app.include_router(note_opening.router)
    app.include_router(discovery.suggestions_router)
    if is_warm:
        warm(app)
        _log_notes(app.state.current_index)
    return app


def opened_generator(settings: GeneratorSettings) -> TextGenerator | None:
    """The language model of the settings; None if they name none."""
    return open_generator(settings) if settings.is_named else None


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with thread_limit(app.state.settings.at_once)(app):
        yield
    # First those who use the model, which one in this process would not survive.
    await to_thread.run_sync(app.state.generations.close)
    if app.state.generator is not None:
        app.state.generator.close()


def warm(app: FastAPI) -> None:
    """Search once, so that the first request does not wait."""
    search_once(app.state.current_index.search_index())


def _log_notes(current: CurrentIndex) -> None:
    """Log why the best systems rank less well than they could, such as without vectors."""
    search_index = current.search_index()
    for task in (Task.ANSWERS, Task.FORMULAS):
        name = catalog.default_system_name(task, search_index)
        for note in catalog.ranking_notes(name, task, search_index):
            log.warning("%s", note)
