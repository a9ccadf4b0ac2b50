"""Progress of long operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class StepProgress(NamedTuple):
    """Progress of a step: the amount done and in all, and the number of records so far."""

    step: str
    done: int
    total: int
    records: int


Watch = Callable[[StepProgress], None]
"""Called with the progress of an operation."""
