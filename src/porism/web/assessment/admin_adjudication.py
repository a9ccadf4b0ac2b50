"""One candidate with all that was said of it, to decide and to annotate; and the annotations.

Both are recorded as adjudications, beside what assessors said. An annotation of what nobody
disputes so confirms the choice that was there.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.assess.agreement import disagreements
from porism.assess.annotating import annotation_sample
from porism.assess.final_grades import Final, Key, current, final_choices
from porism.assess.records import Candidate, Choice, Judgment, Pool
from porism.assess.store import LONGEST_COMMENT, Batch, NewJudgment
from porism.model import FORMULAS_TASK, DocId, TopicId
from porism.pages.candidates import missing_candidates, shown_candidate, shown_topic
from porism.web.assessment.admin_parts import (
    ADMIN,
    Admin,
    Sent,
    address,
    asked_batch,
    common,
    sent_batch,
    whole,
)
from porism.web.assessment.definitions import definitions, label
from porism.web.assessment.forms import Form
from porism.web.assessment.settings import AssessmentSettings
from porism.web.assessment.shown_collection import collection_of
from porism.web.assessment.signing_in import store_of
from porism.web.problems import Refused
from porism.web.templating import render

router = APIRouter(include_in_schema=False)

SAMPLE = 20
"""How many answers are annotated if nobody says otherwise."""

MOST_LISTED = 500


@router.get(f"{ADMIN}/candidate")
def candidate_page(request: Request, admin: Admin) -> Response:
    """The question, the candidate, what each assessor said of it, and a form to decide."""
    batch = asked_batch(request)
    store = store_of(request)
    pool = store.pool(batch.name)
    asked = request.query_params
    candidate = _candidate(pool, asked.get("topic", ""), asked.get("document", ""))
    topic = next(each for each in pool.topics if each.id == candidate.topic_id)
    collection = collection_of(request)
    question = shown_topic(topic, pool, collection)
    shown = shown_candidate(candidate, pool.task, collection)
    acts = [each for each in store.judgments(batch.name) if _is_of(each, candidate)]
    final = final_choices(acts).get((candidate.topic_id, candidate.doc_id))
    own = [each for each in current(acts) if each.is_adjudication and each.assessor == admin.name]
    settings: AssessmentSettings = request.app.state.settings
    return render(
        request,
        "assess_admin_candidate.html",
        200,
        **common(request, admin, batch, _listing(request)),
        candidate=candidate,
        title=Markup(question.title or question.formula),
        question=Markup(question.body),
        query_formula=Markup(question.formula),
        question_thread=""
        if question.thread_id is None
        else f"/threads/{quote(question.thread_id)}",
        shown=shown,
        body=Markup(shown.body),
        about=Markup(shown.about),
        formula=Markup(shown.formula),
        acts=acts,
        standing={each.number for each in current(acts)},
        final=final,
        own=own[-1] if own else None,
        key=str(uuid4()),
        definitions=definitions(pool.task, settings.visual_rule),
        asks_annotations=pool.task != FORMULAS_TASK,
        label=label,
        longest_comment=LONGEST_COMMENT,
        sample=_sample_asked(request),
    )


@router.post(f"{ADMIN}/candidate")
def decide(request: Request, admin: Admin, form: Sent) -> Response:
    """Record what was decided, or take it back, and lead to what is next."""
    batch = sent_batch(request, admin, form)
    told = form.get("choice", "")
    if told != "take-back" and told not in set(Choice):
        raise Refused(422, "Choose what it shall be: a grade, system failure, or do not know.")
    choice = None if told == "take-back" else Choice(told)
    made = NewJudgment(
        key=form.get("key", ""),
        batch=batch.name,
        topic_id=TopicId(form.get("topic", "")),
        doc_id=DocId(form.get("document", "")),
        choice=choice,
        comment="" if choice is None else form.get("comment", "").replace("\r\n", "\n").strip(),
        is_adjudication=True,
        is_machine_made=_told(form, "is_machine_made"),
        is_unrelated=_told(form, "is_unrelated"),
    )
    store_of(request).record(admin, made)
    done = f"{label(choice)} for {made.doc_id} of {made.topic_id}"
    if form.get("size"):
        values = {"size": form["size"], "seed": form.get("seed", ""), "done": done}
        return RedirectResponse(address("annotations", batch.name, **values), 303)
    return RedirectResponse(_next_disagreement(request, batch, done), 303)


@router.get(f"{ADMIN}/annotations")
def annotation_page(request: Request, admin: Admin) -> Response:
    """A sample of answers, with what was said of them, to be annotated one by one."""
    batch = asked_batch(request)
    store = store_of(request)
    pool = store.pool(batch.name)
    size, seed = _size(request.query_params), whole(request.query_params.get("seed"), 0)
    finals = final_choices(store.judgments(batch.name)) if pool.task != FORMULAS_TASK else {}
    drawn = annotation_sample(pool, finals, size, seed)
    return render(
        request,
        "assess_admin_annotations.html",
        200,
        **common(request, admin, batch, "annotations"),
        is_formulas=pool.task == FORMULAS_TASK,
        size=size,
        seed=seed,
        rows=[(each, finals[each.topic_id, each.doc_id]) for each in drawn],
        left=sum(not _is_annotated(finals, each) for each in drawn),
        annotate=lambda each: address(
            "candidate",
            batch.name,
            topic=each.topic_id,
            document=each.doc_id,
            size=size,
            seed=seed,
        ),
        label=label,
        yes_or_no=_yes_or_no,
    )


@router.get(f"{ADMIN}/missing")
def missing_page(request: Request, admin: Admin) -> Response:
    """The candidates that the collection does not have any more."""
    batch = asked_batch(request)
    settings: AssessmentSettings = request.app.state.settings
    found = missing_candidates(store_of(request).pool(batch.name), collection_of(request))
    return render(
        request,
        "assess_admin_missing.html",
        200,
        **common(request, admin, batch, "missing"),
        has_collection=settings.collection is not None,
        total=len(found),
        listed=found[:MOST_LISTED],
        pool_collection=store_of(request).pool(batch.name).collection,
    )


def _candidate(pool: Pool, topic_id: str, doc_id: str) -> Candidate:
    for each in pool.candidates:
        if each.topic_id == topic_id and each.doc_id == doc_id:
            return each
    raise Refused(404, f"There is no candidate {doc_id[:100]} for topic {topic_id[:100]}.")


def _is_of(judgment: Judgment, candidate: Candidate) -> bool:
    return (judgment.topic_id, judgment.doc_id) == (candidate.topic_id, candidate.doc_id)


def _listing(request: Request) -> str:
    """From which list a candidate was opened, and will be gone back to."""
    return "annotations" if "size" in request.query_params else "disagreements"


def _sample_asked(request: Request) -> dict[str, int]:
    asked = request.query_params
    if "size" not in asked:
        return {}
    return {"size": _size(asked), "seed": whole(asked.get("seed"), 0)}


def _size(asked: Mapping[str, str]) -> int:
    return min(whole(asked.get("size"), SAMPLE), MOST_LISTED)


def _told(form: Form, name: str) -> bool | None:
    return {"yes": True, "no": False}.get(form.get(name, ""))


def _yes_or_no(value: bool | None) -> str:
    return {True: "yes", False: "no", None: ""}[value]


def _is_annotated(finals: Mapping[Key, Final], candidate: Candidate) -> bool:
    final = finals[candidate.topic_id, candidate.doc_id]
    return final.is_machine_made is not None and final.is_unrelated is not None


def _next_disagreement(request: Request, batch: Batch, done: str) -> str:
    """The next candidate that waits to be decided, or the list if none does."""
    for each in disagreements(store_of(request).judgments(batch.name)):
        if each.adjudicated is None:
            return address(
                "candidate", batch.name, topic=each.topic_id, document=each.doc_id, done=done
            )
    return f"{ADMIN}/disagreements?{urlencode({'batch': batch.name, 'done': done})}"
