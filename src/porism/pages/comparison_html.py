"""What two formulas share, as HTML: each shared part has one colour on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from porism.formula.comparison import FormulaComparison, Replacement
from porism.formula.latex import parse_query
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Tree


def comparison_html(comparison: FormulaComparison) -> str:
    """The query and the result with their parts marked, renamed variables, and what is missing.

    Empty if nothing is shared.
    """
    if not comparison.parts:
        return ""
    pieces = [
        f"<div><dt>Query</dt><dd>{_formula(comparison.marked_query())}</dd></div>",
        f"<div><dt>Result</dt><dd>{_formula(comparison.marked_result())}</dd></div>",
        _replacements("Renamed", comparison.renamed),
        _replacements("Wildcards", comparison.wildcards),
    ]
    if comparison.missing:
        missing = ", ".join(map(_latex_html, comparison.missing))
        pieces.append(f"<div><dt>Missing</dt><dd>{missing}</dd></div>")
    return f'<dl class="comparison">{"".join(pieces)}</dl>'


def _formula(tree: Tree) -> str:
    return f'<span class="formula">{presentation_mathml(tree)}</span>'


def _replacements(title: str, replacements: Sequence[Replacement]) -> str:
    if not replacements:
        return ""
    listed = ", ".join(
        f"{_latex_html(each.query)} → {_latex_html(each.result)}" for each in replacements
    )
    return f"<div><dt>{title}</dt><dd>{listed}</dd></div>"


def _latex_html(latex: str) -> str:
    """A part of a formula; LaTeX in which a part is no formula by itself is shown as typed."""
    if latex == "…":
        return latex
    parsed = parse_query(latex)
    if parsed.problems or not parsed.tree.row:
        return f"<code>{escape(latex)}</code>"
    return _formula(parsed.tree)
