"""What a user says of a language model."""

from __future__ import annotations

from dataclasses import dataclass

KEY_VARIABLE = "PORISM_API_KEY"
"""The environment variable that has the key of an endpoint, unless another is named."""

DEFAULT_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """A model by its name at an endpoint, by its file, or ``smollm2``.

    ``key_variable`` is the environment variable that has the key of the endpoint: the key itself is
    never part of settings. ``timeout`` is the seconds that an answer may take.
    """

    model: str | None = None
    endpoint: str | None = None
    key_variable: str = KEY_VARIABLE
    timeout: float = DEFAULT_TIMEOUT

    @property
    def is_named(self) -> bool:
        """Whether there is a model at all."""
        return self.model is not None or self.endpoint is not None
