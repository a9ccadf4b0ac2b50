"""The passage of a text that shows best why it was found, with what was matched marked.

A text is taken as atoms: words, what stands between them, and formulas, which are never cut. The
passage is the stretch of atoms, not longer than a given number of characters, in which most of
what was asked for is matched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from porism.model import Content, Formula
from porism.text import stem

LENGTH = 240
"""Characters of a passage; one with a longer formula is longer."""

ENOUGH = 0.5
"""The share of its tuples that a formula has in common with one that it is like."""

ELLIPSIS = "…"

FormulaTokens = Callable[[Formula], Sequence[str]]
"""The L8 tuples of a formula of a post; none if the parser refused it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a passage: prose, or one formula; and whether it is what was asked for."""

    said: str | Formula
    is_matched: bool = False

    @property
    def text(self) -> str:
        """The stretch as text, a formula between dollars and without line ends."""
        return self.said if isinstance(self.said, str) else f"${' '.join(self.said.latex.split())}$"


Snippet = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for in a text: stems of words, and formulas by their L8 tuples."""

    stems: frozenset[str] = frozenset()
    formulas: tuple[Counter[str], ...] = ()

    def has_formula(self, tuples: Sequence[str]) -> bool:
        """Whether a formula is like one that is looked for.

        Like is what has the same tuples, or shares half of its own or of the other's. One symbol
        is part of most formulas and like none of them but itself.

        >>> wanted = Wanted(formulas=(Counter("abcd"),))
        >>> [wanted.has_formula(tuples) for tuples in ("abcd", "abxyzwv", "abx", "ab", "axy")]
        [True, True, True, False, False]
        """
        found = Counter(tuples)
        return any(_is_like(found, asked) for asked in self.formulas)


ONE_SYMBOL = 2
"""How many tuples a formula of one symbol has."""


def _is_like(found: Counter[str], asked: Counter[str]) -> bool:
    smaller = min(found.total(), asked.total())
    if smaller <= ONE_SYMBOL:
        return found == asked and smaller > 0
    return (found & asked).total() >= ENOUGH * smaller


def snippet(
    content: Content,
    wanted: Wanted,
    tuples_of: FormulaTokens,
    around: str | None = None,
    length: int = LENGTH,
) -> Snippet:
    """The passage of a text with most of what is wanted; the beginning if nothing of it is there.

    ``around`` is the id of a formula that the passage must have, and that is marked whatever else
    is. Dots stand where the text goes on. Of an empty text there is nothing.
    """
    atoms = list(_atoms(content, wanted, tuples_of, around))
    begin, end = _widened(atoms, *_best_stretch(atoms, length), length)
    before = [Piece(ELLIPSIS)] if begin > 0 else []
    after = [Piece(ELLIPSIS)] if end < len(atoms) else []
    shown = [Piece(atom.said, bool(atom.match)) for atom in atoms[begin:end]]
    return tuple(_joined([*before, *shown, *after]))


class _Atom(NamedTuple):
    """What a passage has or has not, but never half of; ``match`` says what of the wanted it is."""

    said: str | Formula
    match: str
    size: int
    is_due: bool = False


_WORD_OR_NOT = re.compile(r"[^\W_]+|[\W_]+")


def _atoms(
    content: Content, wanted: Wanted, tuples_of: FormulaTokens, around: str | None
) -> Iterator[_Atom]:
    for piece in content:
        if isinstance(piece, str):
            for text in _WORD_OR_NOT.findall(_WHITE.sub(" ", piece)):
                root = _root(text)
                yield _Atom(text, root if root in wanted.stems else "", len(text))
        else:
            is_due = around is not None and piece.id == around
            is_match = is_due or wanted.has_formula(tuples_of(piece))
            # By their LaTeX formulas differ from words, which have no dollars.
            match = f"${piece.latex}" if is_match else ""
            yield _Atom(piece, match, len(Piece(piece).text), is_due)


_WHITE = re.compile(r"\s+")


@lru_cache(1 << 16)
def _root(text: str) -> str:
    """The stem of a word; most words of a post are also in others."""
    return stem(text.lower())


def _best_stretch(atoms: Sequence[_Atom], length: int) -> tuple[int, int]:
    """The stretch with most different matches, then most matches, then the earliest.

    It begins and ends with a match, and has the atom that is due; it is empty without any match.
    """
    places = [place for place, atom in enumerate(atoms) if atom.match]
    due = [place for place, atom in enumerate(atoms) if atom.is_due][:1]
    sizes = [0, *accumulate(atom.size for atom in atoms)]
    held: Counter[str] = Counter()
    most, best = (0, 0), (0, 0)
    first = 0
    for last, place in enumerate(places):
        held[atoms[place].match] += 1
        while first < last and sizes[place + 1] - sizes[places[first]] > length:
            left = atoms[places[first]].match
            held[left] -= 1
            if not held[left]:
                del held[left]
            first += 1
        worth = (len(held), held.total())
        if worth > most and all(places[first] <= each <= place for each in due):
            most, best = worth, (places[first], place + 1)
    return best


def _widened(atoms: Sequence[_Atom], begin: int, end: int, length: int) -> tuple[int, int]:
    """The stretch with as much around it as there is room for, a third of that before it."""
    room = length - sum(atom.size for atom in atoms[begin:end])
    before = room // 3
    while begin > 0 and atoms[begin - 1].size <= before:
        begin -= 1
        before -= atoms[begin].size
        room -= atoms[begin].size
    # What has nothing matched begins with its first atom, however long that is.
    while end < len(atoms) and (atoms[end].size <= room or end == 0):
        room -= atoms[end].size
        end += 1
    while begin > 0 and atoms[begin - 1].size <= room:
        begin -= 1
        room -= atoms[begin].size
    return begin, end


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, with neighbours that are prose and not matched in one."""
    prose = ""
    for piece in pieces:
        if isinstance(piece.said, str) and not piece.is_matched:
            prose += piece.said
            continue
        if prose:
            yield Piece(prose)
        prose = ""
        yield piece
    if prose:
        yield Piece(prose)
