"""A language model for tests: it writes given pieces, and waits until it may go on."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from porism import deadlines
from porism.deadlines import Cancelled
from porism.errors import PorismError
from porism.generation.generator import (
    Generation,
    Message,
    ReceiveText,
    Sampling,
    ignore_text,
)
from tests.web.serving import SAFETY_NET


@dataclass
class PausingGenerator:
    """Writes ``pieces``; with ``pauses``, it waits before the second one until ``go`` is set.

    ``started`` counts the texts that were begun, ``stopped`` is set when one was cancelled.
    """

    pieces: Sequence[str] = ("The sum is $2$ [1].",)
    failure: PorismError | None = None
    pauses: bool = False
    name: str = "scripted"
    is_demonstration: bool = False
    context: int = 8_000
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)
    closed: bool = False
    prompts: list[str] = field(default_factory=list)

    def chat(
        self, messages: Sequence[Message], sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        return self.complete("\n".join(each.text for each in messages), sampling, receive)

    def complete(
        self, prompt: str, sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        self.prompts.append(prompt)
        try:
            for place, piece in enumerate(self.pieces):
                if place == 1 and self.pauses:
                    self._wait()
                receive(piece)
                if place == 0:
                    self.started.release()
        except Cancelled:
            self.stopped.set()
            raise
        if self.failure is not None:
            raise self.failure
        return Generation("".join(self.pieces), is_complete=True)

    def _wait(self) -> None:
        """Wait as the real ones do: a cancelled request ends the waiting."""
        for _ in range(int(SAFETY_NET / 0.02)):
            if self.go.wait(0.02):
                return
            deadlines.check()
        raise AssertionError("nobody let the model go on")

    def close(self) -> None:
        self.closed = True
