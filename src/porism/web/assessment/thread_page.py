"""Threads as context for judging, for those who are signed in."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.pages.thread import ThreadContext, thread_html, thread_title
from porism.web.assessment.collection_handle import collection_of
from porism.web.assessment.judgment_page import SignedIn
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)


@router.get("/threads/{post_id:path}")
def thread_page(request: Request, assessor: SignedIn, post_id: str) -> Response:
    """The thread of a post; the address of an answer redirects to it within its thread."""
    collection = collection_of(request)
    if collection is None or collection.find_number(post_id) is None:
        raise RequestRefused(404, f"There is no post {post_id[:100]} in this collection.")
    parent = collection.parent(post_id)
    if parent is not None:
        return RedirectResponse(f"/threads/{quote(parent)}#post-{quote(post_id)}", 302)
    thread = collection.thread(post_id)
    context = ThreadContext(thread_address=lambda other: f"/threads/{quote(other)}")
    return render(
        request,
        "assess_thread.html",
        title=thread_title(thread.question),
        thread=Markup(thread_html(thread, collection, context)),
    )
