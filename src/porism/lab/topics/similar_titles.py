"""Titles that say the same in nearly the same words, so that no topic is drawn twice."""

from __future__ import annotations

from collections import Counter

from porism.model import Content, Formula
from porism.text import tokens

LEAST_SHARED = 0.8
"""Titles are near-equal if they share so much of the words and formulas that either has."""


class TitleSet:
    """Titles that were met before, to be asked whether another is nearly one of them."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._having: dict[str, list[int]] = {}

    def add(self, title: Content) -> None:
        """Remember a title."""
        pieces = _pieces(title)
        for piece in pieces:
            self._having.setdefault(piece, []).append(len(self._sizes))
        self._sizes.append(len(pieces))

    def has_similar(self, title: Content) -> bool:
        """Whether one of them is near-equal to this.

        >>> titles = TitleSet()
        >>> titles.add(("Why is the sum of ", Formula("", "1/n"), " infinite?"))
        >>> titles.has_near(("Why is the sum of ", Formula("", "1 / n"), " not infinite?"))
        True
        >>> titles.has_near(("Why is the sum of ", Formula("", "1/n^2"), " not infinite?"))
        False
        """
        pieces = _pieces(title)
        shared = Counter(number for piece in pieces for number in self._having.get(piece, ()))
        return any(
            both >= LEAST_SHARED * (len(pieces) + self._sizes[number] - both)
            for number, both in shared.items()
        )


def _pieces(title: Content) -> frozenset[str]:
    """The words of a title and its formulas, each formula whole and without white space."""
    found: set[str] = set()
    for part in title:
        if isinstance(part, Formula):
            found.add("$" + "".join(part.latex.split()))
        else:
            found.update(tokens(part))
    return frozenset(found)
