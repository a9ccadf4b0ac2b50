"""Error responses: a page for people, ``application/problem+json`` for programs."""

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
"""The status in metrics of a request whose client disconnected."""

TOO_COSTLY = 422
"""The status of a request that exceeds its CPU time; sending it again would fail too."""


class ProblemType(StrEnum):
    """The stable name of a kind of error, whatever its message."""

    BAD_REQUEST = "urn:porism:problem:bad-request"
    NOT_FOUND = "urn:porism:problem:not-found"
    METHOD = "urn:porism:problem:method-not-allowed"
    TOO_LARGE = "urn:porism:problem:too-large"
    PARAMETER = "urn:porism:problem:invalid-parameter"
    RATE = "urn:porism:problem:too-many-requests"
    INTERNAL = "urn:porism:problem:internal-error"
    CROSS_SITE = "urn:porism:problem:cross-site"
    SLOW = "urn:porism:problem:too-slow"
    HOST = "urn:porism:problem:wrong-host"
    COSTLY = "urn:porism:problem:too-costly"
    BUSY = "urn:porism:problem:busy"
    NO_INDEX = "urn:porism:problem:index-unavailable"
    MODEL = "urn:porism:problem:model-failed"
    MODEL_SLOW = "urn:porism:problem:model-too-slow"
    OTHER = "about:blank"


_TYPES = {
    400: ProblemType.BAD_REQUEST,
    403: ProblemType.CROSS_SITE,
    404: ProblemType.NOT_FOUND,
    405: ProblemType.METHOD,
    408: ProblemType.SLOW,
    413: ProblemType.TOO_LARGE,
    421: ProblemType.HOST,
    422: ProblemType.PARAMETER,
    429: ProblemType.RATE,
    500: ProblemType.INTERNAL,
    502: ProblemType.MODEL,
    504: ProblemType.MODEL_SLOW,
}


def problem_type(status: int, retry_after: int | None = None) -> ProblemType:
    """The type for a status. A busy server says when to retry; a missing index does not."""
    if status == 503:
        return ProblemType.NO_INDEX if retry_after is None else ProblemType.BUSY
    return _TYPES.get(status, ProblemType.OTHER)


class RequestRefused(Exception):
    """A request that is refused, with the status and the message of the response."""

    def __init__(self, status: int, detail: str, retry_after: int | None = None) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


def problem_record(
    status: int, detail: str, retry_after: int | None = None, kind: ProblemType | None = None
) -> dict[str, object]:
    """The fields of RFC 9457."""
    return {
        "type": kind or problem_type(status, retry_after),
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }


def problem_of(path: str, error: Exception) -> dict[str, object]:
    """The record of an error in the midst of a response; an unexpected one is logged."""
    if isinstance(error, RequestRefused):
        return problem_record(error.status, error.detail, error.retry_after)
    if isinstance(error, PorismError):
        return problem_record(400, str(error))
    log.error("%s failed", path, exc_info=error)
    return problem_record(500, UNEXPECTED)


UNEXPECTED = "an internal error occurred; it has been logged"


def problem_response(
    request: Request,
    status: int,
    detail: str,
    retry_after: int | None = None,
    kind: ProblemType | None = None,
) -> Response:
    """The response to a failed request: JSON below ``/api``, else a page.

    ``kind`` defaults to the type of the status.
    """
    headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
    if f"{request.url.path}/".startswith("/api/"):
        problem = problem_record(status, detail, retry_after, kind)
        return JSONResponse(problem, status, headers, PROBLEM_JSON)
    title = HTTPStatus(status).phrase
    page = render(request, "problem.html", status, title=title, detail=detail)
    page.headers.update(headers)
    return page


def internal_error(request: Request, error: Exception) -> Response:
    """The response to an unexpected error, which is logged."""
    log.error("%s failed", request.url.path, exc_info=error)
    return problem_response(request, 500, UNEXPECTED)


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every expected error with ``problem_response``."""

    @app.exception_handler(RequestRefused)
    def refused(request: Request, error: RequestRefused) -> Response:
        return problem_response(request, error.status, error.detail, error.retry_after)

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        response = problem_response(request, error.status_code, str(error.detail))
        response.headers.update(error.headers or {})  # such as Allow
        return response

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        detail = "; ".join(f"{_parameter(each['loc'])}: {each['msg']}" for each in error.errors())
        return problem_response(request, 422, detail)

    app.exception_handler(ClientDisconnect)(client_gone)
    app.exception_handler(Cancelled)(client_gone)

    @app.exception_handler(DeadlineExceeded)
    def too_costly(request: Request, error: DeadlineExceeded) -> Response:
        return problem_response(request, TOO_COSTLY, str(error), None, ProblemType.COSTLY)

    @app.exception_handler(PorismError)
    def failed(request: Request, error: PorismError) -> Response:
        return problem_response(request, 400, str(error))


def client_gone(request: Request, error: Exception) -> Response:
    """The response, which nobody reads, to a client that disconnected."""
    return Response(status_code=CLIENT_GONE)


def _parameter(parts: tuple[int | str, ...]) -> str:
    """The name of a parameter, such as ``k``."""
    return ".".join(map(str, parts[1:])) or str(parts[0])
