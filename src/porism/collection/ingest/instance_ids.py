"""Each formula of a post gets its id, its number and the macros that hold where it stands.

A formula keeps the id that its file gives it. One without gets an id made of the post's number and
its place in the post, in a range that no file uses, so that ids do not depend on what else is in
the collection. (A document's number is the next one free, and its formulas' ids follow from it.)
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from porism.collection.ingest.formula_trees import PendingFormula
from porism.collection.schema import InstancePlace
from porism.errors import PorismError
from porism.formats.markup import LocatedFormula, MarkupRepair, find_formulas, with_formula_spans
from porism.formats.markup.macros import macro_definitions, used_definitions
from porism.formula.latex import latex as spelled
from porism.formula.mathml import read_presentation
from porism.hashing import text_number

POSTS_FROM = 1_000_000_000_000_000
COMMENTS_FROM = 3_000_000_000_000_000
PLACES = 100_000
"""Fresh ids: a range for posts and one for comments, with so many places for each of them.

They stay below 2 to the power of 53, the largest that every reader of JSON keeps exact.
"""

MAX_POSTS = (COMMENTS_FROM - POSTS_FROM) // PLACES
MAX_COMMENTS = (2**53 - COMMENTS_FROM) // PLACES
"""Posts and comments with a number below these have such ids."""

REPAIRS: tuple[MarkupRepair, ...] = tuple(MarkupRepair)
"""A repair is stored as the bit of its place here."""

RECOVERED = 1 << len(REPAIRS)
"""The bit of a formula that lost its id and got it back from the lab's formula files."""

_ID = re.compile(r"[0-9]{1,15}|[1-8][0-9]{15}")


class FormulaInstance(NamedTuple):
    """A formula where it stands; ``number`` is that of the distinct formula."""

    id: int
    place: int
    number: int
    repairs: int


class IdentifiedTexts(NamedTuple):
    """Texts with an id at every formula, the formulas, and ids that more than one of them had.

    ``formulas`` are those of the instances, in the same order.
    """

    texts: tuple[str, ...]
    instances: list[FormulaInstance]
    formulas: list[PendingFormula]
    duplicate_ids: list[int]


class PlacedText(NamedTuple):
    """HTML, and where in its post it stands."""

    markup: str
    place: InstancePlace


def identified_texts(
    texts: Iterable[PlacedText], fresh_from: int, macros: str = "", taken: Container[int] = ()
) -> IdentifiedTexts:
    """The texts of one post, or one comment, with every formula identified, in reading order.

    ``fresh_from`` is the first of the ids for formulas without one; ``macros`` hold from the
    beginning, those that a formula defines from there on. Ids in ``taken``, and those that occur a
    second time, are not used again: the formula gets a fresh one. The texts should not have more
    than ``PLACES`` formulas, for the ids of the next post begin there.
    """
    known = macro_definitions(macros) if macros else {}
    out: list[str] = []
    instances: list[FormulaInstance] = []
    formulas: list[PendingFormula] = []
    twice: list[int] = []
    ids: set[int] = set()
    place_in_post = 0
    for text in texts:
        found = find_formulas(text.markup)
        names: list[str] = []
        for formula in found:
            own = int(formula.id) if formula.id and _ID.fullmatch(formula.id) else None
            if own is not None and (own in ids or own in taken):
                twice.append(own)
                own = None
            formula_id = fresh_from + place_in_post if own is None else own
            place_in_post += 1
            ids.add(formula_id)
            names.append(str(formula_id))
            distinct = _distinct(formula, known)
            formulas.append(distinct)
            instances.append(
                FormulaInstance(formula_id, text.place, distinct.number, _bits(formula.repairs))
            )
        out.append(with_formula_spans(text.markup, found, names))
    return IdentifiedTexts(tuple(out), instances, formulas, twice)


def _distinct(formula: LocatedFormula, known: dict[str, str]) -> PendingFormula:
    latex = formula.latex or (_latex_of_mathml(formula.mathml) if formula.mathml else "")
    distinct, defines_macros = _looked_up(latex)
    if known and (macros := used_definitions(latex, known)):
        distinct = PendingFormula(text_number(latex, macros), latex, macros)
    # A formula that defines a macro reads its own definitions; they hold for those after it.
    if defines_macros:
        known.update(macro_definitions(latex))
    return distinct


@lru_cache(maxsize=1 << 14)  # most formulas of a text are among the frequent ones
def _looked_up(latex: str) -> tuple[PendingFormula, bool]:
    """The formula where no macros hold, and whether it defines some."""
    return PendingFormula(text_number(latex, ""), latex, ""), _DEFINES.search(latex) is not None


@cache
def _bits(repairs: tuple[MarkupRepair, ...]) -> int:
    return sum(1 << REPAIRS.index(repair) for repair in set(repairs))


_DEFINES = re.compile(r"\\(?:def|gdef|let|newcommand|renewcommand|providecommand|Declare|NewDoc)")


def _latex_of_mathml(mathml: str) -> str:
    """LaTeX that reads as the MathML does; its bare text where even that is refused."""
    try:
        return spelled(read_presentation(mathml).tree)
    except PorismError:
        return re.sub(r"<[^<>]*>", "", mathml).strip()
