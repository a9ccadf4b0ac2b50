"""The reasoning that some models write in front of their answers, between tags."""

from __future__ import annotations

_OPEN = "<think>"
_CLOSE = "</think>"


class ReasoningFilter:
    """Removes ``<think>...</think>`` at the start of a text that arrives in pieces.

    The pieces that come out are the same text however it is split. Servers that know the model
    separate its reasoning themselves; this is for the others. A model whose template opens the tag
    writes only the closing one, which cannot be recognised before it comes: its server has to
    separate the reasoning.
    """

    def __init__(self) -> None:
        self._buffer = ""
        self._step = self._before

    def feed(self, piece: str) -> str:
        """Return what of the text so far is known to be answer and was not returned before."""
        self._buffer += piece
        return self._step()

    def end(self) -> str:
        """Return what was held back because it could have become a tag."""
        rest = self._buffer if self._step == self._before else ""
        self._buffer = ""
        return rest

    def _before(self) -> str:
        text = self._buffer.lstrip()
        if text.startswith(_OPEN):
            self._buffer = text.removeprefix(_OPEN)
            self._step = self._within
            return self._step()
        if _OPEN.startswith(text):
            return ""
        self._step = self._after
        return self._step()

    def _within(self) -> str:
        _, tag, rest = self._buffer.partition(_CLOSE)
        if not tag:
            self._buffer = self._buffer[-len(_CLOSE) + 1 :]
            return ""
        self._buffer = rest
        self._step = self._between
        return self._step()

    def _between(self) -> str:
        self._buffer = self._buffer.lstrip()
        if self._buffer:
            self._step = self._after
        return self._step() if self._buffer else ""

    def _after(self) -> str:
        text, self._buffer = self._buffer, ""
        return text
