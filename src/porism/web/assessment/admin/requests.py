"""Shared by the administration pages: access, the batch of a request, addresses and frame.

The batch is in the query and not in the path, since its name may contain anything.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Request

from porism.assess.records import AssessmentBatch, Assessor, BatchKind
from porism.web.assessment.authentication import admin_of
from porism.web.assessment.campaign import campaign_of
from porism.web.assessment.forms import FormFields, submitted_form
from porism.web.server.problems import RequestRefused

ADMIN_PATH = "/admin"

PAGE_TITLES = {
    "topics": "Topics",
    "agreement": "Agreement",
    "disagreements": "Disagreements",
    "annotations": "Annotations",
    "missing": "Missing",
    "results": "Results",
}
"""The pages of a batch, by the last part of their address."""

MAX_NUMBER = 1_000_000

Admin = Annotated[Assessor, Depends(admin_of)]
SubmittedForm = Annotated[FormFields, Depends(submitted_form)]


def admin_address(page: str, batch: str, **values: str | int) -> str:
    """The address of a page of a batch."""
    return f"{ADMIN_PATH}/{page}?{urlencode({'batch': batch, **values})}"


def requested_batch(request: Request) -> AssessmentBatch:
    """The batch named in the address."""
    return campaign_of(request).batch(request.query_params.get("batch", ""))


def submitted_batch(request: Request, admin: Assessor, form: FormFields) -> AssessmentBatch:
    """The batch named in a form, after checking that the form was made for this sender."""
    check_form_origin(request, admin, form)
    return campaign_of(request).batch(form.get("batch", ""))


def check_form_origin(request: Request, admin: Assessor, form: FormFields) -> None:
    """Refuse a form made for another campaign or for another assessor."""
    if form.get("campaign") != campaign_of(request).mark:
        raise RequestRefused(409, "This form was made for other batches than those served here.")
    if form.get("assessor") != admin.name:
        raise RequestRefused(401, f"You are signed in as {admin.name}; this form is not yours.")


def frame_context(
    request: Request, admin: Assessor, batch: AssessmentBatch, page: str
) -> dict[str, object]:
    """The context of the frame of a batch's pages."""
    return {
        "assessor": admin,
        "campaign": campaign_of(request).mark,
        "batch": batch,
        "is_training": batch.kind is BatchKind.TRAINING,
        "admin": ADMIN_PATH,
        "page": page,
        "pages": [
            (name, title, admin_address(name, batch.name)) for name, title in PAGE_TITLES.items()
        ],
        "done": request.query_params.get("done", "")[:300],
    }


def whole_number(value: str | None, default: int) -> int:
    """A number from a form or address, such as a seed; the default if empty."""
    text = (value or "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) <= MAX_NUMBER):
        raise RequestRefused(
            422, f"Found {text[:40]!r}: expected a number from 0 to {MAX_NUMBER:,}."
        )
    return int(text)
