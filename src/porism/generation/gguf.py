"""A language model in a GGUF file, run in this process by llama.cpp.

llama.cpp is used through its server, which has the templates of chats, stop texts and limits, but
by calls in this process and not over the network.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import xllamacpp

from porism import deadlines
from porism.generation.generated_text import GeneratedText
from porism.generation.generator import (
    Generation,
    GenerationError,
    Message,
    ReceiveText,
    Sampling,
    ignore_text,
)
from porism.generation.gguf_header import read_gguf_header
from porism.generation.response_chunks import ReportedError, error_message, read_chunk
from porism.generation.settings import GGUFSettings

_SILENT = -1
"""The verbosity at which llama.cpp writes nothing, not even errors, which it returns as well."""

_BATCH = 256
"""Prompt tokens between two checks for cancellation: about a second of a small model."""

_WAIT_SECONDS = 0.1
_MAX_FOLDER_PATH = 60
"""Bytes of a folder for temporary files in which a socket can be: macOS admits 104 in all."""

_UNIX = "unix:"

Respond = Callable[[dict[str, object], Callable[[object], bool]], None]


class GGUFGenerator:
    """A model in memory; threads may share it and wait for each other.

    One text is generated at a time: two at once would share the cores and the context. The same
    prompt gives the same text, so nothing of an earlier prompt is used again.
    """

    def __init__(
        self,
        server: xllamacpp.Server,
        name: str,
        context: int,
        is_demonstration: bool,
        seconds: float,
    ) -> None:
        self._server: xllamacpp.Server | None = server
        self._seconds = seconds
        self._name = name
        self._context = context
        self._is_demonstration = is_demonstration
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"GGUFGenerator({self._name!r}, context={self._context})"

    @property
    def name(self) -> str:
        """The name of the file or package."""
        return self._name

    @property
    def is_demonstration(self) -> bool:
        """Whether it is the model that comes in a package."""
        return self._is_demonstration

    @property
    def context(self) -> int:
        """The tokens that the memory of this model was reserved for."""
        return self._context

    def chat(
        self, messages: Sequence[Message], sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        """Return the answer to a chat, in the template that the file has."""
        fields = {"messages": [{"role": str(each.role), "content": each.text} for each in messages]}
        with self._running() as server:
            return self._generation(server.handle_chat_completions, fields, sampling, receive)

    def complete(
        self, prompt: str, sampling: Sampling, receive: ReceiveText = ignore_text
    ) -> Generation:
        """Return how the model continues a text."""
        with self._running() as server:
            return self._generation(
                server.handle_completions, {"prompt": prompt}, sampling, receive
            )

    def close(self) -> None:
        """Free the memory, once a text that is being generated has ended."""
        with self._lock:
            self._server = None

    @contextmanager
    def _running(self) -> Iterator[xllamacpp.Server]:
        """Wait until no other thread generates a text; the wait can be cancelled."""
        while not self._lock.acquire(timeout=_WAIT_SECONDS):
            deadlines.check()
        try:
            if self._server is None:
                raise GenerationError(f"the model {self._name} is closed; open it again")
            yield self._server
        finally:
            self._lock.release()

    def _generation(
        self,
        respond: Respond,
        fields: Mapping[str, object],
        sampling: Sampling,
        receive: ReceiveText,
    ) -> Generation:
        text = GeneratedText(sampling, receive)
        failures: list[BaseException] = []
        end = monotonic() + self._seconds

        def add(document: object) -> bool:
            """Add a chunk; True ends the generation, and an exception would be swallowed."""
            try:
                deadlines.check()
                if monotonic() > end:
                    raise GenerationError(
                        f"the model {self._name} did not end its text within {self._seconds:g} s; "
                        "allow more time, or use a smaller model"
                    )
                _refuse_long_prompt(document)
                text.add(read_chunk(document))
            except BaseException as error:
                failures.append(error)
                return True
            return text.is_full

        deadlines.check()
        try:
            respond({**fields, **_limits(sampling)}, add)
        except (RuntimeError, ValueError) as error:
            raise GenerationError(f"the model {self._name} failed: {error}") from error
        try:
            if failures:
                raise failures[0]
            return text.generation()
        except ReportedError as error:
            raise GenerationError(f"the model {self._name} failed: {error}") from error


def open_gguf(
    path: Path,
    settings: GGUFSettings | None = None,
    name: str | None = None,
    is_demonstration: bool = False,
) -> GGUFGenerator:
    """The model in a GGUF file; its name is that of the file if no other is given."""
    settings = settings or GGUFSettings()
    header = read_gguf_header(path)
    context = min(settings.context, header.context_length or settings.context)
    with _socket_folder() as folder:
        parameters = _parameters(path, context, settings.threads, folder)
        try:
            server = xllamacpp.Server(parameters)
        except (RuntimeError, ValueError) as error:
            raise GenerationError(
                f"{path}: llama.cpp cannot load this model (architecture"
                f" {header.architecture or 'unknown'}); the file may be truncated, need more"
                " memory than there is, or be newer than the installed xllamacpp"
            ) from error
        address = server.listening_address
        _first_token(server)
    if not address.startswith(_UNIX):
        raise GenerationError(
            f"this version of xllamacpp opens the port {address}: pip install 'porism[generate]'"
        )
    seconds = settings.total_seconds
    return GGUFGenerator(server, name or path.stem, context, is_demonstration, seconds)


@contextmanager
def _socket_folder() -> Iterator[Path]:
    """A folder for the socket on which the server insists; without it, nobody reaches the server.

    By default it opens a TCP port without a key, and answers every page of a browser. The folder
    belongs to this user, and is removed once the server runs.
    """
    is_long = len(os.fsencode(tempfile.gettempdir())) > _MAX_FOLDER_PATH
    parent = "/tmp" if is_long else None
    with tempfile.TemporaryDirectory(prefix="porism-", dir=parent) as folder:
        yield Path(folder)


# xllamacpp has no types.
def _parameters(
    path: Path, context: int, threads: int | None, folder: Path
) -> xllamacpp.CommonParams:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.hostnames = [str(folder / "s.sock")]
    parameters.verbosity = _SILENT
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.n_batch = _BATCH
    parameters.n_ubatch = _BATCH
    cores = threads or max(1, _available_cores() - 1)
    parameters.cpuparams.n_threads = cores
    parameters.cpuparams_batch.n_threads = cores
    # Its threads for requests over the network, of which there are none.
    parameters.n_threads_http = 1
    parameters.endpoint_slots = False
    parameters.warmup = False  # see _first_token
    parameters.cache_ram_mib = 0
    return parameters


def _first_token(server: xllamacpp.Server) -> None:
    """Generate a token, which reads the weights and waits for the server's loop.

    A server that is freed before its loop has begun never ends (xllamacpp 2026.10.11549).
    """
    server.handle_completions({"prompt": "1", "max_tokens": 1}, lambda document: True)


def _available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limits(sampling: Sampling) -> dict[str, object]:
    return {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "stop": list(sampling.stop),
        "stream": True,
        "stream_options": {"include_usage": True},
        # Chunks while the prompt is read, so that this can be cancelled too.
        "return_progress": True,
        "cache_prompt": False,
        **({} if sampling.seed is None else {"seed": sampling.seed}),
    }


def _refuse_long_prompt(document: object) -> None:
    error = document.get("error") if isinstance(document, dict) else None
    if isinstance(error, dict) and error.get("type") == "exceed_context_size_error":
        raise GenerationError(
            f"the prompt has {error.get('n_prompt_tokens', 'too many')} tokens, and the context of"
            f" the model {error.get('n_ctx', 'fewer')}; use fewer or shorter passages, or a longer"
            f" context ({error_message(document)})"
        )
