"""What a served source is doing, as the process that indexes it reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from porism.collection.progress import StepProgress


class LiveState(StrEnum):
    """Whether a source can be searched. ``FAILED`` is final; ``PROBLEM`` is over with the next
    change that can be read."""

    STARTING = "starting"
    READY = "ready"
    PROBLEM = "problem"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """A state, the progress of a start, and a message for people."""

    state: LiveState
    message: str = ""
    progress: StepProgress | None = None

    @property
    def problem(self) -> str:
        """What keeps changes from being found, if anything does."""
        return self.message if self.state is LiveState.PROBLEM else ""

    @property
    def text(self) -> str:
        """What is happening, in a few words."""
        if self.message or self.progress is None:
            return self.message
        step, done, total, records = self.progress
        share = f"{min(done, total) / total:.0%}, " if done and total else ""
        return f"{step}: {share}{records:,}"
