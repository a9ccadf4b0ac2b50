"""Agreement between assessors, in a batch and in training, and their disagreements."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from porism.assess.judgments.agreement import Disagreement, agreement, disagreements
from porism.assess.records import CHOICE_BY_CODE, BatchKind
from porism.assess.statistics_tables import kappa_text
from porism.assess.training import round_results
from porism.model import TopicId
from porism.pages.candidates import topic_view
from porism.pages.reports.assessment_report import agreement_section
from porism.web.assessment.admin.requests import (
    ADMIN_PATH,
    Admin,
    admin_address,
    frame_context,
    requested_batch,
)
from porism.web.assessment.authentication import store_of
from porism.web.assessment.campaign import campaign_of
from porism.web.assessment.guidelines import choice_label
from porism.web.page_templates import render

router = APIRouter(include_in_schema=False)


@router.get(f"{ADMIN_PATH}/agreement")
def agreement_page(request: Request, admin: Admin) -> Response:
    """Kappas by pair and overall, four-way and H+M, for the batch and the training rounds."""
    batch = requested_batch(request)
    store = store_of(request)
    measured = agreement(store.judgments(batch.name))
    rounds = [each for each in campaign_of(request).batches() if each.kind is BatchKind.TRAINING]
    results = round_results(
        [judgment for each in rounds for judgment in store.judgments(each.name)]
    )
    return render(
        request,
        "assess_admin_agreement.html",
        200,
        **frame_context(request, admin, batch, "agreement"),
        agreement=measured,
        kappa=kappa_text,
        # Elements that scroll must be reachable by the keyboard.
        section=Markup(
            agreement_section("agreement", measured).replace(
                '<div class="wide">', '<div class="wide" tabindex="0">'
            )
        ),
        rounds=[(each, admin_address("agreement", each.batch)) for each in results],
    )


@router.get(f"{ADMIN_PATH}/disagreements")
def disagreements_page(request: Request, admin: Admin) -> Response:
    """The candidates judged differently, with all opinions, to discuss or adjudicate."""
    batch = requested_batch(request)
    store = store_of(request)
    all_disagreements = disagreements(store.judgments(batch.name))
    is_all = request.query_params.get("show") == "all"
    titles = {topic.id: topic_view(topic) for topic in store.pool(batch.name).topics}
    by_topic: dict[TopicId, list[Disagreement]] = {}
    for each in all_disagreements:
        if is_all or each.adjudicated is None:
            by_topic.setdefault(each.topic_id, []).append(each)
    return render(
        request,
        "assess_admin_disagreements.html",
        200,
        **frame_context(request, admin, batch, "disagreements"),
        topics=[
            (topic_id, Markup(titles[topic_id].title or titles[topic_id].formula), of_topic)
            for topic_id, of_topic in by_topic.items()
        ],
        total=len(all_disagreements),
        open=sum(each.adjudicated is None for each in all_disagreements),
        is_all=is_all,
        show_all=admin_address("disagreements", batch.name, show="all"),
        show_open=admin_address("disagreements", batch.name),
        adjudicate=lambda each: admin_address(
            "candidate", batch.name, topic=each.topic_id, document=each.doc_id
        ),
        label=choice_label,
        earlier=store.earlier_grades(batch.name).grades,
        grades=CHOICE_BY_CODE,
    )
