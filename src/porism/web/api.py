"""The REST interface: what the pages show, for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from porism import __version__, catalog
from porism.errors import FormatError, LatexError
from porism.formula.convert import convert
from porism.index import Part
from porism.indexing.library import Library
from porism.model import Post
from porism.pages.topic_answers import post_body
from porism.rank.narrowing import Narrowing
from porism.rank.result_records import found_record, plain_text
from porism.rank.results import explained, find
from porism.rank.typed import Typed, typed_answer_topic, typed_formula_topic
from porism.web.problems import PROBLEM_JSON, Refused
from porism.web.schemas import (
    ConvertProblem,
    ConvertRequest,
    ConvertResponse,
    HealthResponse,
    PostResponse,
    ProblemResponse,
    SearchQuery,
    SearchResponse,
    ThreadResponse,
)
from porism.web.served import library_of

_FAILURES = {
    status: {"model": ProblemResponse, "content": {PROBLEM_JSON: {}}, "description": why}
    for status, why in {
        400: "the request cannot be done",
        404: "there is no such thing",
        422: "a parameter is not what it should be",
        429: "too many requests from this address",
        503: "too many searches are waiting",
    }.items()
}

router = APIRouter(prefix="/api", tags=["search"], responses=_FAILURES)  # type: ignore[arg-type]

Id = Annotated[str, Path(max_length=300)]


@router.get("/search", response_model=SearchResponse)
def search(request: Request, asked: Annotated[SearchQuery, Query()]) -> JSONResponse:
    """Answers to a question in words and formulas."""
    return _found(request, asked, typed_answer_topic(asked.q), catalog.ANSWERS_TASK)


@router.get("/formulas", response_model=SearchResponse)
def formulas(request: Request, asked: Annotated[SearchQuery, Query()]) -> JSONResponse:
    """Formulas like one, each in a post; ``?x`` is a wildcard."""
    return _found(request, asked, typed_formula_topic(asked.q), catalog.FORMULAS_TASK)


def _found(request: Request, asked: SearchQuery, typed: Typed, task: int) -> JSONResponse:
    narrowing = Narrowing(tuple(asked.tag), asked.since, asked.until, asked.votes, asked.accepted)
    with request.app.state.turns.one():
        library = library_of(request)
        name = asked.system or catalog.best_name(task, library)
        ranker = catalog.ranker(name, task, library)
        found = find(library, ranker, typed, asked.k, narrowing)
        parts: list[tuple[Part, ...]] = []
        if asked.explain:
            parts = [explained(library, ranker, typed.topic, each) for each in found.results]
    # Sent as it is: to check each piece of each passage against the schema takes milliseconds, and
    # tests do that.
    return JSONResponse({**found_record(found, parts), "system": name})


@router.get("/posts/{post_id:path}")
def post(request: Request, post_id: Id) -> PostResponse:
    """One post."""
    library = library_of(request)
    found = _post(library, post_id)
    parent = library.collection.post(found.parent_id) if found.parent_id else None
    return _post_response(library, found, parent)


@router.get("/threads/{post_id:path}")
def thread(request: Request, post_id: Id) -> ThreadResponse:
    """The thread that a post is in."""
    library = library_of(request)
    _post(library, post_id)
    found = library.collection.thread(post_id)
    return ThreadResponse(
        question=_post_response(library, found.question, None),
        answers=[_post_response(library, each, found.question) for each in found.answers],
    )


def _post(library: Library, post_id: str) -> Post:
    if library.collection.find_number(post_id) is None:
        raise Refused(404, f"there is no post {post_id}")
    return library.collection.post(post_id)


def _post_response(library: Library, post: Post, question: Post | None) -> PostResponse:
    return PostResponse(
        id=post.id,
        kind=post.kind,
        parent_id=post.parent_id,
        title=plain_text(post.title),
        text=plain_text(post.body),
        html=post_body(library.collection, post.id),
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
            value, found = convert(asked.source, asked.form, target)
            forms[target.value] = value
            problems = [ConvertProblem(offset=each.offset, message=each.message) for each in found]
    except (LatexError, FormatError) as error:
        raise Refused(400, str(error)) from error
    return ConvertResponse(forms=forms, problems=problems)


@router.get("/health", tags=["service"])
def health(request: Request) -> HealthResponse:
    """That the service is there, and what it serves."""
    library = library_of(request)
    return HealthResponse(
        status="ok",
        version=__version__,
        answers=library.answers.documents,
        formulas=library.formulas.documents,
        fingerprint=library.fingerprint,
    )


@router.get("/metrics", tags=["service"], response_class=PlainTextResponse)
def metrics(request: Request) -> str:
    """Counters for Prometheus."""
    text: str = request.app.state.metrics.text()
    return text
