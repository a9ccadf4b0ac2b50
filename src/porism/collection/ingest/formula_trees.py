"""Distinct formulas parsed: the trees as strings, and the number by which they look alike."""

from __future__ import annotations

import logging
from typing import NamedTuple

from porism.errors import LatexError, error_summary
from porism.formula.latex import parse_latex, read_macros
from porism.formula.operators import operator_tree
from porism.formula.visual_ids import visual_id_of_layout
from porism.hashing import text_number

log = logging.getLogger(__name__)


class PendingFormula(NamedTuple):
    """A formula that is still to be parsed, with the definitions of the macros it uses."""

    number: int
    latex: str
    macros: str


PendingValues = tuple[int, str, str]
"""The same as a plain tuple, which goes to another process more cheaply."""

ParsedValues = tuple[int, str, str, str, str, int, str | None]
"""A row of the table of formulas: number, LaTeX, macros, both trees, visual id and problem."""


def parsed_formula(pending: PendingValues) -> ParsedValues:
    """The formula with its trees; one that the parser refuses keeps its LaTeX and has none."""
    number, latex, macros = pending
    try:
        tree, problems = parse_latex(latex, read_macros(macros)) if macros else parse_latex(latex)
        slt, opt = str(tree), str(operator_tree(tree))
        problem = problems[0].message if problems else None
    except LatexError as error:
        slt, opt, problem = "", "", f"refused: {error.why}"
    except Exception as error:  # one formula must not stop an ingest
        log.warning("formula %.200r: kept as LaTeX (%s)", latex, error_summary(error))
        slt, opt, problem = "", "", f"refused: an error in Porism ({error_summary(error)})"
    look = text_number(visual_id_of_layout(slt, latex))
    return number, latex, macros, slt, opt, look, problem


def parsed_formulas(chunk: list[PendingValues]) -> list[ParsedValues]:
    """``parsed_formula`` of each, for a process of its own."""
    return [parsed_formula(pending) for pending in chunk]
