"""User macros: their definitions in LaTeX and their expansion.

Definitions and uses are lists of tokens of ``tokenizer``. The parser bounds the expansion, so that
no definition can make a formula explode.
"""

from __future__ import annotations

from typing import NamedTuple

DEFINING = frozenset(
    r"""
    \def \gdef \edef \xdef \let \newcommand \newcommand* \renewcommand \renewcommand*
    \providecommand \providecommand* \DeclareMathOperator \DeclareMathOperator*
    \DeclareRobustCommand \NewDocumentCommand
    """.split()
)
"""The commands that define a macro."""


MAX_OPTION = 500
"""Tokens searched for the end of an argument without braces, so that unclosed ones cost little."""


class ExpansionLimits(NamedTuple):
    """The most uses of macros in one formula, and tokens that they may produce."""

    expansions: int
    tokens: int


DOCUMENT_LIMITS = ExpansionLimits(1_000, 50_000)


class LatexMacro(NamedTuple):
    """A definition: the number of arguments, the default of the first if it has one, the body."""

    arguments: int
    default: tuple[str, ...] | None
    body: tuple[str, ...]

    def size(self, arguments: list[list[str]]) -> int:
        """An upper bound of the number of tokens of ``expanded``."""
        lengths = [len(argument) for argument in arguments]
        used = (lengths[n] for n in self.parameters() if n < len(lengths))
        return len(self.body) + sum(used)

    def parameters(self) -> list[int]:
        """The numbers of the arguments that the body uses, from 0, in order."""
        pairs = zip(self.body, self.body[1:], strict=False)
        return [int(digit[0]) - 1 for sign, digit in pairs if sign == "#" and _is_parameter(digit)]

    def expanded(self, arguments: list[list[str]]) -> list[str]:
        """The body with ``#1``, ``#2``... replaced."""
        out: list[str] = []
        tokens = iter(self.body)
        for token in tokens:
            if token != "#":
                out.append(token)
                continue
            number = next(tokens, "")
            index = int(number[0]) - 1 if _is_parameter(number) else len(arguments)
            if index < len(arguments):
                out += arguments[index]
                if number[1:]:  # "#12" is argument 1 and a 2: the tokenizer keeps digits together
                    out.append(number[1:])
        return out


class ExpansionBudget:
    """The remaining uses of macros and tokens they may produce, for a whole formula."""

    def __init__(self, limits: ExpansionLimits) -> None:
        self.expansions = limits.expansions
        self.tokens = limits.tokens

    def allows(self, size: int) -> bool:
        """Use up one expansion into at most ``size`` tokens; False if that exceeds the limits."""
        self.expansions -= 1
        self.tokens -= size
        return self.expansions >= 0 and self.tokens >= 0


def _is_parameter(token: str) -> bool:
    return "1" <= token[:1] <= "9"


def group_end(tokens: list[str], at: int) -> int:
    """The index of the brace that closes the group opened at ``at``, or of the end marker."""
    depth = 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return place
    return len(tokens) - 1


def argument_at(tokens: list[str], at: int) -> tuple[list[str], int]:
    """The argument that begins at ``at``, a group without its braces or one token, and its end."""
    token = tokens[at]
    if token == "{":
        end = group_end(tokens, at)
        return tokens[at + 1 : end], min(end + 1, len(tokens) - 1)
    if not token:  # the end of the formula
        return [], at
    if token[0].isdigit() and len(token) > 1:
        tokens[at] = token[1:]
        return [token[0]], at
    return [token], at + 1


def option_at(tokens: list[str], at: int) -> tuple[list[str] | None, int]:
    """The optional argument in brackets that begins at ``at``, or None, and where it ends."""
    if tokens[at] != "[":
        return None, at
    content, end = tokens_before("]", tokens, at + 1)
    return content, (at if content is None else end)


def tokens_before(ending: str, tokens: list[str], at: int) -> tuple[list[str] | None, int]:
    """The tokens from ``at`` up to ``ending`` outside braces, or None, and where to continue."""
    depth = 0
    for place in range(at, min(at + MAX_OPTION, len(tokens))):
        token = tokens[place]
        if token == ending and depth == 0:
            return tokens[at:place], place + 1
        depth += (token == "{") - (token == "}")
        if depth < 0:
            break
    return None, at


def macro_arguments(macro: LatexMacro, tokens: list[str], at: int) -> tuple[list[list[str]], int]:
    """The arguments of a use of a macro, which begin at ``at``, and where they end."""
    arguments: list[list[str]] = []
    if macro.default is not None:
        given, at = option_at(tokens, at)
        arguments.append(list(macro.default) if given is None else given)
    while len(arguments) < macro.arguments:
        given, at = argument_at(tokens, at)
        arguments.append(given)
    return arguments, at


def definition_at(tokens: list[str], at: int) -> tuple[str, LatexMacro, int] | None:
    """The name, macro and end of the definition at ``at``; None if it is malformed."""
    command = tokens[at].rstrip("*")
    at += 1
    if command in (r"\def", r"\gdef", r"\edef", r"\xdef"):
        return _plain_definition(tokens, at)
    if command == r"\let":
        name = tokens[at]
        at += 1 + (tokens[at + 1 : at + 2] == ["="])
        if not name.startswith("\\") or at >= len(tokens) - 1:
            return None
        return name, LatexMacro(0, None, (tokens[at],)), at + 1
    name_tokens, at = argument_at(tokens, at)
    if len(name_tokens) != 1 or not name_tokens[0].startswith("\\"):
        return None
    count = 0
    default: list[str] | None = None
    if command == r"\NewDocumentCommand":
        signature, at = argument_at(tokens, at)
        count = sum(token in ("m", "o") for token in signature)
    elif command != r"\DeclareMathOperator":
        number, at = option_at(tokens, at)
        count = int(number[0]) if number and number[0].isdigit() else 0
        default, at = option_at(tokens, at)
    body, at = argument_at(tokens, at)
    if command == r"\DeclareMathOperator":
        body = [r"\operatorname", "{", *body, "}"]
    return name_tokens[0], LatexMacro(min(count, 9), _frozen(default), tuple(body)), at


def _plain_definition(tokens: list[str], at: int) -> tuple[str, LatexMacro, int] | None:
    """The macro of ``\\def\\name#1#2{body}``; delimited arguments are read as plain ones."""
    name = tokens[at]
    if not name.startswith("\\"):
        return None
    at += 1
    count = 0
    end = at + 20  # nine arguments; more is not parameter text
    while tokens[at] not in ("{", "") and at < end:
        count += tokens[at] == "#"
        at += 1
    if tokens[at] != "{":
        return None
    body, at = argument_at(tokens, at)
    return name, LatexMacro(min(count, 9), None, tuple(body)), at


def _frozen(tokens: list[str] | None) -> tuple[str, ...] | None:
    return None if tokens is None else tuple(tokens)
