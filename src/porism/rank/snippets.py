"""The passage of a text that shows best why it was found, with what was matched marked.

A text is taken as atoms: words, what stands between them, and formulas, which are never cut. The
passage is the stretch of atoms, not longer than a given number of characters, in which most of
what was asked for is matched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from porism.model import Content, Formula, plain_text
from porism.text import stem

LENGTH = 240
"""Characters of a passage; one with a longer formula is longer."""

ENOUGH = 0.5
"""The share of its tuples that a formula has in common with one that it is like."""

ELLIPSIS = "…"

TupleCounter = Callable[[Formula], Counter[str]]
"""The L8 tuples of a formula of a post, counted; none if the parser refused it."""


@dataclass(frozen=True, slots=True)
class SnippetFragment:
    """A stretch of a passage: prose, or one formula; and whether it is what was asked for."""

    content: str | Formula
    is_matched: bool = False

    @property
    def text(self) -> str:
        """The stretch as text, a formula between dollars and without line ends."""
        return plain_text((self.content,))


Snippet = tuple[SnippetFragment, ...]


@dataclass(frozen=True)
class HighlightTerms:
    """What is looked for in a text: stems of words, and formulas by their L8 tuples."""

    stems: frozenset[str] = frozenset()
    formulas: tuple[Counter[str], ...] = ()

    @cached_property
    def matches(self) -> Mapping[str, str]:
        """By word its stem if it is looked for, else nothing; any text may be asked for."""
        return _Matches(self.stems)

    def has_formula(self, tuples: Counter[str]) -> bool:
        """Whether a formula is like one that is looked for.

        Like is what has the same tuples, or shares half of its own or of the other's. One symbol
        is part of most formulas and like none of them but itself.

        >>> wanted = HighlightTerms(formulas=(Counter("abcd"),))
        >>> found = ("abcd", "abxyzwv", "abx", "ab", "axy")
        >>> [wanted.has_formula(Counter(tuples)) for tuples in found]
        [True, True, True, False, False]
        """
        return any(_is_like(tuples, asked) for asked in self.formulas)


class _Matches(dict[str, str]):
    """What was met so far; texts have most of their words in common."""

    def __init__(self, stems: frozenset[str]) -> None:
        self._stems = stems

    def __missing__(self, word: str) -> str:
        root = stem(word.lower())
        self[word] = root if root in self._stems else ""
        return self[word]


ONE_SYMBOL = 2
"""How many tuples a formula of one symbol has."""


def _is_like(found: Counter[str], asked: Counter[str]) -> bool:
    smaller = min(found.total(), asked.total())
    if smaller <= ONE_SYMBOL:
        return found == asked and smaller > 0
    # The same as the intersection of the two, of which most formulas have next to nothing.
    common = found.keys() & asked.keys()
    return sum(min(found[each], asked[each]) for each in common) >= ENOUGH * smaller


def snippet(
    content: Content,
    wanted: HighlightTerms,
    tuples_of: TupleCounter,
    around: str | None = None,
    length: int = LENGTH,
) -> Snippet:
    """The passage of a text with most of what is wanted; the beginning if nothing of it is there.

    ``around`` is the id of a formula that the passage must have, and that is marked whatever else
    is. Dots stand where the text goes on. Of an empty text there is nothing.
    """
    near = _near(content, around, length)
    atoms = _atoms(content[near], wanted, tuples_of, around)
    begin, end = _widened(atoms.sizes, *_best_stretch(atoms, length), length)
    before = [SnippetFragment(ELLIPSIS)] if near.start > 0 or begin > 0 else []
    after = (
        [SnippetFragment(ELLIPSIS)] if near.stop < len(content) or end < len(atoms.content) else []
    )
    shown = zip(atoms.content[begin:end], atoms.matches[begin:end], strict=True)
    return tuple(
        _joined([*before, *(SnippetFragment(said, bool(match)) for said, match in shown), *after])
    )


def _near(content: Content, around: str | None, length: int) -> slice:
    """What of a text can be in its passage: a post may have ten thousand formulas.

    That is all of it or, where a formula must be there, so much before and after as has room.
    """
    places = (
        place
        for place, piece in enumerate(content)
        if isinstance(piece, Formula) and piece.id == around
    )
    due = next(places, None) if around is not None else None
    if due is None:
        return slice(0, len(content))
    begin, end = due, due + 1
    before = after = 0
    while begin > 0 and before <= length:
        begin -= 1
        before += len(plain_text((content[begin],)))
    while end < len(content) and after <= length:
        after += len(plain_text((content[end],)))
        end += 1
    return slice(begin, end)


class _Atoms(NamedTuple):
    """What a passage has or has not, but never half of: words, what is between, and formulas.

    Of each, what of the wanted it matches, if anything, and how many characters it takes. ``due``
    is the place of the one that the passage must have. These are lists, and not one of records,
    because a post has hundreds and all results on a page have to be gone through.
    """

    content: list[str | Formula]
    matches: list[str]
    sizes: list[int]
    due: int | None


_WORD_OR_NOT = re.compile(r"[^\W_]+|[\W_]+")


def _atoms(
    content: Content, wanted: HighlightTerms, tuples_of: TupleCounter, around: str | None
) -> _Atoms:
    said: list[str | Formula] = []
    matches: list[str] = []
    sizes: list[int] = []
    due = None
    match_of = wanted.matches.__getitem__
    for piece in content:
        if isinstance(piece, str):
            texts = _WORD_OR_NOT.findall(_WHITE.sub(" ", piece))
            said += texts
            matches += map(match_of, texts)
            sizes += map(len, texts)
        else:
            is_due = around is not None and piece.id == around
            if is_due and due is None:
                due = len(said)
            is_match = is_due or wanted.has_formula(tuples_of(piece))
            said.append(piece)
            # By their LaTeX formulas differ from words, which have no dollars.
            matches.append(f"${piece.latex}" if is_match else "")
            sizes.append(len(plain_text((piece,))))
    return _Atoms(said, matches, sizes, due)


_WHITE = re.compile(r"\s+")


def _best_stretch(atoms: _Atoms, length: int) -> tuple[int, int]:
    """The stretch with most different matches, then most matches, then the earliest.

    It begins and ends with a match, and has the atom that is due; it is empty without any match.
    """
    places = [place for place, match in enumerate(atoms.matches) if match]
    ends = list(accumulate(atoms.sizes))
    held: Counter[str] = Counter()
    most, best = (0, 0), (0, 0)
    first = 0
    for last, place in enumerate(places):
        held[atoms.matches[place]] += 1
        while first < last and _size(atoms, ends, places[first], place) > length:
            left = atoms.matches[places[first]]
            held[left] -= 1
            if not held[left]:
                del held[left]
            first += 1
        worth = (len(held), last - first + 1)
        if worth > most and (atoms.due is None or places[first] <= atoms.due <= place):
            most, best = worth, (places[first], place + 1)
    return best


def _size(atoms: _Atoms, ends: Sequence[int], first: int, last: int) -> int:
    """How many characters there are from the first atom to the last."""
    return ends[last] - ends[first] + atoms.sizes[first]


def _widened(sizes: Sequence[int], begin: int, end: int, length: int) -> tuple[int, int]:
    """The stretch with as much around it as there is room for, a third of that before it."""
    room = length - sum(sizes[begin:end])
    before = room // 3
    while begin > 0 and sizes[begin - 1] <= before:
        begin -= 1
        before -= sizes[begin]
        room -= sizes[begin]
    # What has nothing matched begins with its first atom, however long that is.
    while end < len(sizes) and (sizes[end] <= room or end == 0):
        room -= sizes[end]
        end += 1
    while begin > 0 and sizes[begin - 1] <= room:
        begin -= 1
        room -= sizes[begin]
    return begin, end


def _joined(pieces: Sequence[SnippetFragment]) -> Iterator[SnippetFragment]:
    """The pieces, with neighbours that are prose and not matched in one."""
    prose = ""
    for piece in pieces:
        if isinstance(piece.content, str) and not piece.is_matched:
            prose += piece.content
            continue
        if prose:
            yield SnippetFragment(prose)
        prose = ""
        yield piece
    if prose:
        yield SnippetFragment(prose)
