"""Requests to an endpoint: the key, time limits, and failures in words."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from porism import deadlines
from porism.generation.background_response import BackgroundResponse, ResponseHead
from porism.generation.endpoint_address import EndpointAddress
from porism.generation.generator import GenerationError
from porism.generation.response_chunks import error_message
from porism.generation.settings import EndpointSettings

_MAX_ERROR_BYTES = 65_536
_MAX_MESSAGE = 300
_TEMPORARY = frozenset({429, 500, 502, 503, 504, 529})
_SLICE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, waiting and chance."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def wait(self, seconds: float) -> None:
        """Wait, and notice within a quarter of a second if the request is cancelled."""
        while seconds > 0:
            deadlines.check()
            self.sleep(min(seconds, _SLICE_SECONDS))
            seconds -= _SLICE_SECONDS
        deadlines.check()


class EndpointFailure(GenerationError):
    """A request failed; ``is_temporary`` if it may succeed when it is repeated."""

    def __init__(
        self,
        message: str,
        status: int | None = None,
        is_temporary: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.is_temporary = is_temporary
        self.retry_after = retry_after


class EndpointConnection:
    """Sends requests to an endpoint; threads may share it.

    No message contains the key, also where a server repeats it. Redirects are not followed, so the
    key goes nowhere else. Each request has a connection of its own, because one that is cancelled
    ends its connection.
    """

    def __init__(
        self, address: EndpointAddress, settings: EndpointSettings, clock: Clock | None = None
    ) -> None:
        self.address = address
        self.settings = settings
        self.clock = clock or Clock()
        self._key = _key(settings.key_variable)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        try:
            self._client = httpx.Client(
                timeout=httpx.Timeout(settings.chunk_seconds, connect=settings.connect_seconds),
                limits=limits,
                follow_redirects=False,
                # A proxy of the environment cannot reach this machine's own addresses.
                trust_env=not address.is_loopback,
            )
        except (ImportError, ValueError) as error:
            raise GenerationError(
                f"the proxy that the environment names for {address} cannot be used: {error}"
            ) from error

    def __repr__(self) -> str:
        return f"EndpointConnection({str(self.address)!r})"

    def close(self) -> None:
        self._client.close()

    def patience(self) -> Callable[[], None]:
        """A check that raises if the request is cancelled, or takes too long from now on."""
        end = self.clock.now() + self.settings.total_seconds

        def check() -> None:
            deadlines.check()
            if self.clock.now() > end:
                raise EndpointFailure(
                    f"{self.address} took longer than {self.settings.total_seconds:g} s; allow"
                    " more time or fewer tokens, or use a faster model"
                )

        return check

    @contextmanager
    def response(
        self, path: str, body: Mapping[str, object] | None, check: Callable[[], None]
    ) -> Iterator[Iterator[bytes]]:
        """Give the bytes of a successful response; without a body, the request is a GET."""
        with self._failures():
            background = BackgroundResponse(self._client, self._request(path, body))
        try:
            with self._failures():
                head = background.head(check)
            if head.status != 200:
                raise self._refusal(head, self._error_body(background, check))
            yield self._chunks(background, check)
        finally:
            background.close()

    def public(self, message: str) -> str:
        """A message in which the key does not occur, and of which a server's part is short."""
        if self._key:
            message = message.replace(self._key, "[key]")
        return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]} ..."

    def _request(self, path: str, body: Mapping[str, object] | None) -> httpx.Request:
        headers = {"Accept-Encoding": "identity", "Accept": "text/event-stream, application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        url = f"{self.address.url}/{path}"
        if body is None:
            return self._client.build_request("GET", url, headers=headers)
        headers["Content-Type"] = "application/json"
        # A lone surrogate of an unclean text is escaped, which UTF-8 could not encode.
        content = json.dumps(body).encode("ascii")
        return self._client.build_request("POST", url, headers=headers, content=content)

    def _chunks(self, background: BackgroundResponse, check: Callable[[], None]) -> Iterator[bytes]:
        received = 0
        while True:
            with self._failures():
                data = background.chunk(check)
            if not data:
                return
            received += len(data)
            if received > self.settings.max_bytes:
                raise EndpointFailure(
                    f"{self.address} sent more than {self.settings.max_bytes:,} bytes for one"
                    " answer, and was cut off"
                )
            yield data

    def _error_body(self, background: BackgroundResponse, check: Callable[[], None]) -> bytes:
        body = b""
        try:
            while len(body) < _MAX_ERROR_BYTES and (data := background.chunk(check)):
                body += data
        except httpx.HTTPError:
            pass  # the status says what matters
        return body

    def _refusal(self, head: ResponseHead, body: bytes) -> EndpointFailure:
        """What a status other than 200 means, with what the server says about it."""
        status = head.status
        said = self.public(_said(body))
        advice = {
            400: "",
            401: self._about_key(),
            403: self._about_key(),
            404: f"; check the name of the model, and that {self.address} is the base URL of an API"
            " in OpenAI's format, which usually ends in /v1",
            408: "; try again later",
            413: "; use fewer or shorter passages",
            429: "; it is overloaded, or a quota is used up: try again later",
        }.get(status, "; the log of the server may say why" if status >= 500 else "")
        if 300 <= status < 400:
            advice = f"; redirects are not followed, name {self._target(head)} itself"
        return EndpointFailure(
            f"{self.address} answered with status {status}{': ' if said else ''}{said}{advice}",
            status,
            status in _TEMPORARY,
            _seconds(head.headers.get("retry-after")),
        )

    def _about_key(self) -> str:
        variable = self.settings.key_variable
        if self._key:
            return f"; it refuses the key in the environment variable {variable}"
        return f"; it wants a key: put it in the environment variable {variable}"

    def _target(self, head: ResponseHead) -> str:
        """Where a redirect leads, without what may be secret."""
        try:
            parts = urlsplit(head.headers.get("location", ""))
        except ValueError:
            return "the address"
        host = parts.netloc.rpartition("@")[2]
        return self.public(f"{parts.scheme}://{host}{parts.path}") if host else "the address"

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Put failures of the connection into words."""
        try:
            yield
        except GenerationError:
            raise
        except httpx.ConnectTimeout as error:
            raise EndpointFailure(
                f"{self.address} did not accept a connection within"
                f" {self.settings.connect_seconds:g} s; is the server running?",
                is_temporary=True,
            ) from error
        except httpx.ConnectError as error:
            raise EndpointFailure(
                f"{self.address} cannot be reached ({self.public(str(error))}); is the server"
                " running, and the address right?",
                is_temporary=True,
            ) from error
        except httpx.TimeoutException as error:
            raise EndpointFailure(
                f"{self.address} sent nothing for {self.settings.chunk_seconds:g} s; allow more"
                " time, or use a faster model or a shorter prompt"
            ) from error
        except (httpx.NetworkError, httpx.ProtocolError) as error:
            raise EndpointFailure(
                f"{self.address} broke off the connection ({self.public(str(error))})",
                is_temporary=True,
            ) from error
        # Also httpx.InvalidURL, which is no HTTPError, and what a proxy or a decoder reports.
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            raise EndpointFailure(
                f"the request to {self.address} failed: {self.public(str(error))}"
            ) from error


def _key(variable: str) -> str:
    """The key in an environment variable; empty if there is none."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()) and key:
        raise GenerationError(
            f"the environment variable {variable} has characters that no key has; set it again"
        )
    return key


def _said(body: bytes) -> str:
    """What a server says about an error: the message of a JSON object, or a plain text."""
    text = body.decode("utf-8", errors="replace").strip()
    try:
        return error_message(json.loads(text))
    except (ValueError, RecursionError):
        return "" if text.startswith("<") else " ".join(text.split())


def _seconds(retry_after: str | None) -> float | None:
    """The seconds of a Retry-After header, which has a number or a date."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    now = datetime.now(UTC) if date.tzinfo is not None else datetime.now(UTC).replace(tzinfo=None)
    return max(0.0, (date - now).total_seconds())
