"""The fields of a form sent as ``application/x-www-form-urlencoded``."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Request

from porism.web.server.problems import RequestRefused

MAX_FIELDS = 2_000
"""A wish for each topic of the largest labs, with room to spare."""

FormFields = dict[str, str]
"""Values by name; the last one of a repeated name."""


async def submitted_form(request: Request) -> FormFields:
    """The fields of a form, as a dependency of handlers; the application limits its size."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RequestRefused(415, "Expected a form.")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qsl(
            body, keep_blank_values=True, errors="replace", max_num_fields=MAX_FIELDS
        )
    except ValueError as error:
        raise RequestRefused(400, f"Malformed form: {error}.") from error
    return dict(fields)
