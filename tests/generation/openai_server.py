"""A server in OpenAI's format on this machine, whose behaviour is a script.

    with OpenAIServer(says("forty-two")) as server:
        generator = open_generator(GeneratorSettings("test-model", server.url))

A ``Behaviour`` answers one request. A script is one behaviour for all requests, or a list of which
each request takes the next; the last one is for all that follow. ``server.requests`` has what was
sent to the server. ``GET /models`` is answered from ``models`` and is not part of the script.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

PATIENCE = 30.0
"""Seconds after which a test that waits for an event has failed."""


@dataclass(frozen=True)
class ReceivedRequest:
    """A request; names of headers are in lower case, and the body of a GET is empty."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]  # JSON


class Disconnected(Exception):
    """The client closed the connection before it had the whole response."""


class Exchange:
    """One request, and what a behaviour sends in response."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: ReceivedRequest) -> None:
        self._handler = handler
        self.request = request

    @property
    def is_chat(self) -> bool:
        return self.request.path.endswith("/chat/completions")

    def send(
        self,
        body: str | bytes,
        status: int = 200,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send a whole response."""
        data = body.encode() if isinstance(body, str) else body
        self._head(status, {"Content-Type": content_type, "Content-Length": str(len(data))})
        for name, value in (headers or {}).items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self.raw(data)

    def send_json(
        self, document: object, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole response in JSON."""
        self.send(json.dumps(document), status, headers=headers)

    def stream(self, content_type: str = "text/event-stream") -> None:
        """Begin a response whose length is not known; the connection ends it."""
        self._head(200, {"Content-Type": content_type, "Connection": "close"})
        self._handler.end_headers()
        self._handler.close_connection = True

    def raw(self, data: bytes) -> None:
        """Send bytes at once; ``Disconnected`` if nobody takes them."""
        try:
            self._handler.wfile.write(data)
            self._handler.wfile.flush()
        except OSError as error:
            raise Disconnected from error

    def event(self, document: object) -> None:
        """Send a chunk of a stream."""
        self.raw(f"data: {json.dumps(document)}\n\n".encode())

    def piece(self, text: str | None) -> None:
        """Send a piece of the text."""
        self.event(chunk(text, is_chat=self.is_chat))

    def finish(self, reason: str = "stop") -> None:
        """Send why the text ends, how many tokens it has, and the end of the stream."""
        self.event(chunk(None, is_chat=self.is_chat, finish_reason=reason))
        self.event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
        self.raw(b"data: [DONE]\n\n")

    def wait_for_disconnection(self) -> None:
        """Return when the client has closed the connection."""
        self._handler.connection.settimeout(PATIENCE)
        with suppress(ConnectionError):
            self._handler.connection.recv(1)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)


Behaviour = Callable[[Exchange], None]


def chunk(text: str | None, *, is_chat: bool, finish_reason: str | None = None) -> dict[str, Any]:
    """A chunk of a stream."""
    piece = {"delta": {"content": text}} if is_chat else {"text": text}
    return {"choices": [{"index": 0, **piece, "finish_reason": finish_reason}]}


def says(*pieces: str, reason: str = "stop") -> Behaviour:
    """Stream a text in these pieces."""

    def behave(exchange: Exchange) -> None:
        exchange.stream()
        for piece in pieces:
            exchange.piece(piece)
        exchange.finish(reason)

    return behave


def says_at_once(text: str, reason: str = "stop") -> Behaviour:
    """Answer with one JSON document, as servers do that ignore ``stream``."""

    def behave(exchange: Exchange) -> None:
        message = {"message": {"content": text}} if exchange.is_chat else {"text": text}
        usage = {"prompt_tokens": 7, "completion_tokens": 3}
        exchange.send_json({"choices": [{**message, "finish_reason": reason}], "usage": usage})

    return behave


def fails(
    status: int, message: str = "something failed", headers: Mapping[str, str] | None = None
) -> Behaviour:
    """Answer with an error object."""
    return lambda exchange: exchange.send_json({"error": {"message": message}}, status, headers)


def sends(body: str, status: int = 200, content_type: str = "application/json") -> Behaviour:
    """Answer with any body."""
    return lambda exchange: exchange.send(body, status, content_type)


def streams(*events: str) -> Behaviour:
    """Stream these events, which may be nonsense, and end the connection."""

    def behave(exchange: Exchange) -> None:
        exchange.stream()
        for event in events:
            exchange.raw(f"data: {event}\n\n".encode())

    return behave


def breaks_off(*pieces: str) -> Behaviour:
    """Stream these pieces, and end the connection in the middle of the stream."""

    def behave(exchange: Exchange) -> None:
        exchange.stream()
        for piece in pieces:
            exchange.piece(piece)

    return behave


def fails_within(*pieces: str, message: str = "out of memory") -> Behaviour:
    """Stream these pieces, and then an error object, as llama.cpp and vLLM do."""

    def behave(exchange: Exchange) -> None:
        exchange.stream()
        for piece in pieces:
            exchange.piece(piece)
        exchange.event({"error": {"message": message, "code": 500}})

    return behave


def never_ends(piece: str = "and so on ") -> Behaviour:
    """Stream a piece until the client closes the connection."""

    def behave(exchange: Exchange) -> None:
        exchange.stream()
        while True:
            exchange.piece(piece)

    return behave


def is_silent(*pieces: str) -> Behaviour:
    """Stream these pieces, and then nothing until the client closes the connection."""

    def behave(exchange: Exchange) -> None:
        exchange.stream()
        for piece in pieces:
            exchange.piece(piece)
        exchange.wait_for_disconnection()

    return behave


def never_answers(exchange: Exchange) -> None:
    """Send nothing at all until the client closes the connection."""
    exchange.wait_for_disconnection()


def echoes_the_key(exchange: Exchange) -> None:
    """Repeat the header with the key in an error, as careless servers do."""
    key = exchange.request.headers.get("authorization", "no key")
    exchange.send_json({"error": {"message": f"wrong key: {key}"}}, 401)


class OpenAIServer:
    """A server on a free port of this machine, which is stopped at the end of the block."""

    def __init__(
        self, script: Behaviour | Sequence[Behaviour], models: Iterable[str] = ("test-model",)
    ) -> None:
        self._script = [script] if callable(script) else list(script)
        self._models = list(models)
        self._lock = threading.Lock()
        self._taken = 0
        self.requests: list[ReceivedRequest] = []
        self.disconnections = threading.Semaphore(0)
        """Released each time a client closes its connection before the end of a response."""
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The base URL, which ends in /v1."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def respond(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer a request by the script."""
        request = _request(handler)
        exchange = Exchange(handler, request)
        try:
            if request.method == "GET":
                exchange.send_json({"data": [{"id": name} for name in self._models]})
            else:
                self._behaviour(request)(exchange)
        except Disconnected:
            self.disconnections.release()

    def _behaviour(self, request: ReceivedRequest) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            behaviour = self._script[min(self._taken, len(self._script) - 1)]
            self._taken += 1
        return behaviour


class _Server(ThreadingHTTPServer):
    # A test that fails while a behaviour waits should not wait for it too.
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


def _handler(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.respond(self)

        def do_POST(self) -> None:
            server.respond(self)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _request(handler: BaseHTTPRequestHandler) -> ReceivedRequest:
    length = int(handler.headers.get("Content-Length", 0))
    body = json.loads(handler.rfile.read(length)) if length else {}
    headers = {name.lower(): value for name, value in handler.headers.items()}
    return ReceivedRequest(handler.command, handler.path, headers, body)
