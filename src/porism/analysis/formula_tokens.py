r"""Formula tokens: the kinds of tokens that an index can have for a formula.

Tokens of different kinds never equal each other or words of the text, because they begin
differently: layouts with ``(`` or ``{``, operators with ``<``, paths with ``/``, symbols with
``[``, runs of symbols with ``:``, symbols by position with ``#``, subformulas with ``~``, visual
ids with ``@``, linear texts with ``=``; the labels of prefix notation have an exclamation mark.
Other tokens of the LaTeX source may equal words, as in the systems that use them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from porism.analysis.latex_tokens import alphanumerics, latex_strings, long_words, spelled_symbols
from porism.analysis.linear_text import linear_text
from porism.analysis.prefix_formulas import prefix_tokens
from porism.formula.features import (
    Normalisation,
    l8,
    leaf_paths,
    operator_pairs,
    positioned_symbols,
    shape_pairs,
    subformula_terms,
    symbol_runs,
    symbol_tokens,
    tangent_l,
    tangent_l_basic,
)
from porism.formula.latex import layout_of
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.hashing import text_key

COMMUTATIVE = Normalisation(commutativity=True)
"""The normalisation of MathDowsers' runs of 2021 (S4 Table 5)."""

REPETITION = "{"
"""The first character of Tangent-L's repetition tokens, which S4 eq. 1 weights separately."""

NO_TREE = Tree("slt", ())
"""The layout of a formula that the parser refused."""


class FormulaTokens(StrEnum):
    """Kinds of tokens of a formula."""

    L8 = "l8"
    """The tuples of MathDowsers 2022."""
    L8_FOLDED = "l8-folded"
    """The same in lower case, as in MathDowsers' engine of that year: X equals x."""
    OPERATORS = "operators"
    """Each operand with its operator."""
    SHAPE = "shape"
    """Pairs of close symbols, with all variables equal."""
    SYMBOLS = "symbols"
    """Each distinct symbol of the layout."""
    SYMBOL_RUNS = "symbol-runs"
    """Each symbol of the layout, and each two that follow in reading order."""
    TANGENT_L_2020 = "tangent-l-2020"
    """Pairs, terminals and compounds, each also with its location."""
    TANGENT_L = "tangent-l"
    """The same and repetitions, without order around commutative operators (2021)."""
    VISUAL = "visual"
    """One token for the whole formula (S4 section 3.4.3)."""
    PREFIX = "prefix"
    """The labels of the operator tree, each operator before its operands (MIRMU 2020)."""
    PATHS = "paths"
    """The paths from the leaves of the operator tree up."""
    POSITIONS = "positions"
    """Each symbol of the layout with its number in reading order."""
    SUBFORMULAS = "subformulas"
    """All parts of the operator tree, as written and unified."""
    LATEX = "latex"
    """The letters and digits of the source, by Terrier's analyzer."""
    LATEX_SYMBOLS = "latex-symbols"
    """The same with each sign spelled as a word."""
    LATEX_STRING = "latex-string"
    """Commands, numbers and characters unchanged."""
    LATEX_WORDS = "latex-words"
    """Stems of the words of more than two characters."""
    LINEAR = "linear"
    """One token that formulas share that are equal but for notation and grouping."""


LONGEST_LINEAR = 16
"""Characters of a formula's linear text in its token; a longer one is hashed to as many."""


def linear_tokens(latex: str) -> list[str]:
    r"""Return the one token of a formula by its linear text; none if that is empty.

    >>> linear_tokens(r"\dfrac{\sin(x)}{2}"), linear_tokens("sin x / 2"), linear_tokens("{}")
    (['=sinx2'], ['=sinx2'], [])
    """
    text = linear_text(latex)
    if not text:
        return []
    return [f"={text if len(text) <= LONGEST_LINEAR else f'{text_key(text):016x}'}"]


FROM_LATEX: dict[FormulaTokens, Callable[[str], list[str]]] = {
    FormulaTokens.LATEX: alphanumerics,
    FormulaTokens.LATEX_SYMBOLS: spelled_symbols,
    FormulaTokens.LATEX_STRING: latex_strings,
    FormulaTokens.LATEX_WORDS: long_words,
    FormulaTokens.LINEAR: linear_tokens,
}
"""The kinds that need no tree."""


FOLDED: dict[FormulaTokens, FormulaTokens] = {FormulaTokens.L8_FOLDED: FormulaTokens.L8}
"""The kinds whose tokens are those of another kind in lower case."""


