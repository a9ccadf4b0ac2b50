"""Detection of similar titles, so that no topic is drawn twice."""

from __future__ import annotations

from collections import Counter

from porism.model import Content, Formula
from porism.text import tokens

MIN_OVERLAP = 0.8
"""Titles are similar from this Jaccard similarity of their words and formulas on."""


class TitleSet:
    """A set of titles that can be searched for similar ones."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._titles_with: dict[str, list[int]] = {}

    def add(self, title: Content) -> None:
        pieces = _pieces(title)
        for piece in pieces:
            self._titles_with.setdefault(piece, []).append(len(self._sizes))
        self._sizes.append(len(pieces))

    def has_similar(self, title: Content) -> bool:
        """Whether the set has a title similar to this one.

        >>> titles = TitleSet()
        >>> titles.add(("Why is the sum of ", Formula("", "1/n"), " infinite?"))
        >>> titles.has_similar(("Why is the sum of ", Formula("", "1 / n"), " not infinite?"))
        True
        >>> titles.has_similar(("Why is the sum of ", Formula("", "1/n^2"), " not infinite?"))
        False
        """
        pieces = _pieces(title)
        shared = Counter(number for piece in pieces for number in self._titles_with.get(piece, ()))
        return any(
            both >= MIN_OVERLAP * (len(pieces) + self._sizes[number] - both)
            for number, both in shared.items()
        )


def _pieces(title: Content) -> frozenset[str]:
    """The words and formulas of a title, formulas without white space."""
    pieces: set[str] = set()
    for part in title:
        if isinstance(part, Formula):
            pieces.add("$" + "".join(part.latex.split()))
        else:
            pieces.update(tokens(part))
    return frozenset(pieces)
