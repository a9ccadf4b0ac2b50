"""Constructs with fences: ``\\left ... \\right``, sized delimiters, ``\\abs``, ``\\pmod``."""

import re

from porism.formula.fences import FENCE_LABELS, group
from porism.formula.latex.grammar import LatexParser
from porism.formula.latex.leaves import FENCE_LEAVES, LEAVES
from porism.formula.symbols import FENCES, symbol_label
from porism.formula.tree import BLANK, Node

_ANGLES = {"<": "⟨", ">": "⟩"}
_OPENERS = frozenset(FENCES) | {"]"}  # ]0,1[
_CLOSERS = frozenset(FENCES.values()) | frozenset("([{")
_MATRIX = re.compile(r"M!\d")


def fence(token: str) -> str | None:
    """The fence of a token, "" for the full stop, which prints none; None for other tokens."""
    if token == ".":
        return ""
    if token in _ANGLES:
        return _ANGLES[token]
    leaf = FENCE_LEAVES.get(token) or LEAVES.get(token)
    label = leaf.label if leaf is not None else symbol_label(token) if token else "V!"
    if label in FENCE_LABELS:
        return label[-1]
    return label if leaf is not None and not leaf.parts and label[1:2] != "!" else None


def left(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\left ( ... \\right )``: an explicit pair of fences."""
    start = parser.at - 1
    opening = _delimiter(parser, command)
    fences = parser.fences
    style, leaves = parser.style, parser.leaves
    nodes = parser.row_until(r"\right")
    parser.style, parser.leaves = style, leaves
    closing = ""
    if parser.tokens[parser.at] == r"\right":
        parser.at += 1
        closing = _delimiter(parser, r"\right")
    else:
        parser.problem(r"\left without \right", start)
    content = parser.finished(nodes, fences)
    if opening in _OPENERS and closing in _CLOSERS:
        row.append(group(opening, closing, content, BLANK))
        return
    if opening == "{" and not closing and len(content) == 1 and _MATRIX.match(content[0].label):
        row.append(Node("M!{" + content[0].label[2:], content[0].parts))
        return
    row += [Node(opening)] if opening else []
    row += content
    row += [Node(closing)] if closing else []
    if opening in FENCE_LABELS or closing in FENCE_LABELS:
        parser.fences += 1


def _delimiter(parser: LatexParser, command: str) -> str:
    """The fence after ``command``, which is consumed; anything else is left in the row."""
    tokens, at = parser.tokens, parser.at
    token = tokens[at]
    if token == "{" and tokens[at + 2 : at + 3] == ["}"]:  # as LaTeXML writes \bigl(
        parser.at += 3
        return fence(tokens[at + 1]) or ""
    if token in ("{", "}"):
        parser.problem(f"{command}{token} read as {command}\\{token}")
        parser.at += 1
        return token
    if token[:1] == "." and len(token) > 1:  # \left.5: the full stop is the delimiter
        tokens[at] = token[1:]
        return ""
    delimiter = fence(token)
    if delimiter is None:
        parser.problem(f"{command} without a delimiter")
        return ""
    parser.at += 1
    return delimiter


def big(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\big``, ``\\Bigl`` and the like only set the size of the delimiter after them."""
    if parser.tokens[parser.at] in ("{", "<", ">", "."):
        delimiter = _delimiter(parser, command)
        row += [Node(delimiter)] if delimiter else []
        parser.fences += 1


def delimited(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\abs{x}`` and other commands of common packages that print fences."""
    fences = DELIMITED[command[1:]]
    row.append(group(fences[0], fences[1], parser.argument(), BLANK))


DELIMITED = {
    "abs": "||", "norm": "∥∥", "set": "{}", "Set": "{}", "ceil": "⌈⌉", "floor": "⌊⌋", "ket": "|⟩",
    "bra": "⟨|", "braket": "⟨⟩", "qty": "()", "paren": "()", "pqty": "()", "bqty": "[]",
}  # fmt: skip


def modulus(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\pmod n`` prints "(mod n)", and ``\\pod n`` the same without the word."""
    content = parser.argument()
    row.append(group("(", ")", content if command == r"\pod" else (Node("mod"), *content), BLANK))
