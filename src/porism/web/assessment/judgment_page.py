"""The page on which an assessor judges, and the routes that record judgments."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Annotated
from urllib.parse import quote, urlencode
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field

from porism.assess.judgments.assessors import MAX_NAME_LENGTH
from porism.assess.judgments.store import MAX_COMMENT_LENGTH, MAX_KEY_LENGTH
from porism.assess.records import Assessor, Choice, Judgment, NewJudgment
from porism.errors import PorismError
from porism.model import DocId, Task, Topic, TopicId
from porism.pages.candidates import CandidateView, candidate_view, topic_view
from porism.web.assessment.active_orders import orders_of, remaining_text
from porism.web.assessment.authentication import signed_in, store_of
from porism.web.assessment.campaign import AssignedTopic, Campaign, CandidateGroup, campaign_of
from porism.web.assessment.collection_handle import collection_of
from porism.web.assessment.error_responses import JUDGMENTS_PATH
from porism.web.assessment.forms import FormFields, submitted_form
from porism.web.assessment.guidelines import (
    NEEDS_COMMENT,
    choice_label,
    current_instructions,
    judging_guidelines,
)
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

MAX_SECONDS = 86_400.0
MAX_UNTIMED_SECONDS = 900.0
"""Without script, time is counted from the request of the page; more than this was a pause."""

_MAX_ID_LENGTH = 500

SignedIn = Annotated[Assessor, Depends(signed_in)]


class SubmittedJudgment(BaseModel):
    """A judgment sent by the script.

    ``campaign`` and ``assessor`` say for whom it was made: a browser may have stored it while
    others signed in, or while another campaign was served at the same address.
    """

    model_config = ConfigDict(extra="forbid")

    campaign: str = Field(max_length=100)
    assessor: str = Field(max_length=MAX_NAME_LENGTH)
    key: str = Field(min_length=1, max_length=MAX_KEY_LENGTH)
    batch: str = Field(max_length=MAX_NAME_LENGTH)
    topic: str = Field(max_length=_MAX_ID_LENGTH)
    document: str = Field(max_length=_MAX_ID_LENGTH)
    choice: Choice | None
    seconds: float = Field(0.0, ge=0, le=MAX_SECONDS, allow_inf_nan=False)
    comment: str = Field("", max_length=MAX_COMMENT_LENGTH)
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None
    instructions: int | None = Field(None, ge=0)


@router.post(JUDGMENTS_PATH)
def record_judgment(request: Request, assessor: SignedIn, sent: SubmittedJudgment) -> Response:
    """Record a judgment sent by the script; it is on disk before it is acknowledged."""
    check_sender(campaign_of(request), assessor, sent.campaign, sent.assessor)
    campaign_of(request).batch(sent.batch)
    recorded = store_of(request).record(
        assessor,
        NewJudgment(
            key=sent.key,
            batch=sent.batch,
            topic_id=TopicId(sent.topic),
            doc_id=DocId(sent.document),
            choice=sent.choice,
            seconds=sent.seconds,
            comment=sent.comment,
            is_machine_made=sent.is_machine_made,
            is_unrelated=sent.is_unrelated,
            instructions=sent.instructions,
        ),
    )
    result: dict[str, object] = {"key": sent.key, "number": recorded.number, "at": recorded.at}
    result["instructions"] = current_instructions(request).number
    # The judgment is recorded even if the rest fails: the topic may have been unassigned since,
    # and the collection may be unavailable.
    with suppress(RequestRefused, PorismError, OSError):
        result |= _learned_next(request, assessor, sent)
    return JSONResponse(result)


def _learned_next(
    request: Request, assessor: Assessor, sent: SubmittedJudgment
) -> dict[str, object]:
    """The next places and the estimate of what is left, in a learned order."""
    orders = orders_of(request)
    if not orders.is_learned(sent.batch):
        return {}
    topic = campaign_of(request).assigned_topic(assessor, sent.batch, sent.topic)
    collection = collection_of(request)
    left = orders.remaining(topic, assessor, collection)
    return {
        "learned": orders.places(topic, assessor, collection),
        "remaining": "" if left is None else remaining_text(left),
    }


def check_sender(campaign: Campaign, assessor: Assessor, mark: str, name: str) -> None:
    """Refuse what was made for another campaign or by another assessor."""
    if mark != campaign.mark:
        # Its own campaign may soon be served at this address again.
        raise RequestRefused(421, "This was judged for other batches than those served here.")
    if name != assessor.name:
        raise RequestRefused(
            401, f"You are signed in as {assessor.name}; this was judged by {name}."
        )


@router.get("/judge/{batch}/{topic:path}")
def judgment_page(request: Request, assessor: SignedIn, batch: str, topic: str) -> Response:
    """The question and a candidate side by side; ``part`` gives the candidate alone."""
    query = request.query_params
    campaign = campaign_of(request)
    is_part = query.get("part") == "candidate"
    find_topic = campaign.assigned_topic if is_part else campaign.judged_topic
    work = find_topic(assessor, batch, topic)
    if not is_part:
        work = _learned(request, assessor, work)
    if not work.groups:
        raise RequestRefused(404, "There are no candidates for this topic.")
    at = _place(query.get("at"), work)
    only = query.get("only") == "unjudged"
    view = _view(request, assessor, work, work.groups[at - 1], only)
    if is_part:
        return render(request, "_assess_candidate.html", 200, **view)
    left = orders_of(request).remaining(work, assessor, collection_of(request))
    return render(
        request,
        "assess_judge.html",
        200,
        **view,
        **question_view(request, work.batch.name, work.topic),
        state=_state(request, assessor, work, at, only),
        saved=query.get("saved", ""),
        asks_why=query.get("why", ""),
        after=work.next_after(at, only),
        before=_before(work, at, only),
        remaining="" if left is None else remaining_text(left),
    )


def question_view(request: Request, batch: str, topic: Topic) -> dict[str, object]:
    """The context of the question part of a page."""
    pool = store_of(request).pool(batch)
    question = topic_view(topic, pool, collection_of(request))
    return {
        "topic": topic,
        "title": Markup(question.title),
        "question": Markup(question.body),
        "query_formula": Markup(question.formula),
        "question_thread": ""
        if question.thread_id is None
        else f"/threads/{quote(question.thread_id)}",
        "guidelines": judging_guidelines(pool.task, current_instructions(request).same_look),
    }


@router.post("/judge/{batch}/{topic:path}")
def record_form_judgment(
    request: Request,
    assessor: SignedIn,
    batch: str,
    topic: str,
    form: Annotated[FormFields, Depends(submitted_form)],
) -> Response:
    """Record a judgment from a form, without script, and redirect to the next candidate."""
    campaign = campaign_of(request)
    check_sender(campaign, assessor, form.get("campaign", ""), form.get("assessor", ""))
    work = campaign.judged_topic(assessor, batch, topic)
    at = _place(form.get("at"), work)
    choice = _choice(form.get("choice", ""))
    judgment = NewJudgment(
        key=form.get("key", ""),
        batch=batch,
        topic_id=TopicId(topic),
        doc_id=DocId(form.get("document", "")),
        choice=choice,
        seconds=_seconds_since(form.get("opened", "")),
        comment="" if choice is None else form.get("comment", "").replace("\r\n", "\n").strip(),
        is_machine_made=None if choice is None else _annotation(form, "is_machine_made"),
        is_unrelated=None if choice is None else _annotation(form, "is_unrelated"),
        instructions=_number(form.get("instructions", "")),
    )
    if not _is_unchanged(judgment, work.judged.get(judgment.doc_id)):
        store_of(request).record(assessor, judgment)
    only = form.get("only") == "unjudged"
    work = _learned(request, assessor, campaign.judged_topic(assessor, batch, topic))
    asks_why = choice in NEEDS_COMMENT and not judgment.comment
    stays = choice is None or asks_why or not work.is_done(work.groups[at - 1])
    values = {
        "at": str(at if stays else work.next_after(at, only_unjudged=True)),
        "saved": f"{choice_label(choice)} for candidate {at}",
        **({"only": "unjudged"} if only else {}),
        **({"why": judgment.doc_id} if asks_why else {}),
    }
    return RedirectResponse(f"{judgment_address(batch, topic)}?{urlencode(values)}", 303)


def _is_unchanged(new: NewJudgment, known: Judgment | None) -> bool:
    """Whether the current judgment is the same, so that the new one would add nothing."""
    return known is not None and (
        (known.choice, known.comment, known.is_machine_made, known.is_unrelated)
        == (new.choice, new.comment, new.is_machine_made, new.is_unrelated)
    )


def _learned(request: Request, assessor: Assessor, work: AssignedTopic) -> AssignedTopic:
    """The topic with the places to visit next, if its order is learned."""
    places = orders_of(request).places(work, assessor, collection_of(request))
    return replace(work, learned=places)


def judgment_address(batch: str, topic_id: str) -> str:
    """The address where a topic is judged."""
    return f"/judge/{quote(batch, safe='')}/{quote(topic_id)}"


def _view(
    request: Request, assessor: Assessor, work: AssignedTopic, group: CandidateGroup, only: bool
) -> dict[str, object]:
    """The context of the candidate part of the page."""
    instructions = current_instructions(request)
    collection = collection_of(request)
    views = [candidate_view(each, work.task, collection) for each in group.candidates]
    return {
        "work": work,
        "group": group,
        "only": only,
        "assessor": assessor,
        "address": judgment_address(work.batch.name, work.topic.id),
        "campaign": campaign_of(request).mark,
        "formula": Markup(next((each.formula for each in views if each.formula), "")),
        "cards": [
            _card(candidate.doc_id, each, work)
            for candidate, each in zip(group.candidates, views, strict=True)
        ],
        "choices": judging_guidelines(work.task, instructions.same_look).choices,
        "asks_annotations": instructions.asks_annotations and work.task != Task.FORMULAS,
        "instructions": instructions.number,
        "opened": round(time.time()),
        "longest_comment": MAX_COMMENT_LENGTH,
    }


def _card(doc_id: DocId, view: CandidateView, work: AssignedTopic) -> dict[str, object]:
    """The context of one candidate, with its judgment."""
    judgment = work.judged.get(doc_id)
    return {
        "document": doc_id,
        "key": str(uuid4()),
        "body": Markup(view.body),
        "about": Markup(view.about),
        "thread": view.thread,
        "is_missing": view.is_missing,
        "judgment": judgment,
        "choice": None if judgment is None else judgment.choice,
        "comment": "" if judgment is None else judgment.comment,
    }


def _state(
    request: Request, assessor: Assessor, work: AssignedTopic, at: int, only: bool
) -> dict[str, object]:
    """The state of the topic for the script."""
    instructions = current_instructions(request)
    choices = judging_guidelines(work.task, instructions.same_look).choices
    return {
        "instructions": instructions.number,
        "campaign": campaign_of(request).mark,
        "assessor": assessor.name,
        "batch": work.batch.name,
        "topic": work.topic.id,
        "address": judgment_address(work.batch.name, work.topic.id),
        "at": at,
        "only": only,
        "keys": {key: each.choice for each in choices for key in each.keys},
        "learned": work.learned,
        "groups": [[each.doc_id for each in group.candidates] for group in work.groups],
        "judged": {
            doc_id: {
                "choice": each.choice,
                "comment": each.comment,
                "is_machine_made": each.is_machine_made,
                "is_unrelated": each.is_unrelated,
            }
            for doc_id, each in work.judged.items()
        },
    }


def _place(value: str | None, work: AssignedTopic) -> int:
    """The requested group; by default the first unjudged one."""
    if not value:
        return work.first
    place = _number(value)
    if place is None or not 1 <= place <= len(work.groups):
        raise RequestRefused(
            404, f"There is no candidate {value[:20]}: expected 1 to {len(work.groups)}."
        )
    return place


def _before(work: AssignedTopic, at: int, only: bool) -> int:
    order = [*reversed(work.groups[: at - 1]), *reversed(work.groups[at:])]
    return next((group.at for group in order if not only or not work.is_done(group)), at)


def _choice(value: str) -> Choice | None:
    """A choice by its name; an empty one withdraws the judgment."""
    if not value:
        return None
    if value not in set(Choice):
        raise RequestRefused(
            422, f"There is no choice {value[:40]!r}: expected {', '.join(Choice)}."
        )
    return Choice(value)


def _number(value: str) -> int | None:
    is_number = value.isascii() and value.isdecimal() and len(value) < 10
    return int(value) if is_number else None


def _seconds_since(opened: str) -> float:
    if not (opened.isascii() and opened.isdecimal() and len(opened) < 13):
        return 0.0
    seconds = time.time() - int(opened)
    return seconds if 0 <= seconds <= MAX_UNTIMED_SECONDS else 0.0


def _annotation(form: FormFields, name: str) -> bool | None:
    """The value of an annotation; None without the hidden field that says it was requested."""
    if f"asks_{name}" not in form:
        return None
    return form.get(name) == "1"
