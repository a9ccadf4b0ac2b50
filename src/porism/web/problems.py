"""Failures as people and programs can read them: a page, or ``application/problem+json``."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from porism.errors import PorismError
from porism.web.templating import render

log = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"


class Refused(Exception):
    """A request that is not answered, with the status and the words for whoever sent it."""

    def __init__(self, status: int, detail: str, retry_after: int | None = None) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


def problem(request: Request, status: int, detail: str, retry_after: int | None = None) -> Response:
    """What is told of a failure: to programs as JSON, to people as a page."""
    title = HTTPStatus(status).phrase
    headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
    if request.url.path.startswith("/api/"):
        told = {"type": "about:blank", "title": title, "status": status, "detail": detail}
        return JSONResponse(told, status, headers, PROBLEM_JSON)
    page = render(request, "problem.html", status, title=title, detail=detail)
    page.headers.update(headers)
    return page


def failed(request: Request, error: Exception) -> Response:
    """What is told of a fault of ours, which the log has more of."""
    log.error("%s failed", request.url.path, exc_info=error)
    return problem(request, 500, "something went wrong here; it has been noted")


def tell_problems(app: FastAPI) -> None:
    """Have every failure that is foreseen told in that way."""

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> Response:
        return problem(request, error.status, error.detail, error.retry_after)

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        told = problem(request, error.status_code, str(error.detail))
        told.headers.update(error.headers or {})  # such as which methods are allowed
        return told

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        told = "; ".join(f"{_place(each['loc'])}: {each['msg']}" for each in error.errors())
        return problem(request, 422, told)

    @app.exception_handler(PorismError)
    def unable(request: Request, error: PorismError) -> Response:
        return problem(request, 400, str(error))


def _place(parts: tuple[int | str, ...]) -> str:
    """Which part of a request is meant, such as ``k``."""
    return ".".join(map(str, parts[1:])) or str(parts[0])
