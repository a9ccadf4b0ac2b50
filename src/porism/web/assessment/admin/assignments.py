"""The administration's first page with all batches, and the assignments of a batch."""

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
"""Topics that each assessor judged a second time in the lab's first year."""


@router.get(ADMIN_PATH)
def batches_page(request: Request, admin: Admin) -> Response:
    """All batches with their progress, the instructions, and all assessors."""
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
        visual_match_rules=VISUAL_MATCH_RULES,
        done=request.query_params.get("done", "")[:300],
    )


@router.post(f"{ADMIN_PATH}/instructions")
def change_instructions(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Change the instructions for all judgments from now on."""
    check_form_origin(request, admin, form)
    rule = form.get("same_look", "")
    if rule not in set(VisualMatchRule):
        raise RequestRefused(422, f"Unknown rule: expected {', '.join(VisualMatchRule)}.")
    store_of(request).set_instructions(VisualMatchRule(rule), form.get("annotations") == "1")
    return RedirectResponse(
        f"{ADMIN_PATH}?{urlencode({'done': 'The instructions are saved'})}", 303
    )


@router.get(f"{ADMIN_PATH}/topics")
def topics_page(request: Request, admin: Admin) -> Response:
    """Assignments and progress by topic, with forms to change them."""
    batch = requested_batch(request)
    store = store_of(request)
    progress = stored_progress(store, batch.name)
    wished: dict[TopicId, list[str]] = {}
    for wish in store.wishes(batch.name):
        wished.setdefault(wish.topic_id, []).append(f"{wish.assessor} {wish.wish}")
    views = {topic.id: topic_view(topic) for topic in store.pool(batch.name).topics}
    return render(
        request,
        "assess_admin_topics.html",
        200,
        **frame_context(request, admin, batch, "topics"),
        progress=progress,
        titles={topic_id: Markup(view.title or view.formula) for topic_id, view in views.items()},
        wished=wished,
        assessors=sorted(store.assessors(), key=lambda each: each.is_admin),
        assigned=len(store.assignments(batch.name)),
        unassigned=len(unassigned_topics(progress)),
        completed=len(completed_topics(progress)),
        second_each=SECOND_TOPICS_EACH,
        seconds=_seconds,
    )


@router.post(f"{ADMIN_PATH}/assign")
def assign(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Assign a topic; to a second assessor only if the form says so."""
    batch = submitted_batch(request, admin, form)
    topic_id, name = form.get("topic", ""), form.get("to", "")
    store_of(request).assign(batch.name, topic_id, name, is_second=form.get("second") == "1")
    return _back(batch, f"{topic_id} was assigned to {name}")


@router.post(f"{ADMIN_PATH}/take-away")
def unassign(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Unassign a topic from an assessor; judgments stay."""
    batch = submitted_batch(request, admin, form)
    topic_id, name = form.get("topic", ""), form.get("from", "")
    store_of(request).unassign(batch.name, [topic_id], name)
    return _back(batch, f"{topic_id} was unassigned from {name}; judgments stay")


@router.post(f"{ADMIN_PATH}/by-wishes")
def assign_by_wishes(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Assign all unassigned topics, by wishes and evenly."""
    batch = submitted_batch(request, admin, form)
    store = store_of(request)
    if _is_late(store, batch, form):
        return _back(batch, _LATE)
    progress = stored_progress(store, batch.name)
    roster = AssessorRoster(
        _chosen(store, form), store.wishes(batch.name), assessor_loads(progress)
    )
    assigned = assignments_by_wish(
        unassigned_topics(progress), roster, whole_number(form.get("seed"), 0)
    )
    store.assign_all(batch.name, assigned.items())
    return _back(batch, f"{len(assigned):,} topics were assigned")


@router.post(f"{ADMIN_PATH}/double")
def assign_second(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Assign to each assessor topics that others have judged, to measure agreement."""
    batch = submitted_batch(request, admin, form)
    store = store_of(request)
    if _is_late(store, batch, form):
        return _back(batch, _LATE)
    each = whole_number(form.get("each"), SECOND_TOPICS_EACH)
    completed = completed_topics(stored_progress(store, batch.name))
    assigned = second_assignments(
        completed, _chosen(store, form), each, whole_number(form.get("seed"), 0)
    )
    store.assign_all(batch.name, assigned, is_second=True)
    return _back(batch, f"{len(assigned):,} topics were assigned to second assessors")


_LATE = "Nothing was done: assignments have changed since this page was opened"


def _is_late(store: JudgmentStore, batch: AssessmentBatch, form: FormFields) -> bool:
    """Whether assignments have changed, as after a second click: nothing is assigned twice."""
    return form.get("assigned") != str(len(store.assignments(batch.name)))


def _chosen(store: JudgmentStore, form: FormFields) -> list[str]:
    """The assessors whose boxes are checked."""
    chosen = [each.name for each in store.assessors() if f"with-{each.name}" in form]
    if not chosen:
        raise RequestRefused(422, "No assessors are selected. Go back and select some.")
    return chosen


def _back(batch: AssessmentBatch, done: str) -> Response:
    return RedirectResponse(admin_address("topics", batch.name, done=done), 303)


def _batch(request: Request, store: JudgmentStore, batch: AssessmentBatch) -> dict[str, object]:
    pool = store.pool(batch.name)
    progress = stored_progress(store, batch.name)
    fit = fits_of(request).of(batch.name)
    return {
        "name": batch.name,
        "is_training": batch.kind is BatchKind.TRAINING,
        "task": pool.task,
        "at": batch.at,
        "topics": len(progress.topics),
        "done": sum(topic.is_done for topic in progress.topics),
        "candidates": len(pool.candidates),
        "judged": progress.judged,
        "assigned": progress.assigned,
        "unassigned": len(unassigned_topics(progress)),
        "missing": len(fit.missing),
        "is_changed": fit.is_changed,
        "address": lambda page: admin_address(page, batch.name),
    }


def _seconds(times: JudgingTimes) -> str:
    """The mean time of a judgment."""
    return "" if times.mean is None else f"{times.mean:.0f} s"
