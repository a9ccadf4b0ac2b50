"""Error responses of the assessment: pages for people, problem JSON for the script.

The script must know which judgments to send again: a status below 500 means that sending the same
again is useless, except for 401, 408, 421 and 429.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from porism.assess.judgments.database import AssessmentConflict, DatabaseUnavailable, NotPermitted
from porism.deadlines import Cancelled, DeadlineExceeded
from porism.errors import PorismError
from porism.web.assessment.authentication import (
    COOKIE,
    SIGN_IN,
    SIGN_OUT,
    SignInRequired,
    signed_in,
    store_of,
)
from porism.web.page_templates import render
from porism.web.server.problems import (
    PROBLEM_JSON,
    TOO_COSTLY,
    RequestRefused,
    client_gone,
    problem_type,
)

log = logging.getLogger(__name__)

JUDGMENTS_PATH = "/judgments"
"""Where the script sends judgments; errors there are JSON."""

_STATUS: dict[type[PorismError], int] = {
    NotPermitted: 403,
    AssessmentConflict: 409,
    DatabaseUnavailable: 503,
    DeadlineExceeded: TOO_COSTLY,
}
FULL_DISK = 507


def error_response(
    request: Request, status: int, detail: str, retry_after: int | None = None
) -> Response:
    """An error: JSON for the script, a page for people."""
    title = HTTPStatus(status).phrase
    headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
    if _is_script(request):
        kind = problem_type(status, retry_after)
        problem = {"type": kind, "title": title, "status": status, "detail": detail}
        return JSONResponse(problem, status, headers, PROBLEM_JSON)
    page = render(request, "assess_problem.html", status, title=title, detail=detail)
    page.headers.update(headers)
    return page


def internal_error(request: Request, error: Exception) -> Response:
    """The response to an unexpected error, which is logged in full."""
    log.error("%s failed", request.url.path, exc_info=error)
    return error_response(request, 500, "Something went wrong here; it has been logged.")


def is_cross_site(request: Request) -> bool:
    """Whether a page of another site sent this, whatever the cookies say.

    Browsers say where a request comes from; anything else is a program, which has no cookie that
    it was not given.
    """
    if request.method in ("GET", "HEAD"):
        return False
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")


def early_refusal(request: Request) -> Response | None:
    """The response to a changing request that is refused before its body is read; else None.

    It must come from a page of ours and from somebody who is signed in.
    """
    if is_cross_site(request):
        return error_response(
            request, 403, "This was sent from a page of another site; nothing was done."
        )
    if request.url.path in (SIGN_IN, SIGN_OUT):
        return None
    try:
        signed_in(request)
    except SignInRequired as error:
        return _sign_in_response(request, error)
    except PorismError as error:
        return _error_page(request, error)
    return None


def _sign_in_response(request: Request, error: SignInRequired) -> Response:
    if request.method == "GET" and not _is_script(request):
        address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        answer: Response = RedirectResponse(f"{SIGN_IN}?to={quote(address, safe='/')}", 303)
    else:
        answer = error_response(
            request, 401, "Sign in again: your token is missing or no longer valid."
        )
    if COOKIE in request.cookies:
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _error_page(request: Request, error: PorismError) -> Response:
    status = _STATUS.get(type(error), 400)
    store = store_of(request)
    detail = str(error).replace(str(store.path), store.path.name)  # the folder stays private
    if isinstance(error, DatabaseUnavailable):
        log.error("not written: %s", error)
        status = FULL_DISK if error.is_full else status
    return error_response(request, status, detail, 5 if status >= 500 else None)


def add_error_handlers(app: FastAPI) -> None:
    """Register handlers for all expected errors."""
    app.exception_handler(SignInRequired)(_sign_in_response)
    app.exception_handler(PorismError)(_error_page)
    app.exception_handler(Cancelled)(client_gone)
    app.exception_handler(ClientDisconnect)(client_gone)

    @app.exception_handler(RequestRefused)
    def refused(request: Request, error: RequestRefused) -> Response:
        return error_response(request, error.status, error.detail, error.retry_after)

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        answer = error_response(request, error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        places = (".".join(map(str, each["loc"][1:])) or "body" for each in error.errors())
        whys = (each["msg"] for each in error.errors())
        detail = "; ".join(f"{place}: {why}" for place, why in zip(places, whys, strict=True))
        return error_response(request, 422, detail)


def _is_script(request: Request) -> bool:
    return request.url.path.startswith(JUDGMENTS_PATH)
