"""The words of a text, as models of words are trained on them."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def word_spans(text: str, limit: int) -> list[tuple[int, int]]:
    """Return the start and end of up to ``limit`` words of a text."""
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        if len(spans) == limit:
            break
        spans.append(match.span())
    return spans


def text_words(text: str, limit: int) -> list[str]:
    """Return up to ``limit`` words of a text in lower case.

    >>> text_words("Solve eq plus x 2; don't!", 10)
    ['solve', 'eq', 'plus', 'x', '2', "don't"]
    """
    return [text[first:last].lower() for first, last in word_spans(text, limit)]
