"""What every language model can do, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from porism.errors import PorismError


class GenerationError(PorismError):
    """A language model gave no text: it is not there, too slow, or answered with nonsense."""


class Role(StrEnum):
    """Who says a message of a chat."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a text is sampled, and where it ends.

    A temperature of 0 takes the likeliest token each time. Generation ends before a text of
    ``stop``, after ``max_tokens`` tokens, or after ``max_characters`` characters if a model does
    not obey the first two.
    """

    max_tokens: int = 570
    temperature: float = 0.0
    seed: int | None = 0
    stop: tuple[str, ...] = ()
    max_characters: int = 8_000


@dataclass(frozen=True, slots=True)
class Generation:
    """A generated text; it is complete if the model ended it, not a limit.

    The numbers of tokens are None if the model does not report them.
    """

    text: str
    is_complete: bool
    prompt_tokens: int | None = None
    tokens: int | None = None


ReceiveText = Callable[[str], None]
"""Receives a text piece by piece, as it is generated. What it raises ends the generation."""


def ignore_text(piece: str) -> None:
    """Receive nothing."""


class TextGenerator(Protocol):
    """A language model; threads may share it. What fails raises ``GenerationError``."""

    @property
    def name(self) -> str:
        """The name of the model in records and on pages, without addresses and keys."""
        ...

    @property
    def is_demonstration(self) -> bool:
        """Whether the model is too small for mathematics and only shows how generation works."""
        ...

    @property
    def context(self) -> int:
        """The tokens that a prompt and its answer may have together."""
        ...

    def chat(
        self, messages: Sequence[Message], sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        """Return the answer of an instructed model to a chat."""
        ...

    def complete(
        self, prompt: str, sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        """Return how the model continues a text."""
        ...

    def close(self) -> None:
        """Free the model or its connections."""
        ...
