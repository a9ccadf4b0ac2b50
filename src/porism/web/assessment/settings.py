"""What is judged in the browser, and within which limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AssessmentSettings:
    """A file of judgments, the collection that its candidates are from, and limits.

    ``requests_a_second`` is how many one address may send for long; 0 sets no limit.
    ``cpu_seconds`` is the computing time that one request may take; None sets no limit. ``hosts``
    are names that the server is known by, beside those of this machine. Where it
    ``is_behind_proxy``, it is told by one whom requests are from.
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
