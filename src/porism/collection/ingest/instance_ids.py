"""The id, number and macros of each formula in a post or comment.

A formula keeps the id that its file gives it. Others get an id made of the post's number and the
position in the post, in a range that no file uses, so that ids do not depend on the rest of the
collection. (Documents get the next free number, which also decides the ids of their formulas.)
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from porism.collection.ingest.formula_trees import PendingFormula
from porism.collection.schema import InstancePlace
from porism.errors import PorismError
from porism.formats.markup import MarkupRepair, find_formulas, with_formula_spans
from porism.formats.markup.macros import macro_definitions, used_definitions
from porism.formula.latex import latex as spelled
from porism.formula.mathml import read_presentation
from porism.hashing import text_number

POSTS_FROM = 1_000_000_000_000_000
COMMENTS_FROM = 3_000_000_000_000_000
PLACES = 100_000
"""Fresh ids: a range for posts and one for comments, with ``PLACES`` ids for each of them.

They are below 2^53, the largest integer that every JSON reader keeps exact.
"""

MAX_POSTS = (COMMENTS_FROM - POSTS_FROM) // PLACES
MAX_COMMENTS = (2**53 - COMMENTS_FROM) // PLACES
"""Limits on the numbers of posts and comments, so that ids stay in their range."""

REPAIRS: tuple[MarkupRepair, ...] = tuple(MarkupRepair)
"""A repair is stored as the bit at its position here."""

RECOVERED = 1 << len(REPAIRS)
"""The bit of a formula whose lost id was recovered from the lab's formula files."""

_ID = re.compile(r"[0-9]{1,15}|[1-8][0-9]{15}")


class IdentifiedTexts(NamedTuple):
    """Texts with an id at every formula, and their instances.

    ``numbers`` has four numbers for each instance: id, place, number of the distinct formula,
    repairs. ``formulas`` are the distinct formulas, in the same order. ``duplicate_ids`` were used
    by more than one formula.
    """

    texts: tuple[str, ...]
    numbers: list[int]
    formulas: list[PendingFormula]
    duplicate_ids: list[int]


class PlacedText(NamedTuple):
    """HTML, and which part of a post it is."""

    markup: str
    place: InstancePlace


def identified_texts(
    texts: Iterable[PlacedText], fresh_from: int, macros: str = "", taken: Container[int] = ()
) -> IdentifiedTexts:
    """The texts of one post or comment, with every formula identified, in reading order.

    ``fresh_from`` is the first id for formulas without one. ``macros`` apply from the beginning,
    those that a formula defines to the formulas after it. A formula whose id is in ``taken``, or
    occurred before, gets a fresh one. Texts should have at most ``PLACES`` formulas, since the ids
    of the next post begin there.
    """
    known = macro_definitions(macros) if macros else {}
    out: list[str] = []
    numbers: list[int] = []
    formulas: list[PendingFormula] = []
    duplicate_ids: list[int] = []
    ids: set[int] = set()
    for text in texts:
        markup, place = text
        located = find_formulas(markup)
        names: list[str] = []
        for formula in located:
            formula_id = fresh_from + len(formulas)
            if formula.id and _ID.fullmatch(formula.id):
                own = int(formula.id)
                if own in ids or own in taken:
                    duplicate_ids.append(own)
                else:
                    formula_id = own
            ids.add(formula_id)
            names.append(str(formula_id))
            latex = formula.latex or (_latex_of_mathml(formula.mathml) if formula.mathml else "")
            distinct, defines_macros = _without_macros(latex)
            if known and (used := used_definitions(latex, known)):
                distinct = (text_number(latex, used), latex, used)
            # The parser reads the definitions within a formula itself; they apply to those after.
            if defines_macros:
                known.update(macro_definitions(latex))
            formulas.append(distinct)
            numbers += (formula_id, place, distinct[0], _bits(formula.repairs))
        out.append(with_formula_spans(markup, located, names))
    return IdentifiedTexts(tuple(out), numbers, formulas, duplicate_ids)


@lru_cache(maxsize=1 << 14)  # most formulas of a text are frequent ones
def _without_macros(latex: str) -> tuple[PendingFormula, bool]:
    """The formula where it uses no macros, and whether it defines some."""
    return (text_number(latex, ""), latex, ""), _DEFINES.search(latex) is not None


@cache
def _bits(repairs: tuple[MarkupRepair, ...]) -> int:
    return sum(1 << REPAIRS.index(repair) for repair in set(repairs))


_DEFINES = re.compile(r"\\(?:def|gdef|let|newcommand|renewcommand|providecommand|Declare|NewDoc)")


def _latex_of_mathml(mathml: str) -> str:
    """LaTeX for MathML, or its bare text if it cannot be read."""
    try:
        return spelled(read_presentation(mathml).tree)
    except PorismError:
        return re.sub(r"<[^<>]*>", "", mathml).strip()
