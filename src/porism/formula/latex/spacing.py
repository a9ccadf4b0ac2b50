"""Constructs without symbols: space, size, colour, labels, and their arguments."""

from porism.formula.latex.grammar import NO_WORD, LatexParser
from porism.formula.tree import Node


def ignore(parser: LatexParser, command: str, row: list[Node]) -> None:
    """Spacing, sizes and the like are not in the tree, but a word ends at them."""
    parser.word_at = NO_WORD


def ignore_argument(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.raw_argument()


def ignore_length(parser: LatexParser, command: str, row: list[Node]) -> None:
    """Skip a length without braces, as in ``\\kern-3mu`` or ``\\hskip 1em``."""
    tokens = parser.tokens
    if tokens[parser.at] == "{":
        parser.raw_argument()
        return
    while tokens[parser.at] in ("-", "+", "="):
        parser.at += 1
    if tokens[parser.at][:1].isdigit() or tokens[parser.at][:1] == ".":
        parser.at += 1
        parser.at += 2 if "".join(tokens[parser.at : parser.at + 2]) in _UNITS else 0


_UNITS = frozenset(["pt", "em", "ex", "mm", "cm", "in", "mu", "bp", "pc", "px", "sp"])


def keep_argument(parser: LatexParser, command: str, row: list[Node]) -> None:
    """Commands that change the typesetting of their argument, not its content."""
    row += parser.argument()


def keep_after_option(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.option()
    row += parser.argument()


def keep_second_argument(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.option()
    parser.raw_argument()
    row += parser.argument()


def color(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.option()
    parser.raw_argument()
