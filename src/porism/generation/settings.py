"""What users may set of a language model, without the packages that run one."""

from __future__ import annotations

from dataclasses import dataclass

KEY_VARIABLE = "PORISM_API_KEY"
"""The environment variable that has the key of an endpoint, unless another is named."""

DEFAULT_TIMEOUT = 300.0
"""Seconds that an answer may take; a model of billions of parameters needs minutes on two cores."""

DEFAULT_CONTEXT = 4096
"""Tokens of prompt and answer together; the default of Ollama, and enough for a few passages."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """The key of an endpoint, and limits on time, attempts and bytes.

    ``key_variable`` names the environment variable that has the key. ``chunk_seconds`` is the
    longest silence, which is longest while a server reads the prompt. ``total_seconds`` includes
    all attempts. A failed request is repeated after about ``first_wait_seconds``, twice as long
    each time, but never after ``max_wait_seconds``; a server that asks for more patience gets an
    error. ``max_bytes`` ends an answer whose bytes are not text, such as endless reasoning.
    """

    key_variable: str = KEY_VARIABLE
    context: int = DEFAULT_CONTEXT
    connect_seconds: float = 10.0
    chunk_seconds: float = 120.0
    total_seconds: float = DEFAULT_TIMEOUT
    retries: int = 2
    first_wait_seconds: float = 0.5
    max_wait_seconds: float = 30.0
    max_bytes: int = 16_000_000


@dataclass(frozen=True, slots=True)
class GGUFSettings:
    """The context of a model in a file, its threads, and the seconds that a text may take.

    The context is never longer than the model was trained for. No number of threads means all
    available cores but one. Threads wait for the slowest after every layer, so where other work
    takes a core, one thread too many costs far more than it gives: on two busy cores, smollm2
    wrote 14 tokens a second with two threads, 98 with one.
    """

    context: int = DEFAULT_CONTEXT
    threads: int | None = None
    total_seconds: float = DEFAULT_TIMEOUT


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """A model by its name at an endpoint, by its file, or ``smollm2``.

    The key itself is never part of settings. ``timeout`` is the seconds that an answer may take.
    """

    model: str | None = None
    endpoint: str | None = None
    key_variable: str = KEY_VARIABLE
    timeout: float = DEFAULT_TIMEOUT

    @property
    def is_named(self) -> bool:
        """Whether there is a model at all."""
        return self.model is not None or self.endpoint is not None
