"""The functions that read LaTeX, as people write it, to layout trees."""

import re
from collections.abc import Mapping

from porism.errors import LatexError
from porism.formula.latex.constructs import CONSTRUCTS
from porism.formula.latex.environments import read_cells
from porism.formula.latex.grammar import MAX_LENGTH, LatexParser
from porism.formula.latex.macros import (
    DEFINING,
    DOCUMENT_LIMITS,
    ExpansionLimits,
    LatexMacro,
    definition_at,
)
from porism.formula.latex.tokenizer import resolved, resolved_offsets, tokens, with_wildcards
from porism.formula.layout import table
from porism.formula.tree import MAX_DEPTH, Node, ParsedTree, ParseProblem, Tree

_DELIMITERS = re.compile(r"^\s*\$+|(?<!\\)\$+\s*$")  # left around the formula, not part of it

NO_MACROS: Mapping[str, LatexMacro] = {}


def parse_latex(
    source: str,
    macros: Mapping[str, LatexMacro] = NO_MACROS,
    limits: ExpansionLimits = DOCUMENT_LIMITS,
) -> ParsedTree:
    """The layout tree of a formula and the problems that the parser recovered from.

    ``macros`` are definitions from outside the formula, such as a preamble's; those in the formula
    itself are applied too, and all are expanded within ``limits``. White space and empty input give
    the empty tree. Raises ``LatexError`` if the formula is too long or nested too deeply.

    >>> tree, problems = parse_latex(r"\\frac12 x^2")
    >>> str(tree)
    '[O!divide[V!x,a[N!2]],o[N!1],u[N!2]]'
    """
    if len(source) > MAX_LENGTH:
        why = f"a formula of {len(source):,} characters; the limit is {MAX_LENGTH:,}"
        raise LatexError(source, MAX_LENGTH, why)
    original, source = source, without_delimiters(source)
    parser = LatexParser(source, CONSTRUCTS, macros, limits)
    tree = Tree("slt", parser.finished(parser.row(), 0))
    if parser.tokens[parser.at]:  # a token at the top level that ends rows elsewhere
        parser = LatexParser(source, CONSTRUCTS, macros, limits)
        tree = Tree("slt", lines_of(parser))
    if len(parser.tokens) > MAX_DEPTH and tree.is_too_deep():
        raise LatexError(source, 0, f"nested more than {MAX_DEPTH} levels deep")
    problems = parser.problems()
    if problems and len(source) != len(original):
        offsets = resolved_offsets(original)
        problems = tuple(ParseProblem(offsets[at], message) for at, message in problems)
    return ParsedTree(tree, problems)


def layout_of(latex: str, macros: str = "") -> Tree:
    """The layout tree of a formula; the empty one if the parser refuses it.

    ``macros`` are definitions as text.
    """
    try:
        return parse_latex(latex, read_macros(macros)).tree
    except LatexError:
        return Tree("slt", ())


def parse_query(source: str) -> ParsedTree:
    """As ``parse_latex``, but ``?x`` is a wildcard named x, as in queries."""
    return parse_latex(with_wildcards(source))


def without_delimiters(source: str) -> str:
    """The formula without HTML entities and without dollars around it."""
    source = resolved(source)
    if "$" in source:
        source = _DELIMITERS.sub(lambda match: " " * len(match[0]), source)
    return source


def read_macros(text: str) -> dict[str, LatexMacro]:
    """The macros that a text defines, by name; later definitions win."""
    macros: dict[str, LatexMacro] = {}
    if "\\" not in text:
        return macros
    token_list = tokens(text)
    at = 0
    while at < len(token_list):
        if token_list[at] in DEFINING:
            defined = definition_at(token_list, at)
            if defined is not None:
                macros[defined[0]] = defined[1]
                at = defined[2]
                continue
        at += 1
    return macros


def lines_of(parser: LatexParser) -> tuple[Node, ...]:
    """A formula with line breaks or alignment marks outside any environment.

    With marks it is a table without its environment; else its lines are one row.
    """
    lines = read_cells(parser, "")
    if all(len(line) == 1 for line in lines):
        return tuple(node for line in lines for node in line[0])
    parser.problem("alignment mark outside an environment", 0)
    return tuple(table(lines, ""))
