"""One candidate with all its judgments, to adjudicate; and the candidates that are missing."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.assess.judgments.agreement import disagreements
from porism.assess.judgments.final_grades import current_judgments, final_choices
from porism.assess.judgments.store import MAX_COMMENT_LENGTH
from porism.assess.records import (
    Annotation,
    AssessmentBatch,
    Candidate,
    Choice,
    Judgment,
    NewJudgment,
    Pool,
)
from porism.model import DocId, Task, TopicId
from porism.pages.candidates import candidate_view
from porism.web.assessment.admin.annotation_pages import requested_sample, yes_or_no
from porism.web.assessment.admin.requests import (
    ADMIN_PATH,
    Admin,
    SubmittedForm,
    admin_address,
    frame_context,
    requested_batch,
    submitted_batch,
)
from porism.web.assessment.authentication import store_of
from porism.web.assessment.collection_fit import fits_of
from porism.web.assessment.collection_handle import collection_of
from porism.web.assessment.guidelines import choice_label
from porism.web.assessment.judgment_page import question_view
from porism.web.assessment.settings import AssessmentSettings
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

MAX_LISTED = 500


@router.get(f"{ADMIN_PATH}/candidate")
def candidate_page(request: Request, admin: Admin) -> Response:
    """The question, the candidate, all its judgments, and a form to adjudicate."""
    batch = requested_batch(request)
    store = store_of(request)
    pool = store.pool(batch.name)
    query = request.query_params
    candidate = _candidate(pool, query.get("topic", ""), query.get("document", ""))
    topic = next(each for each in pool.topics if each.id == candidate.topic_id)
    view = candidate_view(candidate, pool.task, collection_of(request))
    acts = [each for each in store.judgments(batch.name) if _is_of(each, candidate)]
    annotations = [each for each in store.annotations(batch.name) if _is_of(each, candidate)]
    finals = final_choices(acts, annotations=annotations)
    final = finals.get((candidate.topic_id, candidate.doc_id))
    own = [
        each
        for each in current_judgments(acts)
        if each.is_adjudication and each.assessor == admin.name
    ]
    return render(
        request,
        "assess_admin_candidate.html",
        200,
        **frame_context(request, admin, batch, _listing(request)),
        candidate=candidate,
        **question_view(request, batch.name, topic),
        view=view,
        body=Markup(view.body),
        about=Markup(view.about),
        formula=Markup(view.formula),
        acts=acts,
        annotations=annotations,
        current={each.number for each in current_judgments(acts)},
        final=final,
        own=own[-1] if own else None,
        key=str(uuid4()),
        asks_annotations=pool.task != Task.FORMULAS,
        label=choice_label,
        longest_comment=MAX_COMMENT_LENGTH,
        sample=requested_sample(request),
        yes_or_no=yes_or_no,
    )


@router.post(f"{ADMIN_PATH}/candidate")
def record_adjudication(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Record or withdraw an adjudication, and go to the next open disagreement."""
    batch = submitted_batch(request, admin, form)
    value = form.get("choice", "")
    if value != "take-back" and value not in set(Choice):
        raise RequestRefused(422, "Choose a grade, system failure, or do not know.")
    choice = None if value == "take-back" else Choice(value)
    judgment = NewJudgment(
        key=form.get("key", ""),
        batch=batch.name,
        topic_id=TopicId(form.get("topic", "")),
        doc_id=DocId(form.get("document", "")),
        choice=choice,
        comment="" if choice is None else form.get("comment", "").replace("\r\n", "\n").strip(),
        is_adjudication=True,
    )
    store_of(request).record(admin, judgment)
    done = f"{choice_label(choice)} for {judgment.doc_id} of {judgment.topic_id}"
    return RedirectResponse(_next_disagreement(request, batch, done), 303)


@router.get(f"{ADMIN_PATH}/missing")
def missing_page(request: Request, admin: Admin) -> Response:
    """The candidates that are not in the collection."""
    batch = requested_batch(request)
    settings: AssessmentSettings = request.app.state.settings
    missing = fits_of(request).of(batch.name).missing
    return render(
        request,
        "assess_admin_missing.html",
        200,
        **frame_context(request, admin, batch, "missing"),
        has_collection=settings.collection is not None,
        total=len(missing),
        listed=missing[:MAX_LISTED],
        pool_collection=store_of(request).pool(batch.name).collection,
    )


def _candidate(pool: Pool, topic_id: str, doc_id: str) -> Candidate:
    for each in pool.candidates:
        if each.topic_id == topic_id and each.doc_id == doc_id:
            return each
    raise RequestRefused(404, f"There is no candidate {doc_id[:100]} for topic {topic_id[:100]}.")


def _is_of(act: Judgment | Annotation, candidate: Candidate) -> bool:
    return (act.topic_id, act.doc_id) == (candidate.topic_id, candidate.doc_id)


def _listing(request: Request) -> str:
    """The list that a candidate was opened from."""
    return "annotations" if "size" in request.query_params else "disagreements"


def _next_disagreement(request: Request, batch: AssessmentBatch, done: str) -> str:
    """The next candidate to adjudicate, or the list if there is none."""
    for each in disagreements(store_of(request).judgments(batch.name)):
        if each.adjudicated is None:
            return admin_address(
                "candidate", batch.name, topic=each.topic_id, document=each.doc_id, done=done
            )
    return f"{ADMIN_PATH}/disagreements?{urlencode({'batch': batch.name, 'done': done})}"
