"""What users may set of a language model, without the packages that run one."""

from __future__ import annotations

from dataclasses import dataclass

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

    key_variable: str = "PORISM_API_KEY"
    context: int = DEFAULT_CONTEXT
    connect_seconds: float = 10.0
    chunk_seconds: float = 120.0
    total_seconds: float = 600.0
    retries: int = 2
    first_wait_seconds: float = 0.5
    max_wait_seconds: float = 30.0
    max_bytes: int = 16_000_000


@dataclass(frozen=True, slots=True)
class GGUFSettings:
    """The context of a model in a file, and its threads; None means all available cores but one.

    The context is never longer than the model was trained for. Threads wait for the slowest after
    every layer, so where other work takes a core, one thread too many costs far more than it
    gives: on two busy cores, smollm2 wrote 14 tokens a second with two threads, 98 with one.
    """

    context: int = DEFAULT_CONTEXT
    threads: int | None = None
