"""Overlapping windows of a long text, each short enough for a model."""

from __future__ import annotations

from dataclasses import dataclass

from porism.embed.encoder import TextEncoder


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """At most ``most`` windows of ``tokens`` tokens, of which ``overlap`` are in the next one too.

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

    They begin and end with a token. The last one ends with the text, so it overlaps more; a text
    with more windows than ``most`` is cut.
    """
    spec = spec or WindowSpec()
    size = min(spec.tokens, encoder.max_tokens)
    step = max(1, size - spec.overlap)
    spans = encoder.token_spans(text, size + step * (spec.most - 1))
    if not spans:
        return []
    if len(spans) <= size:
        return [text[: spans[-1][1]]]
    starts = [*range(0, len(spans) - size, step), len(spans) - size]
    return [text[spans[start][0] : spans[start + size - 1][1]] for start in starts]
