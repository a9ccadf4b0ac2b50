r"""Definitions of macros as text: which ones a piece of LaTeX makes, and which ones it uses.

What a definition means is left to the parser of formulas; here it is carried from where it stands
to where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

MAX_NESTING = 50
"""Braces within each other; the bound keeps many unclosed definitions from costing much."""

DEFINING = (
    r"\\(?P<command>newcommand|renewcommand|providecommand|DeclareRobustCommand|DeclareMathOperator"
    r"|(?:New|Renew|Provide|Declare)DocumentCommand|[gex]?def|let)(?![A-Za-z@])\*?"
)
"""A pattern for the commands that ``definition_at`` reads."""

# After a line break comes no command, although there is a second backslash.
_DEFINING = re.compile(DEFINING + r"|\\\\")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z@])")
_NAME = re.compile(
    r"\s*+(?:\{\s*+(\\(?:[A-Za-z@]+|[^A-Za-z@\s]))\s*+\}|(\\(?:[A-Za-z@]+|[^A-Za-z@\s])))"
)
_OPTIONS = re.compile(r"(?:\s*+\[[^\[\]]{0,500}\]){0,2}")
_PARAMETERS = re.compile(r"(?:[^{}\\]|\\(?:[A-Za-z@]++|[^A-Za-z@])){0,100}+(?=\{)")
_LETTED = re.compile(r"\s*+=?\s?(?:\\(?:[A-Za-z@]+|[^A-Za-z@])|[^\s\\{}])")
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)


class MacroDefinition(NamedTuple):
    """What is defined, its parameters and its body as they are written, and where that ends.

    The name has its backslash.
    """

    name: str
    parameters: str
    body: str
    end: int


def macro_definitions(latex: str) -> dict[str, str]:
    r"""The whole definition of each command that the LaTeX defines, in order of definition.

    Names have their backslash. Of two definitions of one command the later counts; those that are
    not well-formed are passed over.

    >>> macro_definitions(r"\newcommand{\R}{\mathbb R} Let \def\x#1{#1^2} be")
    {'\\R': '\\newcommand{\\R}{\\mathbb R}', '\\x': '\\def\\x#1{#1^2}'}
    """
    found: dict[str, str] = {}
    at = 0
    while (start := _DEFINING.search(latex, at)) is not None:
        at = start.end()
        definition = definition_at(latex, start) if start["command"] else None
        if definition is not None:
            found.pop(definition.name, None)  # so that the order is that of those in force
            found[definition.name] = latex[start.start() : definition.end]
            at = definition.end
    return found


def definition_at(latex: str, defining: re.Match[str]) -> MacroDefinition | None:
    """The definition that begins with ``defining``, a match of ``DEFINING``; None if it is broken.

    >>> definition_at(r"\\def\\x#1{#1^2} be", re.match(DEFINING, r"\\def\\x#1{#1^2} be"))
    MacroDefinition(name='\\\\x', parameters='#1', body='#1^2', end=14)
    """
    command = defining["command"]
    name = _NAME.match(latex, defining.end())
    if name is None:
        return None
    at = name.end()
    if command == "let":
        other = _LETTED.match(latex, at)
        return other and MacroDefinition(name[1] or name[2], "", other[0], other.end())
    start: int | None = at
    if command.endswith("def"):
        parameters = _PARAMETERS.match(latex, at)
        start = parameters.end() if parameters else None
    elif command.endswith("DocumentCommand"):
        start = _group_end(latex, at)
    elif command != "DeclareMathOperator" and (options := _OPTIONS.match(latex, at)):
        start = options.end()
    end = None if start is None else _group_end(latex, start)
    if start is None or end is None:
        return None
    body = latex[start:end].strip()
    body = body[1:-1] if body.startswith("{") else body
    return MacroDefinition(name[1] or name[2], latex[at:start], body, end)


def _group_end(latex: str, at: int) -> int | None:
    """The place after the group, or the one command, that begins at ``at`` or after blanks."""
    while latex[at : at + 1].isspace():
        at += 1
    if not latex.startswith("{", at):
        command = _COMMAND.match(latex, at)
        return command.end() if command else None
    depth = 0
    for step in _BRACE.finditer(latex, at):
        if step[1] == "{":
            depth += 1
            if depth > MAX_NESTING:
                return None
        elif step[1] == "}":
            depth -= 1
            if depth == 0:
                return step.end()
    return None


def used_definitions(latex: str, known: Mapping[str, str]) -> str:
    r"""The definitions that the LaTeX needs, those that they need in turn included.

    They come in the order of ``known``, one a line; the empty string says that none is needed.

    >>> used_definitions(r"x \in \R", {r"\R": r"\def\R{\B R}", r"\N": r"\def\N{}"})
    '\\def\\R{\\B R}'
    """
    if not known:
        return ""
    used = known.keys() & _COMMAND.findall(latex)
    if not used:
        return ""
    unread = list(used)
    while unread:
        needed = known.keys() & _COMMAND.findall(known[unread.pop()])
        unread += needed - used
        used |= needed
    return "\n".join(text for name, text in known.items() if name in used)
