"""Server-sent events, whose data is JSON."""

from __future__ import annotations

import json

EVENT_STREAM = "text/event-stream"

HEADERS = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx would send them all at the end
}

COMMENT = ":\n\n"
"""What clients ignore, and what keeps a connection open."""


def server_event(name: str, value: object) -> str:
    r"""An event. JSON has no line ends, and only ASCII here, so a value cannot end its event.

    >>> server_event("text", "a\nb \x1b[31m")
    'event: text\ndata: "a\\nb \\u001b[31m"\n\n'
    """
    return f"event: {name}\ndata: {json.dumps(value)}\n\n"
