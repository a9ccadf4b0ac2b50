"""The page of a thread, with what was searched for marked in it."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.collection.store import Thread
from porism.model import Content, PostKind, plain_text
from porism.pages.thread import ThreadContext, thread_html, thread_title
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.search.highlights import (
    MOST_FORMULAS,
    FormulaHighlighter,
    highlighted_words,
    search_terms,
)
from porism.web.search.search_request import (
    LONGEST_TEXT,
    SearchRequest,
    SearchTarget,
    parse_search_request,
    similar_address,
)
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

LONGEST_SEARCH = 400
"""Characters of a question that its duplicates are searched by."""


@router.get("/threads")
@router.get("/threads/{post_id:path}")
def thread(request: Request, post_id: str = "") -> Response:
    """The thread that a post is in; an answer's address leads to the answer in its thread."""
    if not post_id:
        raise RequestRefused(
            404, "Which thread? An address ends with the id of a post: /threads/ID."
        )
    library = index_of_request(request)
    collection = library.collection
    if collection.find_number(post_id) is None:
        raise RequestRefused(404, f"There is no post {post_id[:100]} in this collection.")
    parent = collection.parent(post_id)
    if parent is not None:
        return RedirectResponse(_at_post(request, parent, post_id), 302)
    asked = _request(request)
    looked_for = search_terms(library, asked)
    formulas = FormulaHighlighter(looked_for)
    setting = ThreadContext(
        render_text=highlighted_words(looked_for),
        marker=formulas,
        tag_address=lambda tag: _tag_address(asked, tag),
        thread_address=lambda other: f"/threads/{quote(other)}",
        similar_address=similar_address,
    )
    found = collection.thread(post_id)
    question = found.question
    shown = Markup(thread_html(found, collection, setting))
    return render(
        request,
        "thread.html",
        title=thread_title(question),
        thread=shown,
        most_marked=MOST_FORMULAS if formulas.is_cut else None,
        is_question=question.kind is PostKind.QUESTION,
        duplicates=SearchRequest(
            _search_text(found), SearchTarget.QUESTIONS, besides=question.id
        ).address,
        answers=SearchRequest(
            _search_text(found), SearchTarget.ANSWERS, besides=question.id
        ).address,
        back="" if asked.is_empty else asked.address,
    )


def _at_post(request: Request, thread_id: str, post_id: str) -> str:
    """The address of a post in its thread, with whatever else was asked."""
    query = urlencode(request.query_params.multi_items())
    return f"/threads/{quote(thread_id)}{'?' if query else ''}{query}#post-{quote(post_id)}"


def _request(request: Request) -> SearchRequest:
    """The search that led here; one that cannot be done is forgotten, the thread is shown."""
    read = parse_search_request(request.query_params)
    return SearchRequest() if len(read.asked.text) > LONGEST_TEXT else read.asked


def _tag_address(asked: SearchRequest, tag: str) -> str:
    """The search that led here, or else one for the words of the tag, among posts with it."""
    text = asked.text if not asked.is_empty else tag.replace("-", " ")
    return SearchRequest(text, asked.what, (tag,)).address


def _search_text(thread: Thread) -> str:
    """The title of a question, or the beginning of its text if it has none."""
    return leading_text(thread.question.title or thread.question.body, LONGEST_SEARCH)


def leading_text(content: Content, length: int) -> str:
    r"""The beginning of a text as one types it; formulas, between dollars, are not cut.

    >>> from porism.model import Formula
    >>> leading_text(("Is  ", Formula("", r"x^2 \ge 0"), " for all real x?"), 23)
    'Is $x^2 \\ge 0$ for all'
    >>> leading_text(("Is ", Formula("", "x^2 + 1"), " so?"), 8)
    'Is'
    """
    said: list[str] = []
    left = length
    for piece in content:
        text = " ".join(piece.split()) if isinstance(piece, str) else plain_text((piece,))
        if len(text) <= left:
            said.append(text)
            left -= len(text) + 1
            continue
        if isinstance(piece, str):
            said.append(text[: max(0, left + 1)].rpartition(" ")[0])
        break
    return " ".join(filter(None, said))
