"""Content as text with formulas in prefix notation: each operator before its operands.

MIRMU's CompuBERT, Formula2Vec and soft cosine measure of 2020 read formulas so: brackets and the
order of LaTeX's commands are gone, and a formula is a sequence of names, as a sentence is.
"""

from __future__ import annotations

from functools import lru_cache

from porism.errors import LatexError
from porism.formula.latex import parse_latex, read_macros
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.model import Content

MAX_SYMBOLS = 400
"""Symbols of a formula that are written; the largest of the labs' topics has 118."""

_REMEMBERED = 50_000
"""Formulas whose notation a process keeps: most texts repeat a few."""


def prefix_tokens(operators: Tree) -> list[str]:
    """Return the labels of an operator tree, each operator before its operands.

    >>> prefix_tokens(operator_tree(parse_latex("x^2+1").tree))
    ['U!plus', 'O!SUP', 'V!x', 'N!2', 'N!1']
    """
    return [node.label for node in operators.nodes()]


def prefix_text(content: Content) -> str:
    r"""Return prose unchanged and each formula in prefix notation, by the names of its symbols.

    A formula that cannot be parsed stays LaTeX.

    >>> from porism.model import Formula
    >>> prefix_text(("Solve ", Formula("1", "x^2+1=0"), " and ", Formula("2", "\\frac{1")))
    'Solve eq plus sup x 2 1 0 and divide 1'
    """
    return "".join(
        piece if isinstance(piece, str) else _prefix_formula(piece.latex, piece.macros)
        for piece in content
    )


@lru_cache(_REMEMBERED)
def _prefix_formula(latex: str, macros: str) -> str:
    try:
        layout = parse_latex(latex, read_macros(macros)).tree
    except LatexError:
        return " ".join(latex.split())
    labels = prefix_tokens(operator_tree(layout))[:MAX_SYMBOLS]
    return " ".join(filter(None, map(_name, labels))) or " ".join(latex.split())


def _name(label: str) -> str:
    """Return the name in a label: ``x`` of ``V!x``, ``sup`` of ``O!SUP``."""
    kind, mark, name = label.rpartition("!")
    if not mark:
        return label
    return name.lower() if kind.endswith(("O", "U")) else name
