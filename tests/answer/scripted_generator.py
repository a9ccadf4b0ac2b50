"""A language model whose texts are a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from porism.generation.generator import (
    Generation,
    GenerationError,
    Message,
    ReceiveText,
    Sampling,
    ignore_text,
)


@dataclass
class ScriptedGenerator:
    """Gives its texts in turn, the last one again and again; it remembers what it was given.

    A text that is a ``GenerationError`` is raised.
    """

    texts: Sequence[str | Generation | GenerationError] = ()
    name: str = "scripted"
    is_demonstration: bool = False
    context: int = 4096
    chats: list[tuple[Message, ...]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    samplings: list[Sampling] = field(default_factory=list)
    is_closed: bool = False

    def chat(
        self, messages: Sequence[Message], sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        self.chats.append(tuple(messages))
        return self._next(sampling, receive)

    def complete(
        self, prompt: str, sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        self.prompts.append(prompt)
        return self._next(sampling, receive)

    def close(self) -> None:
        self.is_closed = True

    def _next(self, sampling: Sampling, receive: ReceiveText) -> Generation:
        made = self.texts[min(len(self.samplings), len(self.texts) - 1)]
        self.samplings.append(sampling)
        if isinstance(made, GenerationError):
            raise made
        if isinstance(made, str):
            made = Generation(made, True)
        for piece in made.text.split(" "):
            receive(f"{piece} ")
        return made
