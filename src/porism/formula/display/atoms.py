"""Atoms, as TeX calls the symbols of a row by their role, and the rows made of them as MathML.

TeX decides by the roles of two neighbours how much space is between them. Browsers have a table of
their own for operators, so an operator has attributes wherever it differs from TeX's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import groupby, pairwise
from typing import NamedTuple

SLOT = "\x01"
"""Stands in an operator's element where the attributes for its space go."""

NEUTRAL = -1
"""The mark of what is not in the layout tree, such as space: neither marked nor unmarked."""

Mark = int | None
"""The number of the marked part that all of something belongs to; None if it is not marked."""

_COLOURS = 6


class Kind(IntEnum):
    """TeX's classes of atoms, and space, which is none."""

    ORD = 0
    OP = 1
    BIN = 2
    REL = 3
    OPEN = 4
    CLOSE = 5
    PUNCT = 6
    INNER = 7
    SPACE = 8


class Limits(StrEnum):
    """Where the scripts of an atom go."""

    BESIDE = "beside"
    MOVABLE = "movable"
    """Over and under it in displayed formulas, beside it in text."""
    ALWAYS = "always"


@dataclass(slots=True)
class Atom:
    """One element of a row.

    ``spaces`` are those, in mu, that browsers give its operator, None if it has none; -1 stands for
    unknown. ``style`` are attributes of an ``mstyle`` around it and neighbours with the same.
    """

    xml: str
    role: Kind = Kind.ORD
    mark: Mark = NEUTRAL
    spaces: tuple[int, int] | None = None
    limits: Limits = Limits.BESIDE
    style: str = ""
    word: str = ""
    is_sign: bool = False


# The TeXbook, chapter 18: thin, medium and thick space; capitals are left out in scripts.
_SPACES = (
    "0tMK000T",
    "tt0K000T",
    "MM00M00M",
    "KK00K00K",
    "00000000",
    "0tMK000T",
    "TT0TTTTT",
    "TtMKT0TT",
)
_MU = {"0": 0, "t": 3, "T": 3, "M": 4, "K": 5}
_TEXT_SPACES = tuple(tuple(_MU[each] for each in line) for line in _SPACES)
_SCRIPT_SPACES = tuple(tuple(3 if each == "t" else 0 for each in line) for line in _SPACES)
_BEFORE_NO_OPERAND = frozenset((Kind.BIN, Kind.OP, Kind.REL, Kind.OPEN, Kind.PUNCT))
_AFTER_NO_OPERAND = frozenset((Kind.REL, Kind.CLOSE, Kind.PUNCT))

WIDTHS = {0: "0", 3: "0.1667em", 4: "0.2222em", 5: "0.2778em"}


class Elements(NamedTuple):
    """The elements of a row; ``marked`` are the same with their marked runs wrapped."""

    plain: list[str]
    marked: list[str]
    mark: Mark

    def inside(self, is_marked: bool) -> str:
        """All elements, where any number is allowed; unmarked if their parent is marked."""
        return "".join(self.plain if is_marked else self.marked)

    def one(self, is_marked: bool) -> str:
        """The row as exactly one element."""
        elements = self.plain if is_marked else self.marked
        return elements[0] if len(elements) == 1 else f"<mrow>{''.join(elements)}</mrow>"


def combined(marks: Iterable[Mark]) -> Mark:
    """The mark of a whole: that of all its parts which are not neutral, if they agree."""
    distinct = set(marks) - {NEUTRAL}
    if not distinct:
        return NEUTRAL
    return distinct.pop() if len(distinct) == 1 else None


def elements_of(atoms: Sequence[Atom], is_script: bool) -> Elements:
    """The elements of a row with TeX's spaces between them."""
    if len(atoms) == 1 and atoms[0].mark == NEUTRAL and atoms[0].role is not Kind.SPACE:
        return _single(atoms[0])
    solid = [atom for atom in atoms if atom.role is not Kind.SPACE]
    roles = _resolved_roles(solid)
    table = _SCRIPT_SPACES if is_script else _TEXT_SPACES
    sides = _sides(solid, [table[left][right] for left, right in pairwise(roles)])
    pieces: list[tuple[str, Mark, str]] = []
    marks = {atom.mark for atom in solid} - {NEUTRAL}
    has_marks = not marks <= {None}
    place = -1
    for atom in atoms:
        if atom.role is Kind.SPACE:
            if atom.xml:
                pieces.append((atom.xml, NEUTRAL, atom.style))
            continue
        place += 1
        left, right = sides[place]
        if atom.spaces is None:
            if left:
                pieces.append((f'<mspace width="{WIDTHS[left]}"/>', NEUTRAL, atom.style))
            pieces.append((atom.xml, atom.mark, atom.style))
            continue
        known = atom.spaces
        if atom.is_sign and (
            has_marks
            or place == len(solid) - 1
            or not pieces
            or pieces[-1][2] != atom.style
            or solid[place + 1].style != atom.style
        ):
            known = (-1, -1)  # at the edge of an element browsers take it for a sign
        pieces.append((_with_spaces(atom.xml, left, right, known), atom.mark, atom.style))
    plain = _styled([(xml, style) for xml, _, style in pieces])
    marked = _marked(pieces) if has_marks else plain
    return Elements(plain, marked, NEUTRAL if not marks else combined(marks))


