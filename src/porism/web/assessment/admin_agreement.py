"""How far assessors agree in a batch and in training, and what they judged differently."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from porism.assess.agreement import Disagreement, agreement, disagreements
from porism.assess.records import BY_CODE, BatchKind
from porism.assess.statistics_tables import kappa
from porism.assess.training import round_results
from porism.model import TopicId
from porism.pages.assessment_report import agreement_section
from porism.pages.candidates import shown_topic
from porism.web.assessment.admin_parts import ADMIN, Admin, address, asked_batch, common
from porism.web.assessment.definitions import label
from porism.web.assessment.signing_in import store_of
from porism.web.assessment.work import campaign_of
from porism.web.templating import render

router = APIRouter(include_in_schema=False)


@router.get(f"{ADMIN}/agreement")
def agreement_page(request: Request, admin: Admin) -> Response:
    """Kappas of pairs and of all, four-way and H+M, for the batch and for the training rounds."""
    batch = asked_batch(request)
    store = store_of(request)
    reached = agreement(store.judgments(batch.name))
    rounds = [each for each in campaign_of(request).batches() if each.kind is BatchKind.TRAINING]
    results = round_results(
        [judgment for each in rounds for judgment in store.judgments(each.name)]
    )
    return render(
        request,
        "assess_admin_agreement.html",
        200,
        **common(request, admin, batch, "agreement"),
        agreement=reached,
        kappa=kappa,
        # What scrolls by itself must be reached by the keyboard too.
        shown=Markup(
            agreement_section("agreement", reached).replace(
                '<div class="wide">', '<div class="wide" tabindex="0">'
            )
        ),
        rounds=[(each, address("agreement", each.batch)) for each in results],
    )


@router.get(f"{ADMIN}/disagreements")
def disagreement_page(request: Request, admin: Admin) -> Response:
    """What assessors judged differently, with what each of them said, to talk about or decide."""
    batch = asked_batch(request)
    store = store_of(request)
    found = disagreements(store.judgments(batch.name))
    is_all = request.query_params.get("show") == "all"
    titles = {topic.id: shown_topic(topic) for topic in store.pool(batch.name).topics}
    by_topic: dict[TopicId, list[Disagreement]] = {}
    for each in found:
        if is_all or each.adjudicated is None:
            by_topic.setdefault(each.topic_id, []).append(each)
    return render(
        request,
        "assess_admin_disagreements.html",
        200,
        **common(request, admin, batch, "disagreements"),
        topics=[
            (topic_id, Markup(titles[topic_id].title or titles[topic_id].formula), of_topic)
            for topic_id, of_topic in by_topic.items()
        ],
        total=len(found),
        open=sum(each.adjudicated is None for each in found),
        is_all=is_all,
        show_all=address("disagreements", batch.name, show="all"),
        show_open=address("disagreements", batch.name),
        decide=lambda each: address(
            "candidate", batch.name, topic=each.topic_id, document=each.doc_id
        ),
        label=label,
        earlier=store.earlier(batch.name).grades,
        grades=BY_CODE,
    )
