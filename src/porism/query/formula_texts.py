"""Texts that are typed to search for a formula: one formula, or a sentence that has some."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from porism.query.delimited_math import delimited_formulas
from porism.query.interpretation import formula_part, interpret
from porism.query.parts import (
    FormulaSyntax,
    Interpretation,
    PartKind,
    QueryPart,
    Span,
    joined_parts,
)
from porism.query.undelimited.brackets import grouped
from porism.query.undelimited.formula_runs import run_at
from porism.query.undelimited.lexer import Element, Slot, elements


def formula_interpretation(text: str, literal: Collection[str] = ()) -> Interpretation:
    r"""The parts of a text in which a formula is expected.

    Without words the whole text is one formula, however little it has: ``x`` or ``ab``. LaTeX is
    kept as it is. A text with words is read as everywhere else.

    >>> [part.value for part in formula_interpretation("ab").formulas]
    ['ab']
    >>> formula_interpretation("why does the sum of 1/n diverge").formulas[0].source
    '1/n'
    """
    stripped = text.strip(_WHITE)
    if not stripped or delimited_formulas(text):
        environment = stripped.startswith("\\") and not _DELIMITED.match(stripped)
        if not (environment and _is_latex(stripped)):
            return interpret(text, literal)
    start = text.index(stripped)
    source = stripped
    part = _whole_part(source)
    if part is None or part.source in literal:
        return interpret(text, literal)
    return Interpretation(joined_parts(text, [Span(start, start + len(source), part)]))


_WHITE = " \t\r\n"
_DELIMITED = re.compile(r"\\[(\[]|\\begin")


def _is_latex(text: str) -> bool:
    return _DEFINITION.match(text) is not None


_DEFINITION = re.compile(r"\\(?:(?:re|provide)?newcommand|[gex]?def|let|DeclareMathOperator)\b")


def _whole_part(source: str) -> QueryPart | None:
    """The text as one formula; None if it has words, or operators of queries."""
    if _is_latex(source):
        return QueryPart(PartKind.FORMULA, source, source, FormulaSyntax.LATEX)
    row = grouped(elements(source))
    if _has_words(row):
        return None
    if "\\" in source or run_at(row, 0, is_inside=True).end < len(row):
        return QueryPart(PartKind.FORMULA, source, source, FormulaSyntax.LATEX)
    return formula_part(source, row)


def _has_words(row: Sequence[Element]) -> bool:
    return any(each.slot is Slot.PROSE and each.text[0].isalpha() for each in row)
