"""The text of a document's file: its encoding, its size, and the characters no reader wants."""

from __future__ import annotations

import codecs
import re
from datetime import datetime
from pathlib import Path

from charset_normalizer import from_bytes

from porism.errors import FormatError, PorismError

MAX_BYTES = 64 * 1024 * 1024
"""A larger file is no document that somebody wrote; it is refused rather than held in memory."""


def file_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of a file with ``\\n`` line ends.

    It is in UTF-8, in UTF-16 with a byte order mark or, failing that, in the encoding that its
    bytes look most like.
    """
    data = _data(path, max_bytes)
    if len(data) > max_bytes:
        raise FormatError(
            str(path),
            0,
            f"the file is larger than {max_bytes / 1024 / 1024:g} MB, which is too much for one "
            "document; split it, or write its parts as JSON Lines, which are read one by one",
        )
    return clean_text(_decoded(data, path))


def _data(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except OSError as error:
        raise PorismError(f"{path} cannot be read: {error.strerror}") from error


def guessed_encoding(path: Path) -> str | None:
    """The encoding that ``file_text`` guesses for a file; None where it knows."""
    data = _data(path, MAX_BYTES)
    return None if _fault(data) is None else _guess(data)


def _decoded(data: bytes, path: Path) -> str:
    fault = _fault(data)
    if fault is None:
        return data.decode(_known_encoding(data))
    encoding = _guess(data)
    if encoding is None:
        line = 1 + data.count(b"\n", 0, fault)
        byte = f"byte 0x{data[fault]:02x}" if fault < len(data) else "the end"
        raise FormatError(
            str(path),
            line,
            f"expected text in UTF-8, but found {byte}, which is none; save the file as UTF-8, "
            "for example by iconv -f latin1 -t utf-8 if it is in Latin-1",
        )
    return data.decode(encoding)


def _known_encoding(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


def _fault(data: bytes) -> int | None:
    """The place of the first byte that its encoding does not allow."""
    try:
        data.decode(_known_encoding(data))
    except UnicodeDecodeError as error:
        return error.start
    return None


def _guess(data: bytes) -> str | None:
    """The encoding of text that is not in UTF-8; None if it does not look like text.

    Where Western European is as likely as others it is taken: notes with a few accents are not
    enough text to tell it from, say, Central European.
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
    except UnicodeDecodeError:  # of long data the guess has seen samples only
        return False
    return True


_WESTERN = "cp1252"
_ENCODINGS = [
    _WESTERN,
    *"cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 koi8_r".split(),
    *"cp932 euc_jp gb18030 big5 cp949".split(),
]
"""Those in which notes are written. With all that exist, three accents are often taken for a code
page of DOS."""


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


def comma_separated(text: str) -> tuple[str, ...]:
    """The words of a list that is written with commas, without repetition."""
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
