"""What a chunk of a response in OpenAI's format says, whether streamed or whole.

Only a few fields are read. Servers add others, and leave out or set to null most of these.
"""

from __future__ import annotations

from dataclasses import dataclass

from porism.generation.generator import GenerationError

INCOMPLETE = frozenset({"length", "content_filter"})
"""The reasons to finish that are not the model's own."""


class ReportedError(GenerationError):
    """An error that a server sent in place of a chunk, in the server's words."""


@dataclass(frozen=True, slots=True)
class ResponseChunk:
    """A piece of text, why the text ends if it does, and numbers of tokens if they are known.

    ``has_choice`` is false if the chunk has only numbers, or nothing that is known.
    """

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    tokens: int | None = None
    has_choice: bool = False


def read_chunk(document: object) -> ResponseChunk:
    """Read a chunk of a chat or a completion; an error object raises ``ReportedError``."""
    if not isinstance(document, dict):
        raise GenerationError(f"expected a JSON object, found {document!r}")
    if document.get("error") is not None:
        raise ReportedError(error_message(document))
    usage = document.get("usage")
    numbers = usage if isinstance(usage, dict) else {}
    prompt_tokens, tokens = _count(numbers, "prompt_tokens"), _count(numbers, "completion_tokens")
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return ResponseChunk(prompt_tokens=prompt_tokens, tokens=tokens)
    reason = choice.get("finish_reason")
    return ResponseChunk(
        _text(choice), reason if isinstance(reason, str) else None, prompt_tokens, tokens, True
    )


def error_message(document: object) -> str:
    """The message of an error object, in one line; empty if there is none.

    >>> error_message({"error": {"message": "no such model", "code": 404}})
    'no such model'
    >>> error_message({"detail": "Not Found"})
    'Not Found'
    """
    message = document
    for _ in range(2):
        if isinstance(message, dict):
            names = ("error", "message", "detail")
            message = next((message[name] for name in names if message.get(name)), "")
    return " ".join(str(message).split()) if message else ""


def _text(choice: dict[str, object]) -> str:
    for name in ("delta", "message"):
        message = choice.get(name)
        if isinstance(message, dict):
            return _content(message.get("content"))
    return _content(choice.get("text"))


def _content(content: object) -> str:
    """The text of a content, which is a string, null, or a list of parts."""
    if isinstance(content, list):
        return "".join(_content(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _count(numbers: dict[str, object], name: str) -> int | None:
    count = numbers.get(name)
    return count if isinstance(count, int) else None
