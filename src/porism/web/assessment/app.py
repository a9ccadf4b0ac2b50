"""The assessment application: routes, access, limits and headers."""

from __future__ import annotations

from fastapi import FastAPI

from porism import __version__
from porism.assess.judgments.store import JudgmentStore
from porism.web.assessment import authentication, home_page, judgment_page, thread_page
from porism.web.assessment.active_orders import ActiveOrders
from porism.web.assessment.admin import assignments
from porism.web.assessment.authentication import WrongTokenCounter
from porism.web.assessment.campaign import Campaign
from porism.web.assessment.collection_fit import CollectionFits
from porism.web.assessment.collection_handle import CollectionHandle
from porism.web.assessment.error_responses import (
    add_error_handlers,
    early_refusal,
    error_response,
    internal_error,
)
from porism.web.assessment.settings import AssessmentSettings
from porism.web.server.bodies import BodyLimits
from porism.web.server.guard import HEADERS, Guard, add_guard, thread_limit
from porism.web.server.head_requests import HeadAsGet

NO_STORE = {"Cache-Control": "no-store"}
"""Pages are personal, and computers are shared."""


def create_assessment_app(settings: AssessmentSettings) -> FastAPI:
    """The application over a store of judgments; a missing store or collection is an error."""
    app = FastAPI(
        lifespan=thread_limit(settings.at_once),
        title="Porism: assessment",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.settings = settings
    app.state.store = JudgmentStore(settings.store)
    app.state.campaign = Campaign(app.state.store)
    app.state.orders = ActiveOrders(app.state.store)
    app.state.collection_handle = CollectionHandle(settings.collection)
    app.state.fits = CollectionFits(app.state.store, app.state.collection_handle)
    app.state.wrong_tokens = WrongTokenCounter()
    add_guard(
        app,
        Guard(
            settings.requests_a_second,
            BodyLimits(settings.body_bytes),
            settings.at_once,
            settings.waiting,
            respond=error_response,
            failed=internal_error,
            cpu_seconds=settings.cpu_seconds,
            hosts=frozenset(settings.hosts),
            refused=early_refusal,
            quick=frozenset({authentication.SIGN_IN}),  # waiting there takes nobody's turn
            headers={**HEADERS, **NO_STORE},
        ),
    )
    app.add_middleware(HeadAsGet)
    add_error_handlers(app)
    for module in (authentication, home_page, judgment_page, thread_page, assignments):
        app.include_router(module.router)
    return app
