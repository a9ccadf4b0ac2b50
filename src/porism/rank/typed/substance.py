"""Whether a post says anything itself, or only points elsewhere."""

from __future__ import annotations

import re

SUBSTANTIAL = 60
"""Letters and digits outside of links and images that make a post more than a pointer."""

_POINTER = re.compile(r"<a\s.*?</a\s*>|<img\b[^>]*>|https?://\S+", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_CHARACTER = re.compile(r"[^\W_]")

LONGEST = 2_000
"""Characters of markup from which a post is substantial, whatever it has."""


def is_only_links(markup: str) -> bool:
    """Whether the HTML of a post has links or images, and next to nothing else.

    >>> is_only_links('<p>See <a href="https://a.example/q/1">this question</a>.</p>')
    True
    >>> is_only_links("<p>No.</p>")
    False
    """
    if len(markup) > LONGEST:
        return False
    rest, pointers = _POINTER.subn(" ", markup)
    return pointers > 0 and len(_CHARACTER.findall(_TAG.sub(" ", rest))) < SUBSTANTIAL
