r"""Query formulas: what somebody typed as trees and tokens, within a budget.

A query is analysed for every request, by whoever sends one. So a formula of a query may have only
so many nodes and tokens; a larger one is cut, and the problems say so. The limits are some five
times what the largest formula of the labs' topics has (118 nodes, 1,314 tokens). Macros can make
much of a few characters; so that what a query costs stays in proportion to its length, they may
make no more of a formula than about what could have been typed in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from porism import deadlines
from porism.analysis.formula_tokens import FROM_LATEX, NO_TREE, FormulaTokens, formula_tokens
from porism.errors import LatexError
from porism.formula.latex import parse_latex, read_macros
from porism.formula.latex.macros import ExpansionLimits
from porism.formula.latex.tokenizer import with_wildcards
from porism.formula.tree import Node, ParsedTree, ParseProblem, Row, Tree

MIN_NODES, MAX_NODES = 120, 600
"""Nodes that the layout tree of a query formula may have, by its length: one for each character,
within these bounds."""

MAX_TOKENS = 6_000
"""Tokens of one query formula in one notation."""

_KEPT = 256
"""Formulas and notations remembered: one search analyses the same formula up to ten times."""


class QueryFormulaTokens(NamedTuple):
    """The tokens of a query formula, and what of it was not understood."""

    tokens: list[str]
    problems: tuple[ParseProblem, ...]


def query_tokens(notation: FormulaTokens, latex: str, macros: str = "") -> QueryFormulaTokens:
    r"""The tokens of a formula as somebody typed it into a search, where ``?x`` is a wildcard.

    ``macros`` are definitions that it uses. Never raises for what it is given: of what is refused
    there are tokens of the LaTeX alone, and the reason among the problems. A typed formula has no
    visual id.

    >>> query_tokens(FormulaTokens.L8, "?n^2").tokens
    ['(*,N!2,a)', '(*,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    >>> [problem.message for problem in query_tokens(FormulaTokens.L8, r"\frac{1}{x").problems]
    ['brace is not closed']
    """
    deadlines.check()
    tokens, problems = _tokens(notation, latex, macros)
    return QueryFormulaTokens(list(tokens), problems)


@lru_cache(_KEPT)
def _tokens(
    notation: FormulaTokens, latex: str, macros: str
) -> tuple[tuple[str, ...], tuple[ParseProblem, ...]]:
    if notation in FROM_LATEX:
        return tuple(FROM_LATEX[notation](latex)[:MAX_TOKENS]), ()
    layout, problems = query_layout(latex, macros)
    tokens = formula_tokens(notation, latex, layout)
    if len(tokens) > MAX_TOKENS:
        why = f"the formula has {len(tokens):,} features; only the first {MAX_TOKENS:,} are used"
        problems = (*problems, ParseProblem(0, why))
    return tuple(tokens[:MAX_TOKENS]), problems


@lru_cache(_KEPT)
def query_layout(latex: str, macros: str = "") -> ParsedTree:
    """The layout tree of a query formula and what was not understood; empty if it was refused.

    A formula with more nodes than its length allows is cut behind the first so many.
    """
    deadlines.check()
    most = min(MAX_NODES, max(MIN_NODES, len(latex) + len(macros)))
    limits = ExpansionLimits(most, 2 * most)
    try:
        tree, problems = parse_latex(with_wildcards(latex), read_macros(macros), limits)
    except LatexError as error:
        return ParsedTree(NO_TREE, (ParseProblem(error.offset, error.why),))
    nodes = count_nodes(tree.row)
    if nodes <= most:
        return ParsedTree(tree, problems)
    why = f"the formula has {nodes:,} symbols; only the first {most:,} are searched for"
    row, _ = _first_nodes(tree.row, most)
    return ParsedTree(Tree(tree.kind, row), (*problems, ParseProblem(0, why)))


def count_nodes(row: Iterable[Node]) -> int:
    """How many nodes a row and all that hangs on it have."""
    return sum(1 + sum(count_nodes(part) for _, part in node.parts) for node in row)


def _first_nodes(row: Row, most: int) -> tuple[Row, int]:
    """The first ``most`` nodes in the order of reading, and how many of these are left to take."""
    kept: list[Node] = []
    for node in row:
        if not most:
            break
        most -= 1
        parts = []
        for edge, part in node.parts:
            shorter, most = _first_nodes(part, most)
            if shorter:
                parts.append((edge, shorter))
        kept.append(Node(node.label, tuple(parts)))
    return tuple(kept), most


def clear_caches() -> None:
    """Forget all formulas that were analysed, as measurements of what that costs must."""
    _tokens.cache_clear()
    query_layout.cache_clear()
