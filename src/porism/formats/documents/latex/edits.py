"""Edits of LaTeX before it is read, with the way back to the original positions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """A replacement of a part of a text."""

    start: int
    end: int
    text: str


class EditedText(NamedTuple):
    """A text after edits; ``shifts`` has pairs of a position in it and the original one."""

    text: str
    shifts: list[tuple[int, int]]

    def original(self, position: int) -> int:
        """The original position of a position in the text."""
        index = bisect_right(self.shifts, position, key=lambda pair: pair[0]) - 1
        edited, original = self.shifts[index]
        return original + position - edited


def edited_text(
    text: str, edits: Sequence[Edit], start: int = 0, end: int | None = None
) -> EditedText:
    """A part of a text with the edits in it, which are sorted; of some that overlap, the first.

    >>> edited_text("a bc d", [Edit(2, 4, "x")]).text
    'a x d'
    """
    end = len(text) if end is None else end
    pieces: list[str] = []
    shifts = [(0, start)]
    at = start
    size = 0
    for index in range(bisect_left(edits, (start,)), len(edits)):
        edit = edits[index]
        if edit.start > end:
            break
        if edit.start < at or edit.end > end:
            continue
        pieces += (text[at : edit.start], edit.text)
        size += edit.start - at + len(edit.text)
        at = edit.end
        shifts.append((size, at))
    pieces.append(text[at:end])
    return EditedText("".join(pieces), shifts)
