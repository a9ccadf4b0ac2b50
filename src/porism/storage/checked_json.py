"""JSON files with a checksum of their own content, so that any changed byte is detected.

The checksum is the first entry and covers the whole text, with zeros in its own place.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from porism.storage.errors import damaged_file_error

_BLANK = b"00000000"
_START = re.compile(rb'\{\n "checksum": "([0-9a-f]{8})"')


def json_with_checksum(values: Mapping[str, object]) -> bytes:
    """Return the values as indented JSON with their checksum."""
    record = {"checksum": _BLANK.decode(), **values}
    text = (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
    return text.replace(_BLANK, f"{zlib.crc32(text):08x}".encode(), 1)


def parsed_json(text: bytes, path: Path) -> dict[str, Any]:  # whatever JSON the file has
    """Parse without verifying the checksum; IndexFormatError unless the text is a JSON object."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged_file_error(path, "it is not JSON") from None
    if not isinstance(values, dict):
        raise damaged_file_error(path, "it is not a JSON object")
    return values


def check_json(text: bytes, path: Path) -> None:
    """Raise an IndexFormatError unless the text has the checksum that it states."""
    match = _START.match(text)
    if match is None:
        raise damaged_file_error(path, "it has no checksum")
    start, end = match.span(1)
    if zlib.crc32(text[:start] + _BLANK + text[end:]) != int(match[1], 16):
        raise damaged_file_error(path, "its checksum does not match")
