"""Parsing of distinct formulas: the number of symbols, the visual id, and problems."""

from __future__ import annotations

import logging

from porism.errors import LatexError, error_summary
from porism.formula.latex import parse_latex, read_macros
from porism.formula.visual_ids import visual_id_of_layout
from porism.hashing import text_number

log = logging.getLogger(__name__)

PendingFormula = tuple[int, str, str]
"""Number, LaTeX and macros of a formula to be parsed; a plain tuple is cheaper to pickle."""

ParsedFormula = tuple[int, str, str, int, int, str | None]
"""A row of the table of formulas: number, LaTeX, macros, symbols, visual id and problem."""


def parsed_formula(pending: PendingFormula) -> ParsedFormula:
    """The formula with what ingest records of its tree; one that the parser refuses has none."""
    number, latex, macros = pending
    slt = ""
    try:
        tree, problems = parse_latex(latex, read_macros(macros)) if macros else parse_latex(latex)
        slt = str(tree)
        problem = problems[0].message if problems else None
    except LatexError as error:
        problem = f"refused: {error.why}"
    except Exception as error:  # one formula must not stop an ingest
        log.warning("formula %.200r: kept as LaTeX (%s)", latex, error_summary(error))
        problem = f"refused: an error in Porism ({error_summary(error)})"
    # In Tangent's notation every symbol opens one bracket; a bracket as a symbol is spelled out.
    symbols, visual_id = slt.count("["), text_number(visual_id_of_layout(slt, latex))
    return number, latex, macros, symbols, visual_id, problem


def parsed_formulas(chunk: list[PendingFormula]) -> list[ParsedFormula]:
    """``parsed_formula`` of each, for a worker process."""
    return [parsed_formula(pending) for pending in chunk]
