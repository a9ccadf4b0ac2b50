"""What the pages for administration share: who may see them, which batch is meant, where they are.

The batch is in the query and not in the path, since its name may be anything.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Request

from porism.assess.records import Assessor, Batch, BatchKind
from porism.web.assessment.forms import Form, sent_form
from porism.web.assessment.signing_in import admin_of
from porism.web.assessment.work import campaign_of
from porism.web.problems import Refused

ADMIN = "/admin"

PAGES = {
    "topics": "Topics",
    "agreement": "Agreement",
    "disagreements": "Disagreements",
    "annotations": "Annotations",
    "missing": "Missing",
    "results": "Results",
}
"""The pages of a batch, by the last part of their addresses."""

MOST_NUMBER = 1_000_000

Admin = Annotated[Assessor, Depends(admin_of)]
Sent = Annotated[Form, Depends(sent_form)]


def address(page: str, batch: str, **values: str | int) -> str:
    """Where a page of a batch is."""
    return f"{ADMIN}/{page}?{urlencode({'batch': batch, **values})}"


def asked_batch(request: Request) -> Batch:
    """The batch that an address names."""
    return campaign_of(request).batch(request.query_params.get("batch", ""))


def sent_batch(request: Request, admin: Assessor, form: Form) -> Batch:
    """The batch that a form names, if it was made here, for whoever sends it."""
    check_sent(request, admin, form)
    return campaign_of(request).batch(form.get("batch", ""))


def check_sent(request: Request, admin: Assessor, form: Form) -> None:
    """Refuse a form that was made for other judgments, or for somebody else."""
    if form.get("campaign") != campaign_of(request).mark:
        raise Refused(409, "This form was made for other batches than those that are served here.")
    if form.get("assessor") != admin.name:
        raise Refused(401, f"You are signed in as {admin.name}, and this form is not yours.")


def common(request: Request, admin: Assessor, batch: Batch, page: str) -> dict[str, object]:
    """What the frame of a batch's pages needs."""
    return {
        "assessor": admin,
        "campaign": campaign_of(request).mark,
        "batch": batch,
        "is_training": batch.kind is BatchKind.TRAINING,
        "admin": ADMIN,
        "page": page,
        "pages": [(name, title, address(name, batch.name)) for name, title in PAGES.items()],
        "done": request.query_params.get("done", "")[:300],
    }


def whole(told: str | None, default: int) -> int:
    """A number that was asked for, such as a seed; nothing is the default."""
    if told is None or not told.strip():
        return default
    text = told.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) <= MOST_NUMBER):
        raise Refused(422, f"Found {text[:40]!r}: expected a number from 0 to {MOST_NUMBER:,}.")
    return int(text)
