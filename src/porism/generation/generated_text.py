"""A text while it is generated: reasoning removed, passed on, and cut off at its limit."""

from __future__ import annotations

from porism.generation.generator import Generation, GenerationError, ReceiveText, Sampling
from porism.generation.reasoning import ReasoningFilter
from porism.generation.response_chunks import INCOMPLETE, ResponseChunk


class GeneratedText:
    """Collects chunks, and passes their text on."""

    def __init__(self, sampling: Sampling, receive: ReceiveText) -> None:
        self._limit = sampling.max_characters
        self._receive = receive
        self._filter = ReasoningFilter()
        self._pieces: list[str] = []
        self._length = 0
        self._has_choice = False
        self._prompt_tokens: int | None = None
        self._tokens: int | None = None
        self.finish_reason: str | None = None
        self.is_full = False
        """Whether text was cut off, so that the rest need not be generated."""

    @property
    def length(self) -> int:
        """The characters that were passed on."""
        return self._length

    def add(self, chunk: ResponseChunk) -> None:
        """Pass on the text of a chunk; numbers and reasons of later chunks replace earlier ones."""
        self._has_choice |= chunk.has_choice
        self.finish_reason = chunk.finish_reason or self.finish_reason
        if chunk.prompt_tokens is not None:
            self._prompt_tokens = chunk.prompt_tokens
        if chunk.tokens is not None:
            self._tokens = chunk.tokens
        self._pass_on(self._filter.feed(chunk.text))

    def generation(self) -> Generation:
        """Return the whole text when no more chunks come; an error if there is none."""
        self._pass_on(self._filter.end())
        text = "".join(self._pieces)
        if not text.strip():
            raise GenerationError(self._why_empty())
        is_complete = not self.is_full and self.finish_reason not in INCOMPLETE
        return Generation(text, is_complete, self._prompt_tokens, self._tokens)

    def _pass_on(self, piece: str) -> None:
        room = self._limit - self._length
        self.is_full |= len(piece) > room
        piece = piece[:room]
        if piece:
            self._pieces.append(piece)
            self._length += len(piece)
            self._receive(piece)

    def _why_empty(self) -> str:
        if not self._has_choice:
            return "the answer has no choices, so it is not that of a language model"
        if self.finish_reason == "content_filter":
            return "the answer was withheld by a content filter"
        if self.finish_reason == "length":
            return (
                "the answer has no text: the model used all tokens, perhaps for reasoning; allow"
                " more tokens or turn its reasoning off"
            )
        return "the answer has no text"
