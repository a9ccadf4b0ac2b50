r"""Query formulas as trees and tokens, within limits.

Anyone can send a query, and each request analyzes it. So the nodes and tokens of a query formula
are limited; a larger formula is cut, and the problems say so. The limits are about five times the
largest formula of the labs' topics (118 nodes, 1,314 tokens). Macros can expand a few characters to
many; so that the cost of a query stays proportional to its length, the expansion is limited to
about what could have been typed instead.
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
"""Limits for the nodes of a query formula's layout tree: one for each character in between."""

MAX_TOKENS = 6_000
"""Tokens of one kind of one query formula."""

_KEPT = 256
"""Cached formulas by kind of tokens: one search analyzes a formula up to ten times."""


class QueryFormulaTokens(NamedTuple):
    """The tokens of a query formula, and its parse problems."""

    tokens: list[str]
    problems: tuple[ParseProblem, ...]


def query_tokens(kind: FormulaTokens, latex: str, macros: str = "") -> QueryFormulaTokens:
    r"""Return the tokens of a formula of a query, where ``?x`` is a wildcard.

    ``macros`` are definitions that it uses. Bad input never raises: a refused formula has only
    tokens of its LaTeX, and the problems give the reason. A query formula has no visual id.

    >>> query_tokens(FormulaTokens.L8, "?n^2").tokens
    ['(*,N!2,a)', '(*,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    >>> [problem.message for problem in query_tokens(FormulaTokens.L8, r"\frac{1}{x").problems]
    ['brace is not closed']
    """
    deadlines.check()
    tokens, problems = _tokens(kind, latex, macros)
    return QueryFormulaTokens(list(tokens), problems)


@lru_cache(_KEPT)
def _tokens(
    kind: FormulaTokens, latex: str, macros: str
) -> tuple[tuple[str, ...], tuple[ParseProblem, ...]]:
    if kind in FROM_LATEX:
        return tuple(FROM_LATEX[kind](latex)[:MAX_TOKENS]), ()
    layout, problems = query_layout(latex, macros)
    tokens = formula_tokens(kind, latex, layout)
    if len(tokens) > MAX_TOKENS:
        why = f"the formula has {len(tokens):,} features; only the first {MAX_TOKENS:,} are used"
        problems = (*problems, ParseProblem(0, why))
    return tuple(tokens[:MAX_TOKENS]), problems


@lru_cache(_KEPT)
def query_layout(latex: str, macros: str = "") -> ParsedTree:
    """Return the layout tree of a query formula and its problems; an empty tree if refused.

    A formula with more nodes than its length allows is cut.
    """
    deadlines.check()
    limit = min(MAX_NODES, max(MIN_NODES, len(latex) + len(macros)))
    limits = ExpansionLimits(limit, 2 * limit)
    try:
        tree, problems = parse_latex(with_wildcards(latex), read_macros(macros), limits)
    except LatexError as error:
        return ParsedTree(NO_TREE, (ParseProblem(error.offset, error.why),))
    nodes = count_nodes(tree.row)
    if nodes <= limit:
        return ParsedTree(tree, problems)
    why = f"the formula has {nodes:,} symbols; only the first {limit:,} are searched for"
    row, _ = _first_nodes(tree.row, limit)
    return ParsedTree(Tree(tree.kind, row), (*problems, ParseProblem(0, why)))


def count_nodes(row: Iterable[Node]) -> int:
    """Return how many nodes a row and everything attached to it have."""
    return sum(1 + sum(count_nodes(part) for _, part in node.parts) for node in row)


def _first_nodes(row: Row, limit: int) -> tuple[Row, int]:
    """Return the first ``limit`` nodes in reading order, and what is left of the limit."""
    kept: list[Node] = []
    for node in row:
        if not limit:
            break
        limit -= 1
        parts = []
        for edge, part in node.parts:
            shorter, limit = _first_nodes(part, limit)
            if shorter:
                parts.append((edge, shorter))
        kept.append(Node(node.label, tuple(parts)))
    return tuple(kept), limit


def clear_caches() -> None:
    """Forget all analyzed formulas, for measurements of their cost."""
    _tokens.cache_clear()
    query_layout.cache_clear()
