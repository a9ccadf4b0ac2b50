"""LaTeX's environments: matrices, cases, aligned equations and others with cells."""

from porism.formula.latex.grammar import LatexParser
from porism.formula.latex.macros import group_end
from porism.formula.layout import Cells, table
from porism.formula.tree import Node

ENVIRONMENTS = {
    "matrix": "", "pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||",
    "Vmatrix": "∥∥", "smallmatrix": "", "psmallmatrix": "()", "bsmallmatrix": "[]", "cases": "{",
    "dcases": "{", "rcases": ".}", "drcases": ".}", "array": "", "subarray": "", "tabular": "",
    "align": "", "aligned": "", "alignat": "", "alignedat": "", "flalign": "", "gather": "",
    "gathered": "", "split": "", "multline": "", "multlined": "", "eqnarray": "", "equation": "",
    "displaymath": "", "math": "", "CD": "", "numcases": "{", "subequations": "", "eqarray": "",
    "document": "", "xalignat": "", "dmath": "", "center": "", "mathpar": "", "darray": "",
}  # fmt: skip
"""Environments, each with the fences it prints; "{" alone has no closing fence."""

_WITH_ARGUMENT = frozenset(
    ["array", "subarray", "tabular", "alignat", "alignedat", "xalignat", "numcases", "darray"]
)


def begin(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\begin{name} ... \\end{name}``."""
    start = parser.at - 1
    name = parser.raw_argument().strip()
    plain = name.rstrip("*")
    if plain not in ENVIRONMENTS:
        parser.problem(f"unknown environment {name}, read as a table", start)
    if parser.tokens[parser.at] == "[":
        parser.option()
    wrapped = _skip_wrapping_brace(parser, name)
    if plain in _WITH_ARGUMENT and parser.tokens[parser.at] == "{":
        parser.raw_argument()
    cells = read_cells(parser, r"\end")
    if parser.tokens[parser.at] == r"\end":
        parser.at += 1
        ended = parser.raw_argument().strip()
        if ended != name:
            parser.problem(f"\\begin{{{name}}} is ended by \\end{{{ended}}}", start)
    else:
        parser.problem(f"\\begin{{{name}}} is not ended", start)
    parser.at += wrapped and parser.tokens[parser.at] == "}"
    row += table(cells, ENVIRONMENTS.get(plain, ""))


def _skip_wrapping_brace(parser: LatexParser, name: str) -> bool:
    """Skip a brace that closes after the ``\\end``, and return whether there was one.

    LaTeXML writes plain TeX's ``\\pmatrix{a&b}`` as ``\\begin{pmatrix}{a&b\\end{pmatrix}}``.
    """
    tokens, at = parser.tokens, parser.at
    if tokens[at] != "{":
        return False
    end = group_end(tokens, at)
    ending = tokens[max(at, end - len(name) - 3) : end]
    if "".join(ending) != f"\\end{{{name}}}":
        return False
    parser.at += 1
    return True


def eqnarray(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\@@eqnarray``, with which LaTeXML begins an array that nothing ends."""
    parser.forget("$")
    row += table(read_cells(parser, "}"), "")


def read_cells(parser: LatexParser, ending: str) -> Cells:
    """The cells up to the token ``ending``, which is not consumed, or the formula's end."""
    lines: Cells = [[]]
    style, leaves = parser.style, parser.leaves
    if ending:
        parser.awaited[ending] += 1
    while True:
        fences = parser.fences
        nodes = parser.row()
        token = parser.tokens[parser.at]
        while token in parser.awaited and not parser.awaited[token]:
            parser.skip_stray(token)
            nodes += parser.row()
            token = parser.tokens[parser.at]
        lines[-1].append(parser.finished(nodes, fences))
        parser.style, parser.leaves = style, leaves
        if not token or token in parser.awaited:
            break
        parser.at += 1
        if token != "&":
            lines.append([])
    if ending:
        parser.awaited[ending] -= 1
    return lines
