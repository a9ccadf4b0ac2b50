"""Which answers a machine seems to have made, and which stray: a sample, annotated one by one.

Annotations stand beside what assessors said, and leave its grades as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from porism.assess.annotating import annotation_sample
from porism.assess.final_grades import Final, Finals, final_choices
from porism.assess.records import Batch, Candidate, NewAnnotation
from porism.model import FORMULAS_TASK, DocId, TopicId
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
from porism.web.assessment.definitions import label
from porism.web.assessment.signing_in import store_of
from porism.web.problems import Refused
from porism.web.templating import render

router = APIRouter(include_in_schema=False)

SAMPLE, MOST_SAMPLED = 20, 500
"""How many answers are annotated if nobody says otherwise, and at most."""


@router.get(f"{ADMIN}/annotations")
def annotation_page(request: Request, admin: Admin) -> Response:
    """A sample of answers, with what was said of them, to be annotated one by one."""
    batch = asked_batch(request)
    pool = store_of(request).pool(batch.name)
    size, seed = _size(request.query_params), whole(request.query_params.get("seed"), 0)
    finals = {} if pool.task == FORMULAS_TASK else _finals(request, batch)
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
        annotate=lambda each: _address(batch, each, size, seed),
        label=label,
        yes_or_no=yes_or_no,
    )


@router.post(f"{ADMIN}/annotate")
def annotate(request: Request, admin: Admin, form: Sent) -> Response:
    """Record an annotation, and lead to the next answer of the sample that has none."""
    batch = sent_batch(request, admin, form)
    if store_of(request).pool(batch.name).task == FORMULAS_TASK:
        raise Refused(422, "Formulas are not annotated; answers are.")
    made = NewAnnotation(
        key=form.get("key", ""),
        batch=batch.name,
        topic_id=TopicId(form.get("topic", "")),
        doc_id=DocId(form.get("document", "")),
        is_machine_made=_told(form.get("is_machine_made")),
        is_unrelated=_told(form.get("is_unrelated")),
    )
    store_of(request).annotate(admin, made)
    size, seed = _size(form), whole(form.get("seed"), 0)
    finals = _finals(request, batch)
    done = f"{made.doc_id} of {made.topic_id} is annotated"
    for each in annotation_sample(store_of(request).pool(batch.name), finals, size, seed):
        if not _is_annotated(finals, each):
            return RedirectResponse(_address(batch, each, size, seed, done=done), 303)
    return RedirectResponse(
        address("annotations", batch.name, size=size, seed=seed, done=done), 303
    )


def asked_sample(request: Request) -> dict[str, int]:
    """The size and the seed of the sample that an address is of; empty if it is of none."""
    asked = request.query_params
    if "size" not in asked:
        return {}
    return {"size": _size(asked), "seed": whole(asked.get("seed"), 0)}


def yes_or_no(value: bool | None) -> str:
    """What was said, in a word; empty where nothing was."""
    return {True: "yes", False: "no", None: ""}[value]


def _finals(request: Request, batch: Batch) -> dict[tuple[TopicId, DocId], Final]:
    store = store_of(request)
    return final_choices(store.judgments(batch.name), annotations=store.annotations(batch.name))


def _address(batch: Batch, candidate: Candidate, size: int, seed: int, **others: str) -> str:
    """Where an answer of the sample is annotated."""
    return address(
        "candidate",
        batch.name,
        topic=candidate.topic_id,
        document=candidate.doc_id,
        size=size,
        seed=seed,
        **others,
    )


def _size(asked: Mapping[str, str]) -> int:
    return min(whole(asked.get("size"), SAMPLE), MOST_SAMPLED)


def _told(said: str | None) -> bool | None:
    return {"yes": True, "no": False}.get(said or "")


def _is_annotated(finals: Finals, candidate: Candidate) -> bool:
    final = finals[candidate.topic_id, candidate.doc_id]
    return final.is_machine_made is not None and final.is_unrelated is not None
