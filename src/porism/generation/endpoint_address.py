"""The address of an endpoint: checked once, and shown without anything secret."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from porism.generation.generator import GenerationError

_EXAMPLE = "http://localhost:11434/v1"
_OPERATIONS = ("/chat/completions", "/completions", "/models")


@dataclass(frozen=True, slots=True)
class EndpointAddress:
    """The base URL of an endpoint, without a slash at its end."""

    url: str
    host: str

    def __str__(self) -> str:
        return self.url

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint runs on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified


def endpoint_address(url: str) -> EndpointAddress:
    """Check the base URL of an endpoint; without a path, it is that of ``/v1``.

    >>> str(endpoint_address("http://localhost:11434"))
    'http://localhost:11434/v1'
    >>> str(endpoint_address("https://example.org/api/openai/"))
    'https://example.org/api/openai'
    """
    parts = _parts(url)
    path = parts.path.rstrip("/")
    for operation in _OPERATIONS:
        path = path.removesuffix(operation)
    return EndpointAddress(
        f"{parts.scheme}://{parts.netloc}{path or '/v1'}", (parts.hostname or "").lower()
    )


def _parts(url: str) -> SplitResult:
    """Split a URL. No message repeats it before it is known to have no credentials."""
    try:
        parts = urlsplit(url.strip())
        _ = parts.port  # raises if it is no number
    except ValueError as error:
        raise GenerationError(
            f"the address of the endpoint is not a URL: expected one such as {_EXAMPLE}"
        ) from error
    if "@" in parts.netloc:
        raise GenerationError(
            "the address of the endpoint contains a user name or password: leave it out, and give"
            " the key in an environment variable"
        )
    if parts.query or parts.fragment:
        raise GenerationError(
            "the address of the endpoint contains ? or #: expected the base URL alone, such as"
            f" {_EXAMPLE}; a key belongs in an environment variable"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise GenerationError(
            f"the address of an endpoint begins with http:// or https://, such as {_EXAMPLE}"
        )
    return parts
