"""Snippets: the passage of a text that matches a query best, with the matches marked.

A text is split into atoms: words, the text between them, and formulas, which are never cut. The
passage is the span of atoms, at most a given number of characters long, with the most matches; if
no formula that matches is in it, a second span has one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from porism.model import Content, Formula, plain_text
from porism.text import stem

LENGTH = 240
"""Maximum number of characters of a passage; one with a longer formula is longer."""

MIN_SHARE = 0.5
"""The share of the tuples of the smaller formula that two similar formulas have in common."""

ELLIPSIS = "…"

TupleCounter = Callable[[Formula], Counter[str]]
"""Counts the L8 tuples of a formula of a post; there are none if the parser refused it."""


@dataclass(frozen=True, slots=True)
class SnippetFragment:
    """A piece of a passage, prose or one formula, and whether it matches the query."""

    content: str | Formula
    is_matched: bool = False

    @property
    def text(self) -> str:
        """The piece as text, a formula between dollars and without line ends."""
        return plain_text((self.content,))


Snippet = tuple[SnippetFragment, ...]


@dataclass(frozen=True)
class HighlightTerms:
    """What to highlight in a text: stems of words, and formulas by their L8 tuples."""

    stems: frozenset[str] = frozenset()
    formulas: tuple[Counter[str], ...] = ()

    @cached_property
    def matches(self) -> Mapping[str, str]:
        """The stem of any word if it is to be highlighted, else an empty string."""
        return _Matches(self.stems)

    def has_formula(self, tuples: Counter[str]) -> bool:
        """Return whether a formula is similar to one of the query.

        Similar formulas have the same tuples, or share half of those of the smaller one. A single
        symbol is part of most formulas and similar to itself alone.

        >>> highlights = HighlightTerms(formulas=(Counter("abcd"),))
        >>> formulas = ("abcd", "abxyzwv", "abx", "ab", "axy")
        >>> [highlights.has_formula(Counter(tuples)) for tuples in formulas]
        [True, True, True, False, False]
        """
        return any(_is_similar(tuples, query) for query in self.formulas)

    def has_stored_formula(self, formula: Formula, tuples_of: TupleCounter) -> bool:
        """Return the same for a formula of a post; each distinct one is compared once."""
        if formula.number is None:
            return self.has_formula(tuples_of(formula))
        known = self._similar.get(formula.number)
        if known is None:
            known = self._similar[formula.number] = self.has_formula(tuples_of(formula))
        return known

    @cached_property
    def _similar(self) -> dict[int, bool]:
        return {}


class _Matches(dict[str, str]):
    """Remembers the words that occurred; texts have most of their words in common."""

    def __init__(self, stems: frozenset[str]) -> None:
        self._stems = stems

    def __missing__(self, word: str) -> str:
        root = stem(word.lower())
        self[word] = root if root in self._stems else ""
        return self[word]


ONE_SYMBOL = 2
"""The number of tuples of a formula of one symbol."""


def _is_similar(one: Counter[str], other: Counter[str]) -> bool:
    smaller = min(one.total(), other.total())
    if smaller <= ONE_SYMBOL:
        return one == other and smaller > 0
    # Faster than the intersection of the counters: most formulas have next to nothing in common.
    common = one.keys() & other.keys()
    return sum(min(one[each], other[each]) for each in common) >= MIN_SHARE * smaller


def snippet(
    content: Content,
    highlights: HighlightTerms,
    tuples_of: TupleCounter,
    around: str | None = None,
    length: int = LENGTH,
) -> Snippet:
    """Return the passage of a text with the most highlights, or its beginning if it has none.

    ``around`` is the id of a formula that the passage must contain, and that is always marked. If
    formulas match, one of them is in the passage, which then may have two parts. An ellipsis shows
    that the text goes on. The snippet of an empty text is empty.
    """
    window = _window(content, around, length)
    atoms = _atoms(content[window], highlights, tuples_of, around)
    spans = _spans(atoms, length)
    return _passage(atoms, spans, starts=window.start == 0, ends=window.stop == len(content))


def beginning(
    content: Content, highlights: HighlightTerms, tuples_of: TupleCounter, length: int = LENGTH
) -> Snippet:
    """Return the first characters of a text, with the matches in them marked."""
    window = slice(0, _number_of_pieces(content, length))
    atoms = _atoms(content[window], highlights, tuples_of, None)
    span = _widened(atoms.sizes, 0, 0, length)
    return _passage(atoms, [span], starts=True, ends=window.stop == len(content))


def _number_of_pieces(content: Content, length: int) -> int:
    """Return how many pieces of a text, from the first, have more characters than a length."""
    total = 0
    for number, piece in enumerate(content, start=1):
        total += len(plain_text((piece,)))
        if total > length:
            return number
    return len(content)


_Span = tuple[int, int]


def _spans(atoms: _Atoms, length: int) -> list[_Span]:
    """Return the best span and, where a formula matches but not in that, one around the formula.

    What matches most in a text about a formula is often the words above the display that has it.
    """
    best = _widened(atoms.sizes, *_best_span(atoms, length), length)
    formulas = [place for place, match in enumerate(atoms.matches) if match[:1] == "$"]
    if not formulas or any(best[0] <= place < best[1] for place in formulas):
        return [best]
    shorter = 2 * length // 3
    first = _widened(atoms.sizes, *_best_span(atoms, shorter), shorter)
    largest = max(formulas, key=lambda place: atoms.sizes[place])
    around = atoms.sizes[largest] + length - shorter
    second = _widened(atoms.sizes, largest, largest + 1, around)
    (begin, end), (next_begin, next_end) = sorted((first, second))
    if next_begin <= end:
        return [(begin, max(end, next_end))]
    return [(begin, end), (next_begin, next_end)]


def _passage(atoms: _Atoms, spans: Sequence[_Span], *, starts: bool, ends: bool) -> Snippet:
    """Return the atoms of spans, an ellipsis at each place where the text goes on."""
    fragments: list[SnippetFragment] = []
    if spans[0][0] > 0 or not starts:
        fragments.append(SnippetFragment(ELLIPSIS))
    for number, (begin, end) in enumerate(spans):
        if number:
            fragments.append(SnippetFragment(f" {ELLIPSIS} "))
        passage = zip(atoms.content[begin:end], atoms.matches[begin:end], strict=True)
        fragments += (SnippetFragment(content, bool(match)) for content, match in passage)
    if spans[-1][1] < len(atoms.content) or not ends:
        fragments.append(SnippetFragment(ELLIPSIS))
    return tuple(_joined(fragments))


def _window(content: Content, around: str | None, length: int) -> slice:
    """Return the part of a text that its passage can be in: a post may have ten thousand formulas.

    This is all of it or, if it must contain a formula, ``length`` characters before and after.
    """
    places = (
        place
        for place, piece in enumerate(content)
        if isinstance(piece, Formula) and piece.id == around
    )
    required = next(places, None) if around is not None else None
    if required is None:
        return slice(0, len(content))
    begin, end = required, required + 1
    before = after = 0
    while begin > 0 and before <= length:
        begin -= 1
        before += len(plain_text((content[begin],)))
    while end < len(content) and after <= length:
        after += len(plain_text((content[end],)))
        end += 1
    return slice(begin, end)


class _Atoms(NamedTuple):
    """The parts of a text that are never cut: words, the text between them, and formulas.

    ``matches`` has what each matches of the query, empty if nothing, ``sizes`` its number of
    characters; ``required`` is the place of the one that the passage must contain. These are lists,
    and not one list of records, because a post has hundreds of atoms and a page many posts.
    """

    content: list[str | Formula]
    matches: list[str]
    sizes: list[int]
    required: int | None


_WORD_OR_NOT = re.compile(r"[^\W_]+|[\W_]+")


def _atoms(
    content: Content, highlights: HighlightTerms, tuples_of: TupleCounter, around: str | None
) -> _Atoms:
    atoms: list[str | Formula] = []
    matches: list[str] = []
    sizes: list[int] = []
    required = None
    match_of = highlights.matches.__getitem__
    for piece in content:
        if isinstance(piece, str):
            texts, lengths = _words_and_others(piece)
            atoms += texts
            matches += map(match_of, texts)
            sizes += lengths
        else:
            is_required = around is not None and piece.id == around
            if is_required and required is None:
                required = len(atoms)
            is_match = is_required or highlights.has_stored_formula(piece, tuples_of)
            atoms.append(piece)
            # By their LaTeX formulas differ from words, which have no dollars.
            matches.append(f"${piece.latex}" if is_match else "")
            sizes.append(len(plain_text((piece,))))
    return _Atoms(atoms, matches, sizes, required)


_WHITE = re.compile(r"\s+")


@lru_cache(10_000)
def _words_and_others(prose: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the words of prose and what is between them, and the characters of each."""
    texts = tuple(_WORD_OR_NOT.findall(_WHITE.sub(" ", prose)))
    return texts, tuple(map(len, texts))


