"""The assessment application: routes, who may ask, limits and headers put together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from fastapi import FastAPI, Request

from porism import __version__
from porism.assess.records import Candidate
from porism.assess.store import Store
from porism.errors import PorismError
from porism.lab.pool_enriching import is_changed
from porism.pages.candidates import missing_candidates
from porism.web.assessment import administration, judging, own_work, signing_in, threads
from porism.web.assessment.learned_order import LearnedOrders
from porism.web.assessment.refusals import failed, is_from_elsewhere, tell_refusals, told
from porism.web.assessment.settings import AssessmentSettings
from porism.web.assessment.shown_collection import ShownCollection
from porism.web.assessment.signing_in import WrongTokens
from porism.web.assessment.work import Campaign
from porism.web.guarding import HEADERS, Guard, few_threads, put_guard
from porism.web.heads import HeadAsGet

NOT_KEPT = {"Cache-Control": "no-store"}
"""Pages are of one person, whose computer others may use."""

MOST_NAMED = 20
"""How many missing candidates of a batch are named when the server starts."""


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
    app.state.campaign = Campaign(app.state.store, _known(app.state.store, settings.batches))
    app.state.orders = LearnedOrders(app.state.store)
    app.state.shown_collection = ShownCollection(settings.collection)
    app.state.missing = missing_by_batch(app.state.campaign, app.state.store, settings)
    app.state.changed = changed_batches(app.state.campaign, app.state.store, settings)
    app.state.wrong_tokens = WrongTokens()
    put_guard(
        app,
        Guard(
            settings.requests_a_second,
            settings.body_bytes,
            settings.at_once,
            settings.waiting,
            tell=told,
            failed=failed,
            refused=_elsewhere,
            headers={**HEADERS, **NOT_KEPT},
        ),
    )
    app.add_middleware(HeadAsGet)
    tell_refusals(app)
    for module in (signing_in, own_work, judging, threads, administration):
        app.include_router(module.router)
    return app


def missing_by_batch(
    campaign: Campaign, store: Store, settings: AssessmentSettings
) -> dict[str, tuple[Candidate, ...]]:
    """The candidates of each batch that the collection does not have; batches without are left out.

    A collection may have been made anew since the pool was drawn. Such candidates are shown as
    missing, and can be judged a system failure.
    """
    collection = ShownCollection(settings.collection).collection()
    found = {
        batch.name: missing_candidates(store.pool(batch.name), collection)
        for batch in campaign.batches()
    }
    return {name: missing for name, missing in found.items() if missing}


def changed_batches(
    campaign: Campaign, store: Store, settings: AssessmentSettings
) -> frozenset[str]:
    """The batches whose posts are not as they were when the pool was drawn."""
    collection = ShownCollection(settings.collection).collection()
    if collection is None:
        return frozenset()
    names = (batch.name for batch in campaign.batches())
    return frozenset(name for name in names if is_changed(store.pool(name), collection))


def start_lines(
    missing: Mapping[str, tuple[Candidate, ...]], changed: Collection[str]
) -> Iterator[str]:
    """What is said of the collection when the server starts."""
    for batch in sorted(set(changed) - set(missing)):
        yield (
            f"{batch}: the collection has all candidates, but not with the texts that they had "
            "when the pool was drawn"
        )
    for batch, candidates in missing.items():
        named = [f"{each.topic_id} {each.doc_id}" for each in candidates[:MOST_NAMED]]
        rest = len(candidates) - len(named)
        more = f" and {rest:,} more" if rest else ""
        yield (
            f"{batch}: the collection does not have {len(candidates):,} of the candidates, which "
            f"can only be judged a system failure: {', '.join(named)}{more}"
        )


def _known(store: Store, names: tuple[str, ...]) -> tuple[str, ...]:
    known = {batch.name for batch in store.batches()}
    for name in names:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            raise PorismError(f"{store.path}: there is no batch {name}; there are: {there}")
    return names


def _elsewhere(request: Request) -> tuple[int, str] | None:
    if is_from_elsewhere(request):
        return 403, "This was sent from a page of another site, and nothing was done."
    return None
