"""The home page of an assessor: assigned topics, progress, and wishes."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.assess.assignment import INDIFFERENT
from porism.assess.records import AssessmentBatch, Assessor, BatchKind
from porism.model import Task, TopicId
from porism.pages.candidates import topic_view
from porism.web.assessment.authentication import store_of
from porism.web.assessment.campaign import (
    AssignedTopic,
    Campaign,
    campaign_of,
    duration_text,
    pace,
)
from porism.web.assessment.forms import FormFields, submitted_form
from porism.web.assessment.guidelines import (
    JudgingGuidelines,
    current_instructions,
    judging_guidelines,
)
from porism.web.assessment.judgment_page import SignedIn, check_sender, judgment_address
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

WISH_LABELS = ((0, "No"), (1, "If need be"), (2, "Gladly"), (3, "Most of all"))
"""The label of each strength of a wish."""

_FIELD = "wish-"


@router.get("/")
def home_page(request: Request, assessor: SignedIn) -> Response:
    """The topics assigned to whoever is signed in, and nobody else's."""
    campaign = campaign_of(request)
    batches = campaign.batches()
    return render(
        request,
        "assess_home.html",
        assessor=assessor,
        campaign=campaign.mark,
        batches=[_batch(request, campaign, assessor, each) for each in batches],
        guidelines_by_kind=_guidelines_by_kind(request, batches),
        wishes=WISH_LABELS,
        are_wishes_saved=request.query_params.get("wishes") == "saved",
    )


@router.post("/wishes")
def record_wishes(
    request: Request, assessor: SignedIn, form: Annotated[FormFields, Depends(submitted_form)]
) -> Response:
    """Record the wishes that changed, including topics that are not wanted."""
    campaign = campaign_of(request)
    check_sender(campaign, assessor, form.get("campaign", ""), form.get("assessor", ""))
    batch = campaign.batch(form.get("batch", ""))
    submitted = {
        TopicId(name.removeprefix(_FIELD)): value
        for name, value in form.items()
        if name.startswith(_FIELD)
    }
    if not {str(number) for number, _ in WISH_LABELS}.issuperset(submitted.values()):
        raise RequestRefused(422, "A wish is a number from 0 to 3.")
    before = _wishes(request, assessor, batch)
    changed = {
        topic_id: int(value)
        for topic_id, value in submitted.items()
        if before.get(topic_id) != int(value)
    }
    store_of(request).record_wishes(batch.name, assessor.name, changed)
    return RedirectResponse(f"/?{urlencode({'wishes': 'saved'})}#wishes", 303)


def _batch(
    request: Request, campaign: Campaign, assessor: Assessor, batch: AssessmentBatch
) -> dict[str, object]:
    """A batch as its assessor sees it."""
    work = campaign.work(assessor, batch)
    seconds = pace(campaign.judgments(assessor, batch)) if work else None
    wished = _wishes(request, assessor, batch)
    return {
        "name": batch.name,
        "is_training": batch.kind is BatchKind.TRAINING,
        "topics": [_topic(each, seconds) for each in work],
        "judged": sum(len(each.judged) for each in work),
        "total": sum(each.total for each in work),
        "pace": None if seconds is None else round(seconds),
        "time_left": _time_left(sum(each.left for each in work), seconds),
        "open_topics": []
        if batch.kind is BatchKind.TRAINING
        else [
            {
                "id": topic.id,
                "title": Markup(view.title or view.formula),
                "body": Markup(view.formula + view.body),
                "tags": topic.tags,
                "wish": wished.get(topic.id, INDIFFERENT),
            }
            for topic in campaign.unassigned(batch)
            for view in (topic_view(topic),)
        ],
    }


def _topic(work: AssignedTopic, seconds: float | None) -> dict[str, object]:
    view = topic_view(work.topic)
    return {
        "id": work.topic.id,
        "title": Markup(view.title or view.formula),
        "tags": work.topic.tags,
        "address": judgment_address(work.batch.name, work.topic.id),
        "judged": len(work.judged),
        "total": work.total,
        "is_done": work.left == 0,
        "time_left": _time_left(work.left, seconds),
    }


def _time_left(left: int, seconds: float | None) -> str:
    return duration_text(left * seconds) if left and seconds is not None else ""


def _wishes(request: Request, assessor: Assessor, batch: AssessmentBatch) -> dict[TopicId, int]:
    return {
        each.topic_id: each.wish
        for each in store_of(request).wishes(batch.name)
        if each.assessor == assessor.name
    }


def _guidelines_by_kind(
    request: Request, batches: tuple[AssessmentBatch, ...]
) -> dict[str, JudgingGuidelines]:
    """The guidelines of each kind of task, by what is judged."""
    rule = current_instructions(request).same_look
    tasks = sorted({store_of(request).pool(each.name).task for each in batches})
    return {
        "Formulas" if task == Task.FORMULAS else "Answers": judging_guidelines(task, rule)
        for task in tasks
    }
