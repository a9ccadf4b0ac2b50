"""The errors of the REST interface for its OpenAPI description."""

from __future__ import annotations

from http import HTTPStatus

from porism.web.schemas import ProblemResponse
from porism.web.server.limits import too_large_message
from porism.web.server.problems import PROBLEM_JSON, problem_type

_ERRORS = {
    400: ("the request is invalid", "there is no system 'none'"),
    403: (
        "the request was sent by a page of another site, which --origin does not name",
        "the request was sent by a page of another site",
    ),
    404: ("not found", "there is no post 99999999"),
    405: ("the method is not allowed; Allow names those that are", "Method Not Allowed"),
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
        "a parameter is invalid, or the request takes too much CPU time",
        "q: Field required",
    ),
    429: (
        "too many requests from this address; Retry-After says when to retry",
        "too many requests from this address; wait a moment",
    ),
    500: ("internal error", "an internal error occurred; it has been logged"),
    502: (
        "the language model of the server gave no answer",
        "the language model failed; the log of the server says why",
    ),
    503: (
        "too many requests are waiting, or the language model is busy, and Retry-After says when "
        "to retry; or the index cannot be read",
        "too many requests; try again soon",
    ),
    504: (
        "the language model of the server took too long",
        "the language model took more than 120 s and was stopped",
    ),
}
"""The meaning of each error status, and an example of its message."""


def _described(status: int, meaning: str, detail: str) -> dict[str, object]:
    """An error response for the OpenAPI description."""
    example = ProblemResponse(
        type=problem_type(status, retry_after=1),
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
    )
    # FastAPI's ``model`` would describe it as application/json.
    content = {"schema": ProblemResponse.model_json_schema(), "example": example.model_dump()}
    return {"description": meaning, "content": {PROBLEM_JSON: content}}


ERROR_RESPONSES: dict[int | str, dict[str, object]] = {
    status: _described(status, *error) for status, error in _ERRORS.items()
}
"""The error responses of every operation."""