def _single(atom: Atom) -> Elements:
    """A row of one atom without a mark, as most are."""
    xml = atom.xml if atom.spaces is None else _with_spaces(atom.xml, 0, 0, atom.spaces)
    plain = [f"<mstyle{atom.style}>{xml}</mstyle>" if atom.style else xml]
    return Elements(plain, plain, NEUTRAL)


def _sides(solid: Sequence[Atom], gaps: Sequence[int]) -> list[tuple[int, int]]:
    """The space on both sides of each atom.

    A gap belongs to an operator beside it. Between two operators it belongs to the one that
    browsers give that space anyway.
    """
    sides = [[0, 0] for _ in solid]
    for place, gap in enumerate(gaps):
        left, right = solid[place].spaces, solid[place + 1].spaces
        if left is None or (right is not None and right[0] == gap and left[1] == 0):
            sides[place + 1][0] = gap
        else:
            sides[place][1] = gap
    return [(left, right) for left, right in sides]


def _resolved_roles(solid: Sequence[Atom]) -> list[Kind]:
    """The roles, with binary operators that lack an operand as ordinary symbols."""
    roles: list[Kind] = []
    for atom in solid:
        role = atom.role
        if role is Kind.BIN and (not roles or roles[-1] in _BEFORE_NO_OPERAND):
            role = Kind.ORD
        elif role in _AFTER_NO_OPERAND and roles and roles[-1] is Kind.BIN:
            roles[-1] = Kind.ORD
        roles.append(role)
    if roles and roles[-1] is Kind.BIN:
        roles[-1] = Kind.ORD
    return roles


def _with_spaces(xml: str, left: int, right: int, known: tuple[int, int]) -> str:
    attributes = f' lspace="{WIDTHS[left]}"' if left != known[0] else ""
    attributes += f' rspace="{WIDTHS[right]}"' if right != known[1] else ""
    return xml.replace(SLOT, attributes, 1)


def _styled(pieces: list[tuple[str, str]]) -> list[str]:
    """The elements, neighbours of the same style together in an ``mstyle``."""
    if not any(style for _, style in pieces):
        return [xml for xml, _ in pieces]
    out: list[str] = []
    for style, run in groupby(pieces, key=lambda piece: piece[1]):
        inside = [xml for xml, _ in run]
        out += [f"<mstyle{style}>{''.join(inside)}</mstyle>"] if style else inside
    return out


def _marked(pieces: list[tuple[str, Mark, str]]) -> list[str]:
    """The elements with each run of a marked part as one element, inside those of styles."""
    marks = _without_neutral([mark for _, mark, _ in pieces])
    runs: list[tuple[str, str]] = []
    for (mark, style), group in groupby(
        zip(pieces, marks, strict=True), key=lambda each: (each[1], each[0][2])
    ):
        inside = [piece[0] for piece, _ in group]
        if mark is None:
            runs += ((xml, style) for xml in inside)
        else:
            runs.append((with_hit("".join(inside), len(inside), mark), style))
    return _styled(runs)


def _without_neutral(marks: list[Mark]) -> list[Mark]:
    """The marks, neutral ones between two that agree as theirs, the others as none."""
    out: list[Mark] = []
    open_since: int | None = None
    last: Mark = None
    for place, mark in enumerate(marks):
        out.append(None if mark == NEUTRAL else mark)
        if mark == NEUTRAL:
            continue
        if open_since is not None and mark is not None and mark == last:
            out[open_since:place] = [mark] * (place - open_since)
        open_since, last = place + 1, mark
    return out


def with_hit(xml: str, count: int, number: int) -> str:
    """Marked elements as one; parts beyond the last colour begin again."""
    name = f"hit part{(number - 1) % _COLOURS + 1}" if number else "hit"
    start = xml[: xml.find(">")]
    if count == 1 and "class=" not in start and xml.startswith(("<mi", "<mn", "<mo", "<mtext")):
        kind_end = len(start.split(" ", 1)[0])
        if start[:kind_end] in ("<mi", "<mn", "<mo", "<mtext"):
            return f'{xml[:kind_end]} class="{name}"{xml[kind_end:]}'
    return f'<mrow class="{name}">{xml}</mrow>'
