"""Uploaded runs: extracted from the body of a request, within size limits.

A form with a file is ``multipart/form-data``, of which only what browsers send is supported. A
program may send the run itself as ``text/plain``.
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
"""Bytes of a run; five times the size of a run of the lab."""

_ENVELOPE = 100_000  # bytes of headers and boundaries around it
_MAX_PARTS = 10
_LONGEST_NAME = 80
PASTED = "your run"


class RunTooLarge(PorismError):
    """The uploaded run is too large."""


@dataclass(frozen=True, slots=True)
class UploadedRun:
    """The bytes of a run, decompressed, and its name."""

    name: str
    data: bytes


async def read_body(request: Request) -> bytes | None:
    """The body of a request; None, without reading on, if it is too large for a run."""
    largest = MAX_RUN + _ENVELOPE
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > largest:
            return None
    return bytes(body)


def uploaded_run(content_type: str, body: bytes) -> UploadedRun:
    """The run in the body of a request: a form, or the run itself.

    >>> uploaded_run("text/plain; charset=utf-8", b"A.1 0 7 1 2.5 mine").name
    'your run'
    """
    header = Message()
    header["Content-Type"] = content_type
    if header.get_content_type() == "text/plain" and content_type:
        return _checked(PASTED, body)
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/form-data" or not boundary:
        raise PorismError(
            f"found the content type {content_type[:80]!r}: expected a form (multipart/form-data)"
            " or the run itself (text/plain)"
        )
    runs = [run for run in _parts(body, boundary.encode("utf-8", "replace")) if run.data.strip()]
    if len(runs) != 1:
        sent = "nothing" if not runs else "a file and a text"
        raise PorismError(f"found {sent}: expected a run, either pasted or as a file")
    return _checked(runs[0].name, runs[0].data)


def _parts(body: bytes, boundary: bytes) -> list[UploadedRun]:
    """The parts of a form with the names ``text`` and ``file``."""
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary, _MAX_PARTS + 2)
    if len(pieces) > _MAX_PARTS + 2 or not pieces[-1].startswith(b"--"):
        raise PorismError("found a form that is cut off, or has too many parts: send it again")
    runs = []
    for piece in pieces[1:-1]:
        head, _, data = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = HeaderParser().parsestr(head.decode("utf-8", "replace"))
        field = headers.get_param("name", header="content-disposition")
        if field == "text":
            runs.append(UploadedRun(PASTED, data))
        elif field == "file":
            runs.append(UploadedRun(_harmless_name(headers.get_filename() or ""), data))
    return runs


def _harmless_name(file_name: str) -> str:
    """The name of a run from its file name: short, printable, without folders."""
    last = PureWindowsPath(file_name).name  # handles both kinds of slashes
    printable = "".join(char for char in last if char.isprintable()).strip()
    return file_stem(Path(printable[:_LONGEST_NAME])) if printable else PASTED


def _checked(name: str, data: bytes) -> UploadedRun:
    if data[:2] == b"\x1f\x8b":
        try:
            # Decompressed only up to the limit: a small file may hold a huge one.
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(MAX_RUN + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise PorismError(f"the gzip file is cut off or damaged ({error})") from error
    if len(data) > MAX_RUN:
        raise RunTooLarge(too_large_message())
    return UploadedRun(name, data)


def too_large_message() -> str:
    """The message for a run that is too large."""
    return f"found over {MAX_RUN // 1_000_000} MB: expected a run of at most 1,000 hits a topic"
