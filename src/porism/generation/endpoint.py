"""A language model behind an endpoint in OpenAI's format: vLLM, llama.cpp, Ollama, services.

Answers are streamed, so that people see them grow and an endless one can be cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

from porism.generation.connection import Clock, EndpointConnection, EndpointFailure
from porism.generation.endpoint_address import endpoint_address
from porism.generation.generated_text import GeneratedText
from porism.generation.generator import (
    Generation,
    GenerationError,
    Message,
    ReceiveText,
    Role,
    Sampling,
    ignore_text,
)
from porism.generation.response_body import ResponseBody
from porism.generation.response_chunks import ResponseChunk, read_chunk
from porism.generation.settings import EndpointSettings

_LACKING = frozenset({404, 405, 501})
"""The statuses of servers that have no such operation."""

_OPTIONAL = ("stream_options", "seed", "temperature", "max_tokens", "stop")
"""Fields that some servers or models refuse; a text is generated without them."""

_MAX_NAMES = 10


class EndpointGenerator:
    """A model of an endpoint. The connection of an unfinished answer is closed."""

    is_demonstration = False

    def __init__(self, connection: EndpointConnection, model: str, context: int) -> None:
        self._endpoint = connection
        self._model = model
        self._context = context
        self._lacks_completions = False
        self._refused: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"EndpointGenerator({self._model!r})"

    @property
    def name(self) -> str:
        """The name that the endpoint knows the model by."""
        return self._model

    @property
    def context(self) -> int:
        """The tokens of prompt and answer, as the settings or the endpoint give them."""
        return self._context

    def chat(
        self, messages: Sequence[Message], sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        """Return the answer to a chat."""
        fields = {"messages": [{"role": str(each.role), "content": each.text} for each in messages]}
        return self._generation("chat/completions", fields, sampling, receive)

    def complete(
        self, prompt: str, sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        """Return how the model continues a text, or its answer to it if it only chats."""
        if not self._lacks_completions:
            try:
                return self._generation("completions", {"prompt": prompt}, sampling, receive)
            except EndpointFailure as failure:
                if failure.status not in _LACKING:
                    raise
        # A model that is unknown gives a 404 too; the chat then raises it again.
        generation = self.chat([Message(Role.USER, prompt)], sampling, receive)
        self._lacks_completions = True
        return generation

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _generation(
        self, path: str, fields: Mapping[str, object], sampling: Sampling, receive: ReceiveText
    ) -> Generation:
        """Generate a text, in several attempts if the first ones give none."""
        check = self._endpoint.patience()
        refused = self._refused
        attempt = 0
        while True:
            text = GeneratedText(sampling, receive)
            body = {"model": self._model, **fields, **_limits(sampling, refused)}
            try:
                generation = self._attempt(path, body, text, check)
            except EndpointFailure as failure:
                if text.length:
                    raise EndpointFailure(
                        f"{failure} (after {text.length} characters of the answer)"
                    ) from failure
                also_refused = _named_fields(failure, body)
                if also_refused:
                    refused |= also_refused
                    continue
                self._wait(failure, attempt)
                attempt += 1
            else:
                self._refused = refused
                return generation

    def _attempt(
        self,
        path: str,
        body: Mapping[str, object],
        text: GeneratedText,
        check: Callable[[], None],
    ) -> Generation:
        response = ResponseBody()
        with self._endpoint.response(path, body, check) as chunks:
            for data in chain(chunks, [None]):
                for chunk in self._chunks(response, data):
                    text.add(chunk)
                if text.is_full or response.is_done:
                    break
        with self._at_this_address():
            if not (text.is_full or response.is_done or text.finish_reason):
                raise GenerationError("ended before the answer was complete; try again")
            return text.generation()

    def _chunks(self, response: ResponseBody, data: bytes | None) -> Iterator[ResponseChunk]:
        """What bytes say, one chunk after another; None is the end of the response."""
        with self._at_this_address():
            for document in response.end() if data is None else response.feed(data):
                yield read_chunk(document)

    def _wait(self, failure: EndpointFailure, attempt: int) -> None:
        """Wait before another attempt, or raise the failure if there is none."""
        settings, clock = self._endpoint.settings, self._endpoint.clock
        if not failure.is_temporary or attempt >= settings.retries:
            raise failure
        if failure.retry_after is not None and failure.retry_after > settings.max_wait_seconds:
            raise EndpointFailure(
                f"{failure}; the server asks to wait {failure.retry_after:.0f} s", failure.status
            ) from failure
        longest = settings.first_wait_seconds * 2**attempt
        # Clients that failed together come back at different times.
        wait = min(longest * (0.5 + 0.5 * clock.chance()), settings.max_wait_seconds)
        clock.wait(max(wait, failure.retry_after or 0.0))

    @contextmanager
    def _at_this_address(self) -> Iterator[None]:
        """Say which endpoint sent what cannot be read."""
        try:
            yield
        except GenerationError as error:
            message = self._endpoint.public(str(error) or "an error without a message")
            raise EndpointFailure(f"{self._endpoint.address}: {message}") from error


def open_endpoint(
    url: str,
    model: str | None = None,
    settings: EndpointSettings | None = None,
    clock: Clock | None = None,
) -> EndpointGenerator:
    """A model of an endpoint; without a name, the only one that it lists.

    No request is sent if the model is named, so a server may be started later.
    """
    settings = settings or EndpointSettings()
    connection = EndpointConnection(endpoint_address(url), settings, clock)
    if model:
        return EndpointGenerator(connection, model, settings.context)
    try:
        only, context = _only_model(connection)
    except GenerationError:
        connection.close()
        raise
    return EndpointGenerator(connection, only, context or settings.context)


def _only_model(connection: EndpointConnection) -> tuple[str, int | None]:
    """The name of the one model that an endpoint lists, and its context if it is given."""
    models = _models(connection)
    if len(models) == 1:
        [(name, context)] = models.items()
        return name, context
    if not models:
        raise GenerationError(
            f"{connection.address} lists no models: load one there, or name one that it knows"
        )
    names = ", ".join(list(models)[:_MAX_NAMES])
    more = f" and {len(models) - _MAX_NAMES} more" if len(models) > _MAX_NAMES else ""
    raise GenerationError(
        connection.public(f"{connection.address} has several models, name one: {names}{more}")
    )


def _models(connection: EndpointConnection) -> dict[str, int | None]:
    """The models that an endpoint lists; vLLM gives the context of each."""
    try:
        with connection.response("models", None, connection.patience()) as chunks:
            body = ResponseBody()
            documents = [document for data in chunks for document in body.feed(data)]
            documents += body.end()
    except GenerationError as error:
        raise GenerationError(
            "no model was named, and the endpoint does not list its models: "
            f"{connection.public(str(error))}"
        ) from error
    listing = documents[0] if documents else None
    entries = listing.get("data") if isinstance(listing, dict) else None
    models: dict[str, int | None] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            context = entry.get("max_model_len")
            models[entry["id"]] = context if isinstance(context, int) else None
    return models


def _limits(sampling: Sampling, refused: frozenset[str]) -> dict[str, object]:
    """How the text is sampled, without what the server refused before."""
    fields: dict[str, object] = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
    }
    if sampling.seed is not None:
        fields["seed"] = sampling.seed
    if sampling.stop:
        fields["stop"] = list(sampling.stop)
    kept = {name: value for name, value in fields.items() if name not in refused}
    if "max_tokens" in refused:  # OpenAI's newer name for it
        kept["max_completion_tokens"] = sampling.max_tokens
    return kept


def _named_fields(failure: EndpointFailure, body: Mapping[str, object]) -> frozenset[str]:
    """The optional fields of a request that the server complains about."""
    if failure.status not in (400, 422):
        return frozenset()
    return frozenset(name for name in _OPTIONAL if name in body and name in str(failure))
