"""The fields of a form that a browser sends as most do: ``application/x-www-form-urlencoded``."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Request

from porism.web.server.problems import RequestRefused

MAX_FIELDS = 2_000
"""A wish for each topic of the largest labs, and some."""

FormFields = dict[str, str]
"""The values by name; of a name that is there twice the last counts."""


async def submitted_form(request: Request) -> FormFields:
    """What a form has, as a dependency of the handlers; the application bounds its size."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RequestRefused(415, "A form is expected here.")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qsl(
            body, keep_blank_values=True, errors="replace", max_num_fields=MAX_FIELDS
        )
    except ValueError as error:
        raise RequestRefused(400, f"This is no form that was made here: {error}.") from error
    return dict(fields)
