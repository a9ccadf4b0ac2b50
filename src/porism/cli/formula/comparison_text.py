"""What two formulas share, as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import click

from porism.cli.terminal import harmless
from porism.formula.comparison import FormulaComparison, Replacement

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
"""The colours of shared parts, one after another, on a terminal."""


def comparison_lines(
    comparison: FormulaComparison, is_terminal: bool, written: Callable[[str], str] = harmless
) -> Iterator[str]:
    """Each shared part as in the query and in the result, renamed variables, and the rest.

    ``written`` makes the text to print of LaTeX.
    """
    if not comparison.is_aligned:
        yield "not aligned: both formulas are large"
        return
    for number, part in enumerate(comparison.parts):
        one, other = written(part.query_latex), written(part.result_latex)
        if is_terminal:
            colour = COLOURS[number % len(COLOURS)]
            one, other = click.style(one, fg=colour), click.style(other, fg=colour)
        yield (
            f"matches {one}"
            if part.query_latex == part.result_latex
            else (f"matches {one} with {other}")
        )
    if comparison.renamed:
        yield f"renamed {_listed(comparison.renamed, written)}"
    if comparison.wildcards:
        yield f"wildcards {_listed(comparison.wildcards, written)}"
    if comparison.missing:
        yield f"missing {',  '.join(map(written, comparison.missing))}"


def comparison_text(comparison: FormulaComparison, is_terminal: bool) -> str:
    """The comparison of two formulas that a person asks for, with what only the second has."""
    lines = list(comparison_lines(comparison, is_terminal))
    if comparison.is_aligned and not comparison.parts:
        lines.insert(0, "nothing in common")
    if comparison.extra:
        lines.append(f"extra {harmless(',  '.join(comparison.extra))}")
    return "\n".join(lines)


def _listed(replacements: Sequence[Replacement], written: Callable[[str], str]) -> str:
    return ",  ".join(f"{written(each.query)} → {written(each.result)}" for each in replacements)
