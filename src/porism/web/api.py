"""The REST interface: what the pages show, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from porism import __version__, catalog, deadlines
from porism.collection.store import Thread
from porism.errors import FormatError, LatexError
from porism.formula.conversion import convert
from porism.model import DocId, Post, Task, plain_text
from porism.pages.topic_hits import comments_html, post_body_html
from porism.rank.filters import PostFilter
from porism.rank.result_records import search_record
from porism.rank.results import explained, search_results
from porism.rank.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.searchindex.index_folder import SearchIndex
from porism.web.current_index import index_of_request
from porism.web.schemas import (
    MOST_EXPLAINED,
    CommentResponse,
    ConvertProblem,
    ConvertRequest,
    ConvertResponse,
    HealthResponse,
    LinkedQuestion,
    PostResponse,
    ProblemResponse,
    SearchQuery,
    SearchResponse,
    ThreadResponse,
)
from porism.web.server.guard import in_side_thread
from porism.web.server.limits import too_large_message
from porism.web.server.problems import PROBLEM_JSON, RequestRefused, problem_type

_FAILURES = {
    400: ("the request cannot be done", "there is no system 'none'"),
    403: (
        "the request was sent by a page of another site, which --origin does not name",
        "the request was sent by a page of another site and is not answered",
    ),
    404: ("there is no such thing", "there is no post 99999999"),
    405: ("the address is for other methods, which Allow names", "Method Not Allowed"),
    408: (
        "the body of the request did not arrive in time",
        "the body of the request did not arrive within 20 seconds",
    ),
    413: ("the request is too large", too_large_message(200_000)),
    421: (
        "the request was sent to a name that this server does not answer to",
        "the request was sent to the host 'evil.example', which this server does not answer to; "
        "start it with --allow-host NAME to allow a name",
    ),
    422: (
        "a parameter is not what it should be, or the request takes too much computing time",
        "q: Field required",
    ),
    429: (
        "too many requests from this address; Retry-After says when to come back",
        "too many requests from this address; wait a moment",
    ),
    500: ("a fault of ours", "something went wrong here; it has been noted"),
    503: (
        "too many searches are waiting, then Retry-After says when to come back; or the index "
        "cannot be read",
        "too many requests wait; try again soon",
    ),
}
"""Of each failure what it means, and the words of an example."""


def _described(status: int, meaning: str, detail: str) -> dict[str, object]:
    """A failure as the description of the interface has it."""
    example = ProblemResponse(
        type=problem_type(status, retry_after=1),
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
    )
    # Not by FastAPI's ``model``, which would promise it as application/json.
    told = {"schema": ProblemResponse.model_json_schema(), "example": example.model_dump()}
    return {"description": meaning, "content": {PROBLEM_JSON: told}}


router = APIRouter(
    prefix="/api",
    tags=["search"],
    responses={status: _described(status, *told) for status, told in _FAILURES.items()},
)

Id = Annotated[str, Path(max_length=300, description="the id of a post", examples=["101"])]


@router.get("/search", response_model=SearchResponse)
def search(request: Request, asked: Annotated[SearchQuery, Query()]) -> JSONResponse:
    """Answers to a question in words and formulas."""
    return _search_response(request, asked, typed_answer_topic(asked.q), Task.ANSWERS)


@router.get("/formulas", response_model=SearchResponse)
def formulas(request: Request, asked: Annotated[SearchQuery, Query()]) -> JSONResponse:
    """Formulas like one, each in a post; ``?x`` is a wildcard."""
    return _search_response(request, asked, typed_formula_topic(asked.q), Task.FORMULAS)


def _search_response(
    request: Request, asked: SearchQuery, typed: TypedTopic, task: Task
) -> JSONResponse:
    narrowing = PostFilter(tuple(asked.tag), asked.since, asked.until, asked.votes, asked.accepted)
    library = index_of_request(request)
    name, ranker = catalog.default_ranker(task, library, asked.system)
    found = search_results(library, ranker, typed, asked.k, narrowing)
    if asked.explain:
        first, others = found.results[:MOST_EXPLAINED], found.results[MOST_EXPLAINED:]
        first = explained(ranker, typed.topic, first, narrowing)
        found = replace(found, results=(*first, *others))
    # Sent as it is: to check each piece of each passage against the schema takes milliseconds, and
    # tests do that.
    return JSONResponse({**search_record(found), "system": name})


@router.get("/posts/{post_id:path}")
def post(request: Request, post_id: Id) -> PostResponse:
    """One post."""
    library = index_of_request(request)
    found = _post(library, post_id)
    parent = library.collection.post(found.parent_id) if found.parent_id else None
    return _post_response(library, found, parent)


@router.get("/threads/{post_id:path}")
def thread(request: Request, post_id: Id) -> ThreadResponse:
    """The thread that a post is in, with its comments and the questions that it is linked with."""
    library = index_of_request(request)
    _post(library, post_id)
    found = library.collection.thread(post_id)
    posts = (found.question, *found.answers)
    return ThreadResponse(
        question=_post_response(library, found.question, None),
        answers=[_post_response(library, each, found.question) for each in found.answers],
        comments=[told for post in posts for told in _comments(library, found, post.id)],
        links=[
            LinkedQuestion(
                id=each.id, kind=each.kind, title=plain_text(each.title), is_here=each.is_here
            )
            for each in found.related
        ],
    )


def _comments(library: SearchIndex, thread: Thread, post_id: DocId) -> Iterator[CommentResponse]:
    comments = thread.comments.get(post_id, ())
    texts = comments_html(library.collection, comments)
    for comment, html in zip(comments, texts, strict=True):
        yield CommentResponse(
            id=comment.id,
            post_id=post_id,
            text=plain_text(comment.text),
            html=html,
            votes=comment.score,
            created=comment.created,
        )


def _post(library: SearchIndex, post_id: str) -> Post:
    if library.collection.find_number(post_id) is None:
        raise RequestRefused(404, f"there is no post {post_id}")
    return library.collection.post(post_id)


def _post_response(library: SearchIndex, post: Post, question: Post | None) -> PostResponse:
    return PostResponse(
        id=post.id,
        kind=post.kind,
        parent_id=post.parent_id,
        title=plain_text(post.title),
        text=plain_text(post.body),
        html=post_body_html(library.collection, post.id),
        tags=list(post.tags),
        votes=post.score,
        created=post.created,
        is_accepted=question is not None and question.accepted_id == post.id,
    )


@router.post("/convert")
def convert_formula(asked: ConvertRequest) -> ConvertResponse:
    """A formula as MathML, trees, features or LaTeX."""
    forms: dict[str, str | list[str]] = {}
    problems: list[ConvertProblem] = []
    try:
        for target in asked.to:
            deadlines.check()
            value, found = convert(asked.source, asked.form, target)
            forms[target.value] = value
            problems = [ConvertProblem(offset=each.offset, message=each.message) for each in found]
    except (LatexError, FormatError) as error:
        raise RequestRefused(400, str(error)) from error
    return ConvertResponse(forms=forms, problems=problems)


HEALTH = "/api/health"


@router.get("/health", tags=["service"])
async def health(request: Request) -> HealthResponse:
    """That the service is there, and what it serves."""
    return await in_side_thread(_health, request)  # however many searches there are


def _health(request: Request) -> HealthResponse:
    library = index_of_request(request)
    return HealthResponse(
        status="ok",
        version=__version__,
        answers=library.answers.documents,
        formulas=library.formulas.documents,
        fingerprint=library.fingerprint,
    )


_COUNTED = 'porism_requests_total{route="/api/search",status="200"} 12.0\n'


@router.get(
    "/metrics",
    tags=["service"],
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": _COUNTED}}}},
)
def metrics(request: Request) -> str:
    """Counters for Prometheus."""
    text: str = request.app.state.metrics.text()
    return text
