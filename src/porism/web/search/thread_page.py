"""The page of a thread, with the terms of the search marked in it."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from porism.collection.store import Collection, Thread
from porism.model import Content, PostKind, plain_text
from porism.pages.thread import ThreadContext, thread_html, thread_title
from porism.query.operators import post_of_address
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.search.highlights import (
    MOST_FORMULAS,
    FormulaHighlighter,
    highlighted_words,
    search_terms,
)
from porism.web.search.post_tools import post_tools
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
"""Characters of a question used to search for its duplicates."""


@router.get("/threads")
@router.get("/threads/{post_id:path}")
def thread_page(request: Request, post_id: str = "") -> Response:
    """The thread of a post; the address of an answer redirects to the answer in its thread."""
    if not post_id:
        raise RequestRefused(
            404,
            "The address of a thread is /threads/ID, where ID is the id of a post.",
        )
    search_index = index_of_request(request)
    collection = search_index.collection
    if collection.find_number(post_id) is None:
        raise RequestRefused(404, f"There is no post {post_id[:100]} in this collection.")
    parent = collection.parent(post_id)
    if parent is not None:
        return RedirectResponse(_at_post(request, parent, post_id), 302)
    search = _request(request)
    terms = search_terms(search_index, search)
    formulas = FormulaHighlighter(terms)
    thread = collection.thread(post_id)
    question = thread.question
    context = ThreadContext(
        render_text=highlighted_words(terms),
        marker=formulas,
        tag_address=lambda tag: _tag_address(search, tag),
        thread_address=lambda other: f"/threads/{quote(other)}",
        address_here=lambda address: _address_here(collection, address),
        similar_address=similar_address,
        post_tools=lambda post: post_tools(request, collection, post, question),
    )
    return render(
        request,
        "thread.html",
        title=thread_title(question),
        thread=Markup(thread_html(thread, collection, context)),
        most_marked=MOST_FORMULAS if formulas.is_cut else None,
        is_question=question.kind is PostKind.QUESTION,
        duplicates=SearchRequest(
            _search_text(thread), SearchTarget.QUESTIONS, excluded_thread=question.id
        ).address,
        answers=SearchRequest(
            _search_text(thread), SearchTarget.ANSWERS, excluded_thread=question.id
        ).address,
        back="" if search.is_empty else search.address,
    )


def _address_here(collection: Collection, address: str) -> str:
    """The address here of the post that an address of its site leads to, if it is here."""
    post_id = post_of_address(address)
    is_here = post_id != "" and collection.find_number(post_id) is not None
    return f"/threads/{quote(post_id)}" if is_here else ""


def _at_post(request: Request, thread_id: str, post_id: str) -> str:
    """The address of a post in its thread, with the parameters of the request."""
    query = urlencode(request.query_params.multi_items())
    return f"/threads/{quote(thread_id)}{'?' if query else ''}{query}#post-{quote(post_id)}"


def _request(request: Request) -> SearchRequest:
    """The search that led here; a query that is too long is ignored."""
    search = parse_search_request(request.query_params).search
    return SearchRequest() if len(search.text) > LONGEST_TEXT else search


def _tag_address(search: SearchRequest, tag: str) -> str:
    """The search that led here, or one for the words of the tag, among posts with the tag."""
    text = search.text if not search.is_empty else tag.replace("-", " ")
    return SearchRequest(text, search.target, {"tag": (tag,)}).address


def _search_text(thread: Thread) -> str:
    """The title of a question, or the beginning of its text if it has none."""
    return leading_text(thread.question.title or thread.question.body, LONGEST_SEARCH)


def leading_text(content: Content, length: int) -> str:
    r"""The beginning of a text, with formulas between dollars, which are not cut.

    >>> from porism.model import Formula
    >>> leading_text(("Is  ", Formula("", r"x^2 \ge 0"), " for all real x?"), 23)
    'Is $x^2 \\ge 0$ for all'
    >>> leading_text(("Is ", Formula("", "x^2 + 1"), " so?"), 8)
    'Is'
    """
    texts: list[str] = []
    left = length
    for piece in content:
        text = " ".join(piece.split()) if isinstance(piece, str) else plain_text((piece,))
        if len(text) <= left:
            texts.append(text)
            left -= len(text) + 1
            continue
        if isinstance(piece, str):
            texts.append(text[: max(0, left + 1)].rpartition(" ")[0])
        break
    return " ".join(filter(None, texts))
