"""Constructs that print fences: ``\\left ... \\right``, sized delimiters, ``\\abs``, ``\\pmod``."""

import re

from porism.formula.fences import group
from porism.formula.grammar import Parser
from porism.formula.symbols import FENCES, symbol_label
from porism.formula.tree import BLANK, Node


def fence(token: str) -> str:
    """The fence a delimiter token stands for; a full stop and nothing at all are no fence."""
    if token in ("", "."):
        return ""
    parser = Parser(token, {}, {})
    found = parser.row()
    label = found[0].label if found else symbol_label(token[-1])
    return {"<": "⟨", ">": "⟩"}.get(label, label)


def left(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\left ( ... \\right )``: a pair of fences that the writer has matched."""
    start = parser.at - 1
    opening = _delimiter(parser)
    fences = parser.fences
    style, leaves = parser.style, parser.leaves
    nodes = parser.row_until(r"\right")
    parser.style, parser.leaves = style, leaves
    closing = ""
    if parser.tokens[parser.at] == r"\right":
        parser.at += 1
        closing = _delimiter(parser)
    else:
        parser.problem(r"\left without \right", start)
    content = parser.finished(nodes, fences)
    if opening in FENCES and closing in _CLOSERS:
        row.append(group(opening, closing, content, BLANK))
        return
    if opening == "{" and not closing and len(content) == 1 and _MATRIX.match(content[0].label):
        row.append(Node("M!{" + content[0].label[2:], content[0].parts))
        return
    row += [Node(opening)] if opening else []
    row += content
    row += [Node(closing)] if closing else []
    if {opening, closing} & (set(FENCES) | _CLOSERS):
        parser.fences += 1


_CLOSERS = frozenset(FENCES.values()) | frozenset("([{")


_MATRIX = re.compile(r"M!\d")


def _delimiter(parser: Parser) -> str:
    token = parser.tokens[parser.at]
    if token == "{":  # \bigl{(} and its kin
        return fence(parser.raw_argument())
    if token and (token not in ("}", r"\right", "&")):
        if token[0] == "." and len(token) > 1:  # \left.5: the full stop is the delimiter
            parser.tokens[parser.at] = token[1:]
        else:
            parser.at += 1
        return fence(token[0] if token[0] in ".[" else token)
    return ""


def big(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\big``, ``\\Bigl`` and their kin only size the delimiter behind them."""
    if parser.tokens[parser.at] == "{":
        row += parser.argument()
        parser.fences += 1
    elif parser.tokens[parser.at] in ("<", ">", "."):
        fence = _delimiter(parser)
        row += [Node(fence)] if fence else []
        parser.fences += 1


def delimited(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\abs{x}`` and other commands of widespread packages that print their fences."""
    fences = DELIMITED[command[1:]]
    row.append(group(fences[0], fences[1], parser.argument(), BLANK))


DELIMITED = {
    "abs": "||", "norm": "∥∥", "set": "{}", "Set": "{}", "ceil": "⌈⌉", "floor": "⌊⌋", "ket": "|⟩",
    "bra": "⟨|", "braket": "⟨⟩", "qty": "()", "paren": "()", "pqty": "()", "bqty": "[]",
}  # fmt: skip


def modulus(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\pmod n`` prints parentheses, ``\\mod n`` prints none, ``\\pod n`` prints no "mod"."""
    content = parser.argument()
    if command != r"\pod":
        content = (Node("mod"), *content)
    if command == r"\mod":
        row += content
    else:
        row.append(group("(", ")", content, BLANK))
