"""Overlapping windows of a long text, each short enough for a model."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from porism.embed.encoder import TextEncoder


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """At most ``most`` windows of at most ``tokens`` tokens, with ``overlap`` or more in common.

    A model with a lower limit than ``tokens`` has windows of its limit.
    """

    tokens: int = 254
    overlap: int = 64
    most: int = 8

    def __post_init__(self) -> None:
        assert 0 <= self.overlap < self.tokens
        assert self.most > 0


def windows(text: str, encoder: TextEncoder, spec: WindowSpec | None = None) -> list[str]:
    """The windows of a text, in order; no window for a text without tokens.

    They are the fewest that cover the text, all of about the same size, and begin and end with a
    token. A text with more windows than ``most`` is cut.
    """
    spec = spec or WindowSpec()
    size = min(spec.tokens, encoder.max_tokens)
    overlap = min(spec.overlap, size - 1)
    spans = encoder.token_spans(text, size + (size - overlap) * (spec.most - 1))
    if not spans:
        return []
    count = max(1, math.ceil((len(spans) - overlap) / (size - overlap)))
    length = math.ceil((len(spans) + (count - 1) * overlap) / count)
    room = len(spans) - length
    starts = [place * room // max(1, count - 1) for place in range(count)]
    return [text[spans[start][0] : spans[start + length - 1][1]] for start in starts]


def first_window(text: str, encoder: TextEncoder, spec: WindowSpec) -> str:
    """The beginning of a text, as long as a window; empty for a text without tokens."""
    return next(iter(windows(text, encoder, replace(spec, most=1))), "")
