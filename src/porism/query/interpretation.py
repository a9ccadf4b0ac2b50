"""A typed text in parts: words, formulas in whatever syntax, and operators.

The sources of the parts, joined, are the text, so a page can show how each part of a query was
understood, and let a person correct it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.formula.tree import MAX_DEPTH
from porism.query.delimited_math import EnclosedFormula, delimited_formulas
from porism.query.operators import has_operators, operators
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
from porism.query.undelimited.latex_math import formula_latex
from porism.query.undelimited.lexer import Element, Slot, elements
from porism.query.undelimited.math_names import ACCENTS, is_math_sign
from porism.query.undelimited.spoken_math import spoken_formula, spoken_power

__all__ = ["FormulaSyntax", "Interpretation", "PartKind", "QueryPart", "formula_part", "interpret"]


def interpret(text: str, literal: Collection[str] = ()) -> Interpretation:
    r"""The parts of a text; those whose source is in ``literal`` are read as words.

    Time is linear in the length of the text, and no text raises.

    >>> parts = interpret("sqrt(2) irrational [number-theory]").parts
    >>> [(part.kind.value, part.value or part.source) for part in parts]
    [('formula', '\\sqrt{2}'), ('words', ' irrational '), ('tag', 'number-theory')]
    """
    spans = [span for span in _spans(text) if span.part.source not in literal]
    return Interpretation(joined_parts(text, spans))


def _spans(text: str) -> list[Span]:
    """Formulas and operators, in order."""
    delimited = delimited_formulas(text)
    environments = [each for each in delimited if each.is_environment]
    spans = [
        Span(each.start, each.end, _delimited_part(text, each))
        for each in delimited
        if not each.is_environment
    ]
    if has_operators(text):
        taken = sorted(each[:2] for each in delimited)
        spans += [span for gap in _gaps(taken, len(text)) for span in operators(text, *gap)]
        spans.sort(key=lambda span: span.start)
    bare: list[Span] = []
    for start, end in _gaps([(span.start, span.end) for span in spans], len(text)):
        inside = [each for each in environments if start <= each.start < end]
        bare += _bare_formulas(text, start, end, inside)
    return sorted((*spans, *bare), key=lambda span: span.start)


def _gaps(taken: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """The parts of a text between others."""
    bounds = [(0, 0), *taken, (length, length)]
    return ((left[1], right[0]) for left, right in pairwise(bounds) if left[1] < right[0])


def _delimited_part(text: str, formula: EnclosedFormula) -> QueryPart:
    source = text[formula.start : formula.end]
    return QueryPart(PartKind.FORMULA, source, formula.latex, FormulaSyntax.DELIMITED)


# Formulas that nothing delimits -----------------------------------------------------------------


def _bare_formulas(
    text: str, start: int, end: int, environments: Sequence[EnclosedFormula]
) -> list[Span]:
    row: list[Element] = []
    for each in environments:
        row += elements(text, start, each.start)
        row.append(Element(Slot.OPERAND, each.latex, each.start, each.end, is_strong=True))
        start = each.end
    row = grouped(row + elements(text, start, end))
    spans: list[Span] = []
    at = 0
    while at < len(row):
        if row[at].slot in (Slot.SPACE, Slot.STOP):
            at += 1
            continue
        part, end_at = _formula_at(text, row, at)
        if part is not None:
            spans.append(Span(row[at].start, row[end_at - 1].end, part))
        at = max(end_at, at + 1)
    return spans


def _formula_at(text: str, row: Sequence[Element], at: int) -> tuple[QueryPart | None, int]:
    """The formula that begins at an element, if any, and where to go on."""
    spoken = spoken_formula(row, at)
    if spoken is not None and not _is_refused(spoken.latex):
        source = text[row[at].start : row[spoken.end - 1].end]
        part = QueryPart(PartKind.FORMULA, source, spoken.latex, FormulaSyntax.SPOKEN)
        return part, spoken.end
    if row[at].slot is Slot.PROSE:
        return None, at + 1
    run = run_at(row, at)
    if run.end == at:
        return None, at + 1
    power = spoken_power(row, at, run.end)
    if power is not None and not _is_refused(power.latex):
        source = text[row[at].start : row[power.end - 1].end]
        return QueryPart(PartKind.FORMULA, source, power.latex, FormulaSyntax.SPOKEN), power.end
    if not run.is_formula:
        return None, run.end
    part = formula_part(text, row[at : run.end])
    return (None if _is_refused(part.value) else part), run.end


def _is_refused(latex: str) -> bool:
    """Whether a formula is nested more deeply than any is read."""
    if sum(latex.count(sign) for sign in "\\{([^_") <= MAX_DEPTH:
        return False
    try:
        parse_latex(latex)
    except LatexError:
        return True
    return False


def formula_part(text: str, run: Sequence[Element]) -> QueryPart:
    """The elements of a formula as a part, with its LaTeX."""
    source = text[run[0].start : run[-1].end]
    if len(run) == 1 and run[0].text.startswith("\\begin{"):
        return QueryPart(PartKind.FORMULA, source, run[0].text, FormulaSyntax.DELIMITED)
    syntax = _syntax(source, run)
    return QueryPart(PartKind.FORMULA, source, formula_latex(run), syntax)


def _syntax(source: str, run: Sequence[Element]) -> FormulaSyntax:
    if "\\" in source:
        return FormulaSyntax.LATEX
    if not source.isascii() and any(
        is_math_sign(char) or "\u0370" <= char <= "\u03ff" or char in ACCENTS for char in source
    ):
        return FormulaSyntax.UNICODE
    is_spoken = any(each.slot is Slot.SPOKEN_POWER or each.text in _SPOKEN for each in run)
    return FormulaSyntax.SPOKEN if is_spoken else FormulaSyntax.PLAIN


_SPOKEN = frozenset(("plus", "minus", "times", "over", "equals", "choose"))
