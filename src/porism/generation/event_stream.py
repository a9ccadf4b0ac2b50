"""Server-sent events, read from bytes that arrive in pieces of any size.

The format is that of the HTML standard, section 9.2.6, with two liberties that servers of language
models take: the last event may lack its empty line, and llama.cpp once sent a field ``error``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r)")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """The data of an event, and whether the server calls it an error."""

    data: str
    is_error: bool = False


class EventStream:
    """Collects bytes and gives the events that they complete."""

    def __init__(self) -> None:
        self._buffer = b""
        self._is_first_line = True
        self._data: list[str] = []
        self._is_error = False

    def feed(self, data: bytes) -> list[ServerEvent]:
        """Return the events that end in these bytes."""
        return self._events(self._buffer + data, is_last=False)

    def end(self) -> list[ServerEvent]:
        """Return what is left when no more bytes come."""
        return [*self._events(self._buffer + b"\n", is_last=True), *self._dispatched()]

    def _events(self, data: bytes, *, is_last: bool) -> list[ServerEvent]:
        events: list[ServerEvent] = []
        end = 0
        for match in _LINE.finditer(data):
            # A carriage return at the very end may be the first half of a line's end.
            if match.end() == len(data) and data.endswith(b"\r") and not is_last:
                break
            end = match.end()
            events += self._line(match[1])
        self._buffer = data[end:]
        return events

    def _line(self, line: bytes) -> list[ServerEvent]:
        if self._is_first_line:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._is_first_line = False
        if not line:
            return self._dispatched()
        field, _, value = line.decode("utf-8", errors="replace").partition(":")
        value = value.removeprefix(" ")
        if field in ("data", "error"):
            self._data.append(value)
        if field == "error" or (field == "event" and value == "error"):
            self._is_error = True
        return []

    def _dispatched(self) -> list[ServerEvent]:
        events = [ServerEvent("\n".join(self._data), self._is_error)] if self._data else []
        self._data = []
        self._is_error = False
        return events
