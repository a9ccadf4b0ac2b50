"""Failures as people and programs can read them: a page, or ``application/problem+json``."""

from __future__ import annotations

import logging
from enum import StrEnum
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from porism.deadlines import Cancelled, DeadlineExceeded
from porism.errors import PorismError
from porism.web.page_templates import render

log = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"

CLIENT_GONE = 499
"""What is noted where a client went before it had sent all; nobody is there to read it."""

TOO_COSTLY = 422
"""The status of what takes more computing time than a request may; asking again would, too."""


class ProblemType(StrEnum):
    """What kind of failure it is, by a name that stays, whatever words tell of it."""

    NOT_DONE = "urn:porism:problem:not-done"
    NOT_FOUND = "urn:porism:problem:not-found"
    METHOD = "urn:porism:problem:method-not-allowed"
    TOO_LARGE = "urn:porism:problem:too-large"
    PARAMETER = "urn:porism:problem:invalid-parameter"
    RATE = "urn:porism:problem:too-many-requests"
    FAULT = "urn:porism:problem:internal-fault"
    CROSS_SITE = "urn:porism:problem:cross-site"
    SLOW = "urn:porism:problem:too-slow"
    HOST = "urn:porism:problem:wrong-host"
    COSTLY = "urn:porism:problem:too-costly"
    BUSY = "urn:porism:problem:busy"
    NO_INDEX = "urn:porism:problem:index-unavailable"
    OTHER = "about:blank"


_TYPES = {
    400: ProblemType.NOT_DONE,
    403: ProblemType.CROSS_SITE,
    404: ProblemType.NOT_FOUND,
    405: ProblemType.METHOD,
    408: ProblemType.SLOW,
    413: ProblemType.TOO_LARGE,
    421: ProblemType.HOST,
    422: ProblemType.PARAMETER,
    429: ProblemType.RATE,
    500: ProblemType.FAULT,
}


def problem_type(status: int, retry_after: int | None = None) -> ProblemType:
    """The kind of a failure. Who is too busy says when to come back; a missing index does not."""
    if status == 503:
        return ProblemType.NO_INDEX if retry_after is None else ProblemType.BUSY
    return _TYPES.get(status, ProblemType.OTHER)


class RequestRefused(Exception):
    """A request that is not answered, with the status and the words for whoever sent it."""

    def __init__(self, status: int, detail: str, retry_after: int | None = None) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


def problem_response(
    request: Request,
    status: int,
    detail: str,
    retry_after: int | None = None,
    kind: ProblemType | None = None,
) -> Response:
    """What is told of a failure: to programs as JSON, to people as a page.

    ``kind`` is that of the status, if it is not said.
    """
    title = HTTPStatus(status).phrase
    headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
    if f"{request.url.path}/".startswith("/api/"):
        kind = kind or problem_type(status, retry_after)
        told = {"type": kind, "title": title, "status": status, "detail": detail}
        return JSONResponse(told, status, headers, PROBLEM_JSON)
    page = render(request, "problem.html", status, title=title, detail=detail)
    page.headers.update(headers)
    return page


def internal_error(request: Request, error: Exception) -> Response:
    """What is told of a fault of ours, which the log has more of."""
    log.error("%s failed", request.url.path, exc_info=error)
    return problem_response(request, 500, "something went wrong here; it has been noted")


def add_problem_handlers(app: FastAPI) -> None:
    """Have every failure that is foreseen told in that way."""

    @app.exception_handler(RequestRefused)
    def refused(request: Request, error: RequestRefused) -> Response:
        return problem_response(request, error.status, error.detail, error.retry_after)

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        told = problem_response(request, error.status_code, str(error.detail))
        told.headers.update(error.headers or {})  # such as which methods are allowed
        return told

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        told = "; ".join(f"{_place(each['loc'])}: {each['msg']}" for each in error.errors())
        return problem_response(request, 422, told)

    app.exception_handler(ClientDisconnect)(client_gone)
    app.exception_handler(Cancelled)(client_gone)

    @app.exception_handler(DeadlineExceeded)
    def costly(request: Request, error: DeadlineExceeded) -> Response:
        return problem_response(request, TOO_COSTLY, str(error), None, ProblemType.COSTLY)

    @app.exception_handler(PorismError)
    def unable(request: Request, error: PorismError) -> Response:
        return problem_response(request, 400, str(error))


def client_gone(request: Request, error: Exception) -> Response:
    """What is noted of a request that was given up; nobody reads it."""
    return Response(status_code=CLIENT_GONE)


def _place(parts: tuple[int | str, ...]) -> str:
    """Which part of a request is meant, such as ``k``."""
    return ".".join(map(str, parts[1:])) or str(parts[0])
