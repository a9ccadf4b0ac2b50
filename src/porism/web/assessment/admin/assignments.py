"""Administration: all batches, and who judges which topic of one; the other pages are beside it."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.assess.assessment_statistics import JudgingTimes
from porism.assess.assignment import AssessorRoster, assignments_by_wish, second_assignments
from porism.assess.choice_definitions import VISUAL_MATCH_RULES
from porism.assess.judgments.progress import (
    assessor_loads,
    completed_topics,
    stored_progress,
    unassigned_topics,
)
from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import AssessmentBatch, BatchKind, VisualMatchRule
from porism.model import TopicId
from porism.pages.candidates import topic_view
from porism.web.assessment.admin import adjudication, agreement, annotation_pages, export
from porism.web.assessment.admin.requests import (
    ADMIN_PATH,
    Admin,
    SubmittedForm,
    admin_address,
    check_form_origin,
    frame_context,
    requested_batch,
    submitted_batch,
    whole_number,
)
from porism.web.assessment.authentication import store_of
from porism.web.assessment.campaign import campaign_of
from porism.web.assessment.collection_fit import fits_of
from porism.web.assessment.forms import FormFields
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)
for module in (agreement, adjudication, annotation_pages, export):
    router.include_router(module.router)

SECOND_TOPICS_EACH = 2
"""How many topics each assessor of the lab's first year judged again."""


@router.get(ADMIN_PATH)
def batches_page(request: Request, admin: Admin) -> Response:
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
        admin=ADMIN_PATH,
        instructions=store.instructions(),
        same_look=VISUAL_MATCH_RULES,
        done=request.query_params.get("done", "")[:300],
    )


@router.post(f"{ADMIN_PATH}/instructions")
def change_instructions(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Have assessors be told and asked something else from now on."""
    check_form_origin(request, admin, form)
    told = form.get("same_look", "")
    if told not in set(VisualMatchRule):
        raise RequestRefused(422, f"There is no such rule: expected {', '.join(VisualMatchRule)}.")
    store_of(request).set_instructions(VisualMatchRule(told), form.get("annotations") == "1")
    return RedirectResponse(
        f"{ADMIN_PATH}?{urlencode({'done': 'Assessors are told this from now on'})}", 303
    )


@router.get(f"{ADMIN_PATH}/topics")
def topics_page(request: Request, admin: Admin) -> Response:
    """Who judges which topic, how far they are, and forms to change it."""
    batch = requested_batch(request)
    store = store_of(request)
    reached = stored_progress(store, batch.name)
    wished: dict[TopicId, list[str]] = {}
    for wish in store.wishes(batch.name):
        wished.setdefault(wish.topic_id, []).append(f"{wish.assessor} {wish.wish}")
    titles = {topic.id: topic_view(topic) for topic in store.pool(batch.name).topics}
    return render(
        request,
        "assess_admin_topics.html",
        200,
        **frame_context(request, admin, batch, "topics"),
        progress=reached,
        titles={
            topic_id: Markup(shown.title or shown.formula) for topic_id, shown in titles.items()
        },
        wished=wished,
        assessors=sorted(store.assessors(), key=lambda each: each.is_admin),
        assigned=len(store.assignments(batch.name)),
        unassigned=len(unassigned_topics(reached)),
        completed=len(completed_topics(reached)),
        second_each=SECOND_TOPICS_EACH,
        seconds=_seconds,
    )


@router.post(f"{ADMIN_PATH}/assign")
def assign(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Give a topic to an assessor, as a second one only if the form says so."""
    batch = submitted_batch(request, admin, form)
    topic_id, name = form.get("topic", ""), form.get("to", "")
    store_of(request).assign(batch.name, topic_id, name, is_second=form.get("second") == "1")
    return _back(batch, f"{topic_id} was given to {name}")


@router.post(f"{ADMIN_PATH}/take-away")
def unassign(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Take a topic from an assessor; what was judged stays."""
    batch = submitted_batch(request, admin, form)
    topic_id, name = form.get("topic", ""), form.get("from", "")
    store_of(request).unassign(batch.name, [topic_id], name)
    return _back(batch, f"{topic_id} was taken from {name}; judgments stay")


@router.post(f"{ADMIN_PATH}/by-wishes")
def assign_by_wishes(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Give all topics that nobody has, by wishes and evenly."""
    batch = submitted_batch(request, admin, form)
    store = store_of(request)
    if _is_late(store, batch, form):
        return _back(batch, _LATE)
    reached = stored_progress(store, batch.name)
    staff = AssessorRoster(_chosen(store, form), store.wishes(batch.name), assessor_loads(reached))
    given = assignments_by_wish(
        unassigned_topics(reached), staff, whole_number(form.get("seed"), 0)
    )
    store.assign_all(batch.name, given.items())
    return _back(batch, f"{len(given):,} topics were given")


@router.post(f"{ADMIN_PATH}/double")
def assign_second(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Give each assessor topics that others have judged, to see how far they agree."""
    batch = submitted_batch(request, admin, form)
    store = store_of(request)
    if _is_late(store, batch, form):
        return _back(batch, _LATE)
    each = whole_number(form.get("each"), SECOND_TOPICS_EACH)
    completed = completed_topics(stored_progress(store, batch.name))
    given = second_assignments(
        completed, _chosen(store, form), each, whole_number(form.get("seed"), 0)
    )
    store.assign_all(batch.name, given, is_second=True)
    return _back(batch, f"{len(given):,} topics were given to second assessors")


_LATE = "Topics were given or taken since this page was opened, so that nothing was done now"


def _is_late(store: JudgmentStore, batch: AssessmentBatch, form: FormFields) -> bool:
    """Whether somebody was faster, as with a second click; else topics would be given twice."""
    return form.get("assigned") != str(len(store.assignments(batch.name)))


def _chosen(store: JudgmentStore, form: FormFields) -> list[str]:
    """The assessors whose boxes are ticked."""
    chosen = [each.name for each in store.assessors() if f"with-{each.name}" in form]
    if not chosen:
        raise RequestRefused(422, "Nobody is chosen. Go back and tick those who shall get topics.")
    return chosen


def _back(batch: AssessmentBatch, done: str) -> Response:
    return RedirectResponse(admin_address("topics", batch.name, done=done), 303)


def _batch(request: Request, store: JudgmentStore, batch: AssessmentBatch) -> dict[str, object]:
    pool = store.pool(batch.name)
    reached = stored_progress(store, batch.name)
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
        "unassigned": len(unassigned_topics(reached)),
        "missing": len(fit.missing),
        "is_changed": fit.is_changed,
        "address": lambda page: admin_address(page, batch.name),
    }


def _seconds(times: JudgingTimes) -> str:
    """How long a judgment took on average."""
    return "" if times.mean is None else f"{times.mean:.0f} s"
