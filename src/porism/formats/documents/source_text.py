"""The text of a document's file: its encoding, its size, and the characters no reader wants."""

from __future__ import annotations

import codecs
import re
from datetime import datetime
from pathlib import Path

from porism.errors import FormatError, PorismError

MAX_BYTES = 64 * 1024 * 1024
"""A larger file is no document that somebody wrote; it is refused rather than held in memory."""


def file_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark, with ``\\n`` line ends."""
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise PorismError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > max_bytes:
        raise FormatError(
            str(path),
            0,
            f"the file is larger than {max_bytes / 1024 / 1024:g} MB, which is too much for one "
            "document; split it, or write its parts as JSON Lines, which are read one by one",
        )
    return clean_text(decoded(data, path))


def decoded(data: bytes, path: Path, line: int = 1) -> str:
    """The characters of ``data``, which begins in line ``line`` of the file."""
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        byte = f"byte 0x{data[error.start]:02x}" if error.start < len(data) else "the end"
        raise FormatError(
            str(path),
            line,
            f"expected text in UTF-8, but found {byte}, which is none; save the file as UTF-8, "
            "for example by iconv -f latin1 -t utf-8 if it is in Latin-1",
        ) from None


def clean_text(text: str) -> str:
    """The text with ``\\n`` line ends and with U+FFFD for what neither XML nor SQLite can hold."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text.replace("\f", " "))


_UNFIT = re.compile("[\0-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def iso_date(text: str) -> str | None:
    """The date, with its time if it has one, as ISO 8601 writes it; None if it is no such date.

    >>> iso_date("2020-01-02 10:00"), iso_date("May 2020")
    ('2020-01-02T10:00', None)
    """
    found = _DATE.match(text.strip())
    if not found:
        return None
    written = found[0].replace(" ", "T")
    try:
        datetime.fromisoformat(written)
    except ValueError:  # the 31st of February
        return None
    return written


_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{3}(?:\d{3})?)?)?)?", re.ASCII)


def listed(text: str) -> tuple[str, ...]:
    """The words of a list that is written with commas, without repetition."""
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
