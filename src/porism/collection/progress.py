"""How far long work is, told to whoever watches."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class StepProgress(NamedTuple):
    """How far a step is: how much of it is done, of how much in all, and records so far."""

    step: str
    done: int
    total: int
    records: int


Watch = Callable[[StepProgress], None]
