"""Anchors of the parts of a document: readable, stable, and unique in their file."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

MAX_SLUG = 60


def slug(title: str) -> str:
    r"""A title as in a URL; empty if it has neither letters nor digits.

    >>> slug(r"The $p$-adic \emph{Case}")
    'the-p-adic-case'
    """
    words = re.sub(r"[\W_]+", " ", re.sub(r"\\[A-Za-z]+", " ", title)).split()
    return unicodedata.normalize("NFC", "-".join(words).lower())[:MAX_SLUG].strip("-")


class FileAnchors:
    """The anchors given so far in one file."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def anchor(self, title: str) -> str:
        """A new anchor for a part; equal titles are numbered, as on GitHub.

        >>> anchors = FileAnchors()
        >>> anchors.anchor("Proof"), anchors.anchor("Proof")
        ('proof', 'proof-1')
        """
        base = slug(title) or "section"
        while True:
            count = self._given[base]
            self._given[base] += 1
            anchor = f"{base}-{count}" if count else base
            if not count or anchor not in self._given:
                self._given[anchor] += bool(count)
                return anchor
