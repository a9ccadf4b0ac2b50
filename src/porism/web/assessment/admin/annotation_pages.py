"""Machine-generated and unrelated answers: a sample, annotated one by one.

Annotations are kept apart from judgments and do not change grades.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from porism.assess.annotation_sample import annotation_sample
from porism.assess.judgments.final_grades import FinalChoice, FinalChoices, final_choices
from porism.assess.records import AssessmentBatch, Candidate, NewAnnotation
from porism.model import DocId, Task, TopicId
from porism.web.assessment.admin.requests import (
    ADMIN_PATH,
    Admin,
    SubmittedForm,
    admin_address,
    frame_context,
    requested_batch,
    submitted_batch,
    whole_number,
)
from porism.web.assessment.authentication import store_of
from porism.web.assessment.guidelines import choice_label
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

SAMPLE_SIZE, MAX_SAMPLE_SIZE = 20, 500
"""Answers in a sample: the default and the maximum."""


@router.get(f"{ADMIN_PATH}/annotations")
def annotation_page(request: Request, admin: Admin) -> Response:
    """A sample of answers with their annotations."""
    batch = requested_batch(request)
    pool = store_of(request).pool(batch.name)
    size, seed = _size(request.query_params), whole_number(request.query_params.get("seed"), 0)
    finals = {} if pool.task == Task.FORMULAS else _finals(request, batch)
    drawn = annotation_sample(pool, finals, size, seed)
    return render(
        request,
        "assess_admin_annotations.html",
        200,
        **frame_context(request, admin, batch, "annotations"),
        is_formulas=pool.task == Task.FORMULAS,
        size=size,
        seed=seed,
        rows=[(each, finals[each.topic_id, each.doc_id]) for each in drawn],
        left=sum(not _is_annotated(finals, each) for each in drawn),
        annotate=lambda each: _address(batch, each, size, seed),
        label=choice_label,
        yes_or_no=yes_or_no,
    )


@router.post(f"{ADMIN_PATH}/annotate")
def record_annotation(request: Request, admin: Admin, form: SubmittedForm) -> Response:
    """Record an annotation, and go to the next answer of the sample without one."""
    batch = submitted_batch(request, admin, form)
    if store_of(request).pool(batch.name).task == Task.FORMULAS:
        raise RequestRefused(422, "Only answers are annotated, not formulas.")
    annotation = NewAnnotation(
        key=form.get("key", ""),
        batch=batch.name,
        topic_id=TopicId(form.get("topic", "")),
        doc_id=DocId(form.get("document", "")),
        is_machine_made=_answer(form.get("is_machine_made")),
        is_unrelated=_answer(form.get("is_unrelated")),
    )
    store_of(request).annotate(admin, annotation)
    size, seed = _size(form), whole_number(form.get("seed"), 0)
    finals = _finals(request, batch)
    done = f"{annotation.doc_id} of {annotation.topic_id} is annotated"
    for each in annotation_sample(store_of(request).pool(batch.name), finals, size, seed):
        if not _is_annotated(finals, each):
            return RedirectResponse(_address(batch, each, size, seed, done=done), 303)
    return RedirectResponse(
        admin_address("annotations", batch.name, size=size, seed=seed, done=done), 303
    )


def requested_sample(request: Request) -> dict[str, int]:
    """The size and seed of the sample in an address; empty if it has none."""
    query = request.query_params
    if "size" not in query:
        return {}
    return {"size": _size(query), "seed": whole_number(query.get("seed"), 0)}


def yes_or_no(value: bool | None) -> str:
    """The answer in a word; empty if there is none."""
    return {True: "yes", False: "no", None: ""}[value]


def _finals(request: Request, batch: AssessmentBatch) -> dict[tuple[TopicId, DocId], FinalChoice]:
    store = store_of(request)
    return final_choices(store.judgments(batch.name), annotations=store.annotations(batch.name))


def _address(
    batch: AssessmentBatch, candidate: Candidate, size: int, seed: int, **others: str
) -> str:
    """The address where an answer of the sample is annotated."""
    return admin_address(
        "candidate",
        batch.name,
        topic=candidate.topic_id,
        document=candidate.doc_id,
        size=size,
        seed=seed,
        **others,
    )


def _size(values: Mapping[str, str]) -> int:
    return min(whole_number(values.get("size"), SAMPLE_SIZE), MAX_SAMPLE_SIZE)


def _answer(value: str | None) -> bool | None:
    return {"yes": True, "no": False}.get(value or "")


def _is_annotated(finals: FinalChoices, candidate: Candidate) -> bool:
    final = finals[candidate.topic_id, candidate.doc_id]
    return final.is_machine_made is not None and final.is_unrelated is not None
