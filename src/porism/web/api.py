"""The REST interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from porism import __version__, catalog, deadlines
from porism.collection.store import Thread
from porism.errors import FormatError, LatexError
from porism.formula.conversion import convert
from porism.model import DocId, Post, Task, plain_text
from porism.pages.citations import bibtex, markdown
from porism.pages.topic_hits import comments_html, post_body_html
from porism.query.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.rank.context.reasons import with_reasons
from porism.rank.result_records import search_record
from porism.rank.results import explained, search_results
from porism.searchindex.index_folder import SearchIndex
from porism.web.api_errors import ERROR_RESPONSES
from porism.web.current_index import index_of_request
from porism.web.schemas import (
    MOST_EXPLAINED,
    CitationResponse,
    CommentResponse,
    ConvertProblem,
    ConvertRequest,
    ConvertResponse,
    HealthResponse,
    LinkedQuestion,
    PostResponse,
    SearchQuery,
    SearchResponse,
    ThreadResponse,
)
from porism.web.search.post_tools import cited_post
from porism.web.server.guard import in_side_thread
from porism.web.server.problems import RequestRefused

router = APIRouter(
    prefix="/api",
    tags=["search"],
    responses=ERROR_RESPONSES,
)

Id = Annotated[str, Path(max_length=300, description="the id of a post", examples=["101"])]


@router.get("/search", response_model=SearchResponse)
def search(request: Request, query: Annotated[SearchQuery, Query()]) -> JSONResponse:
    """Answers to a question in words and formulas."""
    typed = typed_answer_topic(query.q, query.words)
    return _search_response(request, query, typed, Task.ANSWERS)


@router.get("/formulas", response_model=SearchResponse)
def formulas(request: Request, query: Annotated[SearchQuery, Query()]) -> JSONResponse:
    """Formulas similar to one, each in a post; ``?x`` is a wildcard."""
    typed = typed_formula_topic(query.q, query.words)
    return _search_response(request, query, typed, Task.FORMULAS)


def _search_response(
    request: Request, query: SearchQuery, typed: TypedTopic, task: Task
) -> JSONResponse:
    search_index = index_of_request(request)
    name, ranker = catalog.typed_search(task, search_index, query.system)
    results = search_results(search_index, ranker, typed, query.k, query.post_filter)
    if query.explain:
        first, others = results.results[:MOST_EXPLAINED], results.results[MOST_EXPLAINED:]
        first = with_reasons(search_index, results.search, explained(results.search, first))
        results = replace(results, results=(*first, *others))
    # Not validated: checking each piece of each passage against the schema takes milliseconds, and
    # tests do that.
    return JSONResponse({**search_record(results), "system": name})


@router.get("/posts/{post_id:path}")
def get_post(request: Request, post_id: Id) -> PostResponse:
    """One post."""
    search_index = index_of_request(request)
    post = _post(search_index, post_id)
    parent = search_index.collection.post(post.parent_id) if post.parent_id else None
    return _post_response(search_index, post, parent)


@router.get("/threads/{post_id:path}")
def get_thread(request: Request, post_id: Id) -> ThreadResponse:
    """The thread of a post, with its comments and linked questions."""
    search_index = index_of_request(request)
    _post(search_index, post_id)
    thread = search_index.collection.thread(post_id)
    posts = (thread.question, *thread.answers)
    return ThreadResponse(
        question=_post_response(search_index, thread.question, None),
        answers=[_post_response(search_index, each, thread.question) for each in thread.answers],
        comments=[
            comment for post in posts for comment in _comments(search_index, thread, post.id)
        ],
        links=[
            LinkedQuestion(
                id=each.id,
                kind=each.kind,
                title=plain_text(each.title),
                in_collection=each.is_here,
            )
            for each in thread.related
        ],
    )


def _comments(
    search_index: SearchIndex, thread: Thread, post_id: DocId
) -> Iterator[CommentResponse]:
    comments = thread.comments.get(post_id, ())
    texts = comments_html(search_index.collection, comments)
    for comment, html in zip(comments, texts, strict=True):
        yield CommentResponse(
            id=comment.id,
            post_id=post_id,
            text=plain_text(comment.text),
            html=html,
            votes=comment.score,
            created=comment.created,
        )


def _post(search_index: SearchIndex, post_id: str) -> Post:
    if search_index.collection.find_number(post_id) is None:
        raise RequestRefused(404, f"there is no post {post_id}")
    return search_index.collection.post(post_id)


def _post_response(search_index: SearchIndex, post: Post, question: Post | None) -> PostResponse:
    collection = search_index.collection
    cited = cited_post(collection, post, question, "")
    return PostResponse(
        id=post.id,
        kind=post.kind,
        parent_id=post.parent_id,
        title=plain_text(post.title),
        text=plain_text(post.body),
        html=post_body_html(collection, post.id),
        tags=list(post.tags),
        votes=post.score,
        created=post.created,
        is_accepted=question is not None and question.accepted_id == post.id,
        url=collection.url(post),
        citation=CitationResponse(bibtex=bibtex(cited), markdown=markdown(cited)),
    )


@router.post("/convert")
def convert_formula(body: ConvertRequest) -> ConvertResponse:
    """A formula as MathML, trees, features or LaTeX."""
    forms: dict[str, str | list[str]] = {}
    problems: list[ConvertProblem] = []
    try:
        for target in body.to:
            deadlines.check()
            value, parse_problems = convert(body.source, body.form, target)
            forms[target.value] = value
            problems = [
                ConvertProblem(offset=each.offset, message=each.message) for each in parse_problems
            ]
    except (LatexError, FormatError) as error:
        raise RequestRefused(400, str(error)) from error
    return ConvertResponse(forms=forms, problems=problems)


HEALTH = "/api/health"


@router.get("/health", tags=["service"])
async def health(request: Request) -> HealthResponse:
    """Whether the service is up, and what it serves."""
    return await in_side_thread(_health, request)  # not delayed by searches


def _health(request: Request) -> HealthResponse:
    search_index = index_of_request(request)
    return HealthResponse(
        status="ok",
        version=__version__,
        answers=search_index.answers.documents,
        formulas=search_index.formulas.documents,
        fingerprint=search_index.fingerprint,
    )


_METRICS_EXAMPLE = 'porism_requests_total{route="/api/search",status="200"} 12.0\n'


@router.get(
    "/metrics",
    tags=["service"],
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": _METRICS_EXAMPLE}}}},
)
def metrics(request: Request) -> str:
    """Counters for Prometheus."""
    text: str = request.app.state.metrics.text()
    return text
