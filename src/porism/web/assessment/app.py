"""The assessment application: routes, who may ask, limits and headers put together."""

from __future__ import annotations

from fastapi import FastAPI

from porism import __version__
from porism.assess.store import Store
from porism.web.assessment import administration, judging, own_work, signing_in, threads
from porism.web.assessment.collection_fit import CollectionFits
from porism.web.assessment.learned_order import LearnedOrders
from porism.web.assessment.refusals import failed, refused_unread, tell_refusals, told
from porism.web.assessment.settings import AssessmentSettings
from porism.web.assessment.shown_collection import ShownCollection
from porism.web.assessment.signing_in import WrongTokens
from porism.web.assessment.work import Campaign
from porism.web.bodies import BodyLimits
from porism.web.guarding import HEADERS, Guard, few_threads, put_guard
from porism.web.heads import HeadAsGet

NOT_KEPT = {"Cache-Control": "no-store"}
"""Pages are of one person, whose computer others may use."""


def create_assessment_app(settings: AssessmentSettings) -> FastAPI:
    """The application over a store of judgments; what is not there is told here."""
    app = FastAPI(
        lifespan=few_threads(settings.at_once),
        title="Porism: assessment",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.settings = settings
    app.state.store = Store(settings.store)
    app.state.campaign = Campaign(app.state.store)
    app.state.orders = LearnedOrders(app.state.store)
    app.state.shown_collection = ShownCollection(settings.collection)
    app.state.fits = CollectionFits(app.state.store, app.state.shown_collection)
    app.state.wrong_tokens = WrongTokens()
    put_guard(
        app,
        Guard(
            settings.requests_a_second,
            BodyLimits(settings.body_bytes),
            settings.at_once,
            settings.waiting,
            tell=told,
            failed=failed,
            cpu_seconds=settings.cpu_seconds,
            hosts=frozenset(settings.hosts),
            refused=refused_unread,
            quick=frozenset({signing_in.SIGN_IN}),  # who waits there takes nobody's turn
            headers={**HEADERS, **NOT_KEPT},
        ),
    )
    app.add_middleware(HeadAsGet)
    tell_refusals(app)
    for module in (signing_in, own_work, judging, threads, administration):
        app.include_router(module.router)
    return app
