"""What is served, and how much of it anybody may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """An index, the runs to explore, and limits.

    ``requests_a_second`` is how many one address may send for long, twice as many for a second;
    0 sets no limit. ``at_once`` is how many searches are done at the same time, ``waiting`` how
    many more may wait; others are told to come back. ``origins`` are sites whose scripts may ask.
    """

    index: Path
    collection: Path | None = None
    runs: Path | None = None
    qrels: Path | None = None
    topics: Path | None = None
    requests_a_second: float = 100.0
    at_once: int = 4
    waiting: int = 200
    body_bytes: int = 21_000_000
    origins: tuple[str, ...] = ()
