"""The body of a response, streamed or whole, as the JSON documents in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from porism.generation.event_stream import EventStream, ServerEvent
from porism.generation.generator import GenerationError
from porism.generation.response_chunks import ReportedError, error_message

_DONE = "[DONE]"
_SPACE = b"\xef\xbb\xbf \t\r\n"


class ResponseBody:
    """Collects bytes and gives the documents that they complete.

    A server that ignores ``stream`` answers with one JSON document. The first character tells the
    two apart, because servers give either of them various content types.
    """

    def __init__(self) -> None:
        self._unread = b""
        self._events: EventStream | None = None
        self._has_events = False
        self._whole: list[bytes] = []
        self.is_done = False
        """Whether the server said that nothing more comes."""

    def feed(self, data: bytes) -> Iterable[object]:
        """Return the documents that end in these bytes; an error comes after those before it."""
        if self._events is not None:
            return self._documents(self._events.feed(data))
        if self._whole:
            self._whole.append(data)
            return []
        self._unread += data
        start = self._unread.lstrip(_SPACE)
        if not start:
            return []
        if start.startswith(b"<"):
            raise GenerationError(
                "answered with a web page instead of JSON; the address should be that of the API,"
                " which usually ends in /v1"
            )
        if start.startswith((b"{", b"[")):
            self._whole.append(start)
            return []
        self._events = EventStream()
        return self._documents(self._events.feed(self._unread))

    def end(self) -> Iterable[object]:
        """Return what is left when no more bytes come."""
        if self._events is not None:
            return self._last_documents(self._events.end())
        if not self._whole:
            raise GenerationError("answered with nothing")
        self.is_done = True
        return [_document(b"".join(self._whole).decode("utf-8", errors="replace"))]

    def _last_documents(self, events: list[ServerEvent]) -> Iterator[object]:
        yield from self._documents(events)
        if not self._has_events:
            raise GenerationError("answered with neither JSON nor events of a stream")

    def _documents(self, events: list[ServerEvent]) -> Iterator[object]:
        self._has_events |= bool(events)
        for event in events:
            if self.is_done or not event.data.strip():
                continue
            if event.data.strip() == _DONE:
                self.is_done = True
                continue
            if event.is_error:
                raise ReportedError(_reported(event.data))
            yield _document(event.data)


def _document(text: str) -> object:
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GenerationError(f"answered with what is not JSON: {text!r}") from error
    return document


def _reported(data: str) -> str:
    try:
        return error_message(_document(data))
    except GenerationError:  # some servers send the bare message
        return " ".join(data.split())
