"""Settings of the assessment application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AssessmentSettings:
    """The store of judgments, the collection of its candidates, and limits.

    ``requests_a_second`` is the sustained rate allowed per address; 0 sets no limit.
    ``cpu_seconds`` is the computing time allowed per request; None sets no limit. ``hosts`` are
    host names accepted beside those of this machine. With ``is_behind_proxy`` the address of a
    client is taken from the headers of a proxy.
    """

    store: Path
    collection: Path | None = None
    requests_a_second: float = 100.0
    at_once: int = 8
    waiting: int = 200
    body_bytes: int = 200_000
    cpu_seconds: float | None = None
    hosts: tuple[str, ...] = ()
    is_behind_proxy: bool = False
