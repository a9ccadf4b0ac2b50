"""The fields of a form that a browser sends as most do: ``application/x-www-form-urlencoded``."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Request

from porism.web.problems import Refused

MOST_FIELDS = 2_000
"""A wish for each topic of the largest labs, and some."""

Form = dict[str, str]
"""The values by name; of a name that is there twice the last counts."""


async def sent_form(request: Request) -> Form:
    """What a form has, as a dependency of the handlers; the application bounds its size."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refused(415, "A form is expected here.")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qsl(
            body, keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise Refused(400, f"This is no form that was made here: {error}.") from error
    return dict(fields)
