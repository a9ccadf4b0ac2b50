"""What is served, and how much of it anybody may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SearchAppSettings:
    """An index, the runs to explore, and limits.

    ``requests_a_second`` is how many one address may send for long, twice as many for a second;
    0 sets no limit. ``at_once`` is how many searches are done at the same time, ``waiting`` how
    many more may wait; others are told to come back. ``cpu_seconds`` is the computing time that one
    request may take; None sets no limit. ``body_bytes`` is how large a request may be, and
    ``run_bytes`` one with a run. ``origins`` are sites whose scripts may ask, and ``hosts`` names
    that the server is known by, beside those of this machine. Where it ``is_behind_proxy``, it is
    told by one whom requests are from.
    """

    index: Path
    collection: Path | None = None
    runs: Path | None = None
    qrels: Path | None = None
    topics: Path | None = None
    requests_a_second: float = 100.0
    at_once: int = 4
    waiting: int = 200
    cpu_seconds: float | None = 5.0
    body_bytes: int = 200_000
    run_bytes: int = 21_000_000
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    is_behind_proxy: bool = False
