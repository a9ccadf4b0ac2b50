"""Administration: all batches, and who judges which topic of one; the other pages are beside it."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.assess.assigning import Staff, by_wishes, second_readings
from porism.assess.progress import judged_by, loads, progress_of, unassigned
from porism.assess.records import Batch, BatchKind, SameLook
from porism.assess.statistics import Times
from porism.assess.store import Store
from porism.assess.wording import SAME_LOOK
from porism.model import TopicId
from porism.pages.candidates import shown_topic
from porism.web.assessment import (
    admin_adjudication,
    admin_agreement,
    admin_annotations,
    admin_export,
)
from porism.web.assessment.admin_parts import (
    ADMIN,
    Admin,
    Sent,
    address,
    asked_batch,
    check_sent,
    common,
    sent_batch,
    whole,
)
from porism.web.assessment.collection_fit import fits_of
from porism.web.assessment.forms import Form
from porism.web.assessment.signing_in import store_of
from porism.web.assessment.work import campaign_of
from porism.web.problems import Refused
from porism.web.templating import render

router = APIRouter(include_in_schema=False)
for module in (admin_agreement, admin_adjudication, admin_annotations, admin_export):
    router.include_router(module.router)

SECOND_EACH = 2
"""How many topics each assessor of the lab's first year judged again."""


@router.get(ADMIN)
def batches(request: Request, admin: Admin) -> Response:
    """All batches with how far they are, and all assessors."""
    store = store_of(request)
    return render(
        request,
        "assess_admin.html",
        assessor=admin,
        batches=[_batch(request, store, each) for each in campaign_of(request).batches()],
        assessors=store.assessors(),
        store=store.path.name,
        campaign=campaign_of(request).mark,
        admin=ADMIN,
        instructions=store.instructions(),
        same_look=SAME_LOOK,
        done=request.query_params.get("done", "")[:300],
    )


@router.post(f"{ADMIN}/instructions")
def instruct(request: Request, admin: Admin, form: Sent) -> Response:
    """Have assessors be told and asked something else from now on."""
    check_sent(request, admin, form)
    told = form.get("same_look", "")
    if told not in set(SameLook):
        raise Refused(422, f"There is no such rule: expected {', '.join(SameLook)}.")
    store_of(request).instruct(SameLook(told), form.get("annotations") == "1")
    return RedirectResponse(
        f"{ADMIN}?{urlencode({'done': 'Assessors are told this from now on'})}", 303
    )


@router.get(f"{ADMIN}/topics")
def topics(request: Request, admin: Admin) -> Response:
    """Who judges which topic, how far they are, and forms to change it."""
    batch = asked_batch(request)
    store = store_of(request)
    reached = progress_of(store, batch.name)
    wished: dict[TopicId, list[str]] = {}
    for wish in store.wishes(batch.name):
        wished.setdefault(wish.topic_id, []).append(f"{wish.assessor} {wish.wish}")
    titles = {topic.id: shown_topic(topic) for topic in store.pool(batch.name).topics}
    return render(
        request,
        "assess_admin_topics.html",
        200,
        **common(request, admin, batch, "topics"),
        progress=reached,
        titles={
            topic_id: Markup(shown.title or shown.formula) for topic_id, shown in titles.items()
        },
        wished=wished,
        assessors=sorted(store.assessors(), key=lambda each: each.is_admin),
        assigned=len(store.assignments(batch.name)),
        unassigned=len(unassigned(reached)),
        completed=len(judged_by(reached)),
        second_each=SECOND_EACH,
        seconds=_seconds,
    )


@router.post(f"{ADMIN}/assign")
def assign(request: Request, admin: Admin, form: Sent) -> Response:
    """Give a topic to an assessor, as a second one only if the form says so."""
    batch = sent_batch(request, admin, form)
    topic_id, name = form.get("topic", ""), form.get("to", "")
    store_of(request).assign(batch.name, topic_id, name, is_second=form.get("second") == "1")
    return _back(batch, f"{topic_id} was given to {name}")


@router.post(f"{ADMIN}/take-away")
def take_away(request: Request, admin: Admin, form: Sent) -> Response:
    """Take a topic from an assessor; what was judged stays."""
    batch = sent_batch(request, admin, form)
    topic_id, name = form.get("topic", ""), form.get("from", "")
    store_of(request).unassign(batch.name, [topic_id], name)
    return _back(batch, f"{topic_id} was taken from {name}; judgments stay")


@router.post(f"{ADMIN}/by-wishes")
def assign_by_wishes(request: Request, admin: Admin, form: Sent) -> Response:
    """Give all topics that nobody has, by wishes and evenly."""
    batch = sent_batch(request, admin, form)
    store = store_of(request)
    if _is_late(store, batch, form):
        return _back(batch, _LATE)
    reached = progress_of(store, batch.name)
    staff = Staff(_chosen(store, form), store.wishes(batch.name), loads(reached))
    given = by_wishes(unassigned(reached), staff, whole(form.get("seed"), 0))
    store.assign_all(batch.name, given.items())
    return _back(batch, f"{len(given):,} topics were given")


@router.post(f"{ADMIN}/double")
def assign_again(request: Request, admin: Admin, form: Sent) -> Response:
    """Give each assessor topics that others have judged, to see how far they agree."""
    batch = sent_batch(request, admin, form)
    store = store_of(request)
    if _is_late(store, batch, form):
        return _back(batch, _LATE)
    each = whole(form.get("each"), SECOND_EACH)
    completed = judged_by(progress_of(store, batch.name))
    given = second_readings(completed, _chosen(store, form), each, whole(form.get("seed"), 0))
    store.assign_all(batch.name, given, is_second=True)
    return _back(batch, f"{len(given):,} topics were given to second assessors")


_LATE = "Topics were given or taken since this page was opened, so that nothing was done now"


def _is_late(store: Store, batch: Batch, form: Form) -> bool:
    """Whether somebody was faster, as with a second click; else topics would be given twice."""
    return form.get("assigned") != str(len(store.assignments(batch.name)))


def _chosen(store: Store, form: Form) -> list[str]:
    """The assessors whose boxes are ticked."""
    chosen = [each.name for each in store.assessors() if f"with-{each.name}" in form]
    if not chosen:
        raise Refused(422, "Nobody is chosen. Go back and tick those who shall get topics.")
    return chosen


def _back(batch: Batch, done: str) -> Response:
    return RedirectResponse(address("topics", batch.name, done=done), 303)


def _batch(request: Request, store: Store, batch: Batch) -> dict[str, object]:
    pool = store.pool(batch.name)
    reached = progress_of(store, batch.name)
    fit = fits_of(request).of(batch.name)
    return {
        "name": batch.name,
        "is_training": batch.kind is BatchKind.TRAINING,
        "task": pool.task,
        "at": batch.at,
        "topics": len(reached.topics),
        "done": sum(topic.is_done for topic in reached.topics),
        "candidates": len(pool.candidates),
        "judged": reached.judged,
        "assigned": reached.assigned,
        "unassigned": len(unassigned(reached)),
        "missing": len(fit.missing),
        "is_changed": fit.is_changed,
        "address": lambda page: address(page, batch.name),
    }


def _seconds(times: Times) -> str:
    """How long a judgment took on average."""
    return "" if times.mean is None else f"{times.mean:.0f} s"
