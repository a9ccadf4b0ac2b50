"""A run that somebody sends: taken out of the body of a request, and never larger than allowed.

A form with a file needs ``multipart/form-data``, of which only what browsers send is understood:
the standard library reads the headers, and the parts are where the boundary says. A program may
send the run itself as ``text/plain``.
"""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PureWindowsPath

from fastapi import Request

from porism.errors import PorismError
from porism.formats.text_lines import file_stem

MAX_RUN = 20_000_000
"""Bytes of a run; five times as many as a run of the lab has."""

_ENVELOPE = 100_000  # bytes of headers and boundaries around it
_MAX_PARTS = 10
_LONGEST_NAME = 80
PASTED = "your run"


class RunTooLarge(PorismError):
    """More was sent than a run may have."""


@dataclass(frozen=True, slots=True)
class UploadedRun:
    """The bytes of a run, unpacked, and what to call it."""

    name: str
    data: bytes


async def read_body(request: Request) -> bytes | None:
    """The body of a request; None, and no more is read, if it is too large to hold a run."""
    largest = MAX_RUN + _ENVELOPE
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > largest:
            return None
    return bytes(body)


def uploaded_run(content_type: str, body: bytes) -> UploadedRun:
    """The run in the body of a request, from a form or as it is.

    >>> uploaded_run("text/plain; charset=utf-8", b"A.1 0 7 1 2.5 mine").name
    'your run'
    """
    told = Message()
    told["Content-Type"] = content_type
    if told.get_content_type() == "text/plain" and content_type:
        return _checked(PASTED, body)
    boundary = told.get_boundary()
    if told.get_content_type() != "multipart/form-data" or not boundary:
        raise PorismError(
            f"found a body of the kind {content_type[:80]!r}: expected a form (multipart/form-data)"
            " or the run itself (text/plain)"
        )
    runs = [run for run in _parts(body, boundary.encode("utf-8", "replace")) if run.data.strip()]
    if len(runs) != 1:
        found = "nothing" if not runs else "a file and a text"
        raise PorismError(f"found {found}: expected a run, either pasted or as a file")
    return _checked(runs[0].name, runs[0].data)


def _parts(body: bytes, boundary: bytes) -> list[UploadedRun]:
    """The parts of a form that are called ``text`` or ``file``."""
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary, _MAX_PARTS + 2)
    if len(pieces) > _MAX_PARTS + 2 or not pieces[-1].startswith(b"--"):
        raise PorismError("found a form that is cut off, or has too many parts: send it again")
    found = []
    for piece in pieces[1:-1]:
        head, _, data = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = HeaderParser().parsestr(head.decode("utf-8", "replace"))
        field = headers.get_param("name", header="content-disposition")
        if field == "text":
            found.append(UploadedRun(PASTED, data))
        elif field == "file":
            found.append(UploadedRun(_harmless_name(headers.get_filename() or ""), data))
    return found


def _harmless_name(file_name: str) -> str:
    """What a run is called by its file: no folders, nothing that cannot be seen, not long."""
    last = PureWindowsPath(file_name).name  # which knows both kinds of slashes
    seen = "".join(char for char in last if char.isprintable()).strip()
    return file_stem(Path(seen[:_LONGEST_NAME])) if seen else PASTED


def _checked(name: str, data: bytes) -> UploadedRun:
    if data[:2] == b"\x1f\x8b":
        try:
            # No more is unpacked than allowed: a small file may hold a huge one.
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(MAX_RUN + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise PorismError(f"the gzip file is cut off or damaged ({error})") from error
    if len(data) > MAX_RUN:
        raise RunTooLarge(too_large_message())
    return UploadedRun(name, data)


def too_large_message() -> str:
    """What is said of a run that is too large."""
    return f"found over {MAX_RUN // 1_000_000} MB: expected a run of at most 1,000 hits a topic"
