"""The text of a document's file: its encoding, its maximal size, and invalid characters."""

from __future__ import annotations

import codecs
import re
from datetime import datetime
from pathlib import Path

from charset_normalizer import from_bytes

from porism.errors import FormatError, PorismError

MAX_BYTES = 64 * 1024 * 1024
"""Larger files are rejected rather than held in memory."""


def file_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of a file with ``\\n`` line breaks.

    It is in UTF-8, in UTF-16 with a byte order mark or, failing that, in the encoding that its
    bytes most resemble.
    """
    data = _data(path, max_bytes)
    if len(data) > max_bytes:
        raise FormatError(
            str(path),
            0,
            f"the file is larger than {max_bytes / 1024 / 1024:g} MB, too large for one "
            "document; split it, or write its parts as JSON Lines, which are streamed",
        )
    return clean_text(_decoded(data, path))


def _data(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except OSError as error:
        raise PorismError(f"{path} cannot be read: {error.strerror}") from error


def guessed_encoding(path: Path) -> str | None:
    """The encoding that ``file_text`` guesses for a file; None if it need not guess."""
    data = _data(path, MAX_BYTES)
    return None if _invalid_byte(data) is None else _guess(data)


def _decoded(data: bytes, path: Path) -> str:
    invalid = _invalid_byte(data)
    if invalid is None:
        return data.decode(_known_encoding(data))
    encoding = _guess(data)
    if encoding is None:
        line = 1 + data.count(b"\n", 0, invalid)
        byte = f"byte 0x{data[invalid]:02x}" if invalid < len(data) else "an incomplete character"
        raise FormatError(
            str(path),
            line,
            f"expected text in UTF-8, but found {byte}; save the file as UTF-8, "
            "for example by iconv -f latin1 -t utf-8 if it is in Latin-1",
        )
    return data.decode(encoding)


def _known_encoding(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


def _invalid_byte(data: bytes) -> int | None:
    """The position of the first byte that the encoding does not allow."""
    try:
        data.decode(_known_encoding(data))
    except UnicodeDecodeError as error:
        return error.start
    return None


def _guess(data: bytes) -> str | None:
    """The encoding of text that is not in UTF-8; None if the data do not look like text.

    Western European is preferred if it is as likely as others: a few accents are not enough to
    distinguish it from, say, Central European.
    """
    if b"\0" in data or _known_encoding(data) == "utf-16":
        return None
    matches = list(from_bytes(data, cp_isolation=_ENCODINGS))
    likely = [
        encoding
        for match in matches
        if match.chaos <= matches[0].chaos
        for encoding in match.could_be_from_charset
        if _decodes(data, encoding)
    ]
    return next((each for each in likely if each == _WESTERN), likely[0]) if likely else None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:  # the guess has seen only samples of long data
        return False
    return True


_WESTERN = "cp1252"
_ENCODINGS = [
    _WESTERN,
    *"cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 koi8_r".split(),
    *"cp932 euc_jp gb18030 big5 cp949".split(),
]
"""Encodings of notes. With all existing ones, three accents are often taken for a code page of
DOS."""


def clean_text(text: str) -> str:
    """The text with ``\\n`` line breaks, and U+FFFD for characters invalid in XML or SQLite."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", text.replace("\f", " "))


_INVALID = re.compile("[\0-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def iso_date(text: str) -> str | None:
    """The date, with its time if it has one, in ISO 8601; None if it is not such a date.

    >>> iso_date("2020-01-02 10:00"), iso_date("May 2020")
    ('2020-01-02T10:00', None)
    """
    match = _DATE.match(text.strip())
    if not match:
        return None
    date = match[0].replace(" ", "T")
    try:
        datetime.fromisoformat(date)
    except ValueError:  # the 31st of February
        return None
    return date


_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{3}(?:\d{3})?)?)?)?", re.ASCII)


def comma_separated(text: str) -> tuple[str, ...]:
    """The items of a comma-separated list, without repetition."""
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