def formula_tokens(
    kind: FormulaTokens,
    latex: str,
    layout: Tree,
    operators: Callable[[], Tree] | None = None,
    visual_id: str = "",
) -> list[str]:
    r"""Return the tokens of a formula, as a bag in a fixed order.

    ``operators`` returns its operator tree, if that is available, and is called only if the kind
    needs it; otherwise the tree is made from the layout. A refused formula has the empty layout,
    and only tokens of its LaTeX and its visual id, if it has one.

    >>> from porism.formula.tree import parse_tree
    >>> square = parse_tree("[V!x,a[N!2]]")
    >>> formula_tokens(FormulaTokens.L8, "x^2", square)
    ['(V!x,N!2,a)', '(V!x,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    >>> formula_tokens(FormulaTokens.PATHS, "x^2", square)
    ['/VAR/1/SUP', '/V!x/1/SUP', '/NUM/2/SUP', '/N!2/2/SUP']
    >>> formula_tokens(FormulaTokens.VISUAL, "x^2", square, visual_id="17")
    ['@17']
    """
    match kind:
        case FormulaTokens.L8:
            return l8(layout)
        case FormulaTokens.L8_FOLDED:
            return [token.lower() for token in formula_tokens(FOLDED[kind], latex, layout)]
        case FormulaTokens.OPERATORS:
            tree = operator_tree(layout) if operators is None else operators()
            return numbered_tokens(operator_pairs(tree))
        case FormulaTokens.SHAPE:
            return numbered_tokens(shape_pairs(layout))
        case FormulaTokens.SYMBOLS:
            return list(dict.fromkeys(symbol_tokens(layout)))
        case FormulaTokens.SYMBOL_RUNS:
            return symbol_runs(layout)
        case FormulaTokens.TANGENT_L_2020:
            return tangent_l_basic(layout)
        case FormulaTokens.TANGENT_L:
            return tangent_l(layout, COMMUTATIVE)
        case FormulaTokens.VISUAL:
            return [visual_token(visual_id)] if visual_id else []
        case FormulaTokens.PREFIX:
            return prefix_tokens(operator_tree(layout) if operators is None else operators())
        case FormulaTokens.PATHS:
            return leaf_paths(operator_tree(layout) if operators is None else operators())
        case FormulaTokens.POSITIONS:
            return positioned_symbols(layout)
        case FormulaTokens.SUBFORMULAS:
            tree = operator_tree(layout) if operators is None else operators()
            return [_short_term(term) for term in subformula_terms(tree)]
        case _:
            return FROM_LATEX[kind](latex)


def unparsed_formula_tokens(kind: FormulaTokens, latex: str, macros: str = "") -> list[str]:
    r"""Return the tokens of a formula of a document that has not been parsed yet.

    Unlike in a query, ``?x`` is no wildcard here.

    >>> unparsed_formula_tokens(FormulaTokens.L8, "?n")
    ['(?,V!n,n)', '(?,V!n,n,-)', '(V!n,!0)', '(V!n,!0,n)']
    """
    layout = NO_TREE if kind in FROM_LATEX else layout_of(latex, macros)
    return formula_tokens(kind, latex, layout)


MAX_TERM = 12
"""Characters of a subformula in its token; a longer one is hashed to as many, or indexes would
mostly consist of the texts of unique subformulas.
"""


def _short_term(term: str) -> str:
    """Return the token of a term: ``~0v:SUP(#1,2)``."""
    head, _, text = term.partition(":")
    return f"~{head}:{text if len(text) <= MAX_TERM else f'{text_key(text):016x}'[:MAX_TERM]}"


def numbered_tokens(tokens: list[str]) -> list[str]:
    """Number repeated tokens, so that a formula has each token at most once.

    The repetitions that two formulas share are then tokens that they share.

    >>> numbered_tokens(["a", "b", "a"])
    ['a', 'b', 'a#2']
    """
    if len(set(tokens)) == len(tokens):
        return tokens
    seen: Counter[str] = Counter()
    numbered: list[str] = []
    for token in tokens:
        seen[token] += 1
        numbered.append(token if seen[token] == 1 else f"{token}#{seen[token]}")
    return numbered


def visual_token(visual_id: str) -> str:
    """Return the token that all formulas with a visual id share."""
    return f"@{visual_id}"
