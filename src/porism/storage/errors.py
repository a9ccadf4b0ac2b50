"""Errors for an index that cannot be read: another format, or damaged files."""

from __future__ import annotations

from pathlib import Path

from porism.errors import PorismError


class IndexFormatError(PorismError):
    """A folder that is not an index this version of Porism can read."""


def damaged_file_error(path: Path | str, reason: str) -> IndexFormatError:
    """Return the error for a damaged file; ``reason`` says how the damage was detected."""
    return IndexFormatError(
        f"{path} is damaged ({reason}); make it again with porism index; "
        "porism check lists all damage"
    )
