"""What is judged in the browser, and by which rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class VisualRule(StrEnum):
    """What a formula that looks like the one in question is worth (S1 5.4, S2 2)."""

    ALWAYS_HIGH = "always-high"
    BY_CONTEXT = "by-context"


@dataclass(frozen=True, slots=True)
class AssessmentSettings:
    """A file of judgments, the collection that its candidates are from, the rules and limits.

    ``batches`` are those that are shown, all if none is named. ``asks_annotations`` has assessors
    say of answers whether a machine made them, and whether they say what has nothing to do with the
    question. ``requests_a_second`` is how many one address may send for long; 0 sets no limit.
    """

    store: Path
    collection: Path | None = None
    batches: tuple[str, ...] = ()
    visual_rule: VisualRule = VisualRule.BY_CONTEXT
    asks_annotations: bool = False
    requests_a_second: float = 100.0
    at_once: int = 8
    waiting: int = 200
    body_bytes: int = 200_000