def _best_span(atoms: _Atoms, length: int) -> tuple[int, int]:
    """Return the span with the most different matches, then the most matches, then the earliest.

    It begins and ends with a match and contains the required atom; it is empty without a match.
    """
    places = [place for place, match in enumerate(atoms.matches) if match]
    ends = list(accumulate(atoms.sizes))
    inside: Counter[str] = Counter()
    most, best = (0, 0), (0, 0)
    first = 0
    for last, place in enumerate(places):
        inside[atoms.matches[place]] += 1
        while first < last and _size(atoms, ends, places[first], place) > length:
            left = atoms.matches[places[first]]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
        value = (len(inside), last - first + 1)
        is_complete = atoms.required is None or places[first] <= atoms.required <= place
        if value > most and is_complete:
            most, best = value, (places[first], place + 1)
    return best


def _size(atoms: _Atoms, ends: Sequence[int], first: int, last: int) -> int:
    """Return the number of characters from the first atom to the last."""
    return ends[last] - ends[first] + atoms.sizes[first]


def _widened(sizes: Sequence[int], begin: int, end: int, length: int) -> tuple[int, int]:
    """Return the span with as much around it as fits, a third of that before it."""
    room = length - sum(sizes[begin:end])
    before = room // 3
    while begin > 0 and sizes[begin - 1] <= before:
        begin -= 1
        before -= sizes[begin]
        room -= sizes[begin]
    # A passage without matches begins with the first atom, however long that is.
    while end < len(sizes) and (sizes[end] <= room or end == 0):
        room -= sizes[end]
        end += 1
    while begin > 0 and sizes[begin - 1] <= room:
        begin -= 1
        room -= sizes[begin]
    return begin, end


def _joined(pieces: Sequence[SnippetFragment]) -> Iterator[SnippetFragment]:
    """Yield the pieces, neighbouring prose without matches joined."""
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
