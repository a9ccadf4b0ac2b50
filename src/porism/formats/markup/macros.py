r"""Macro definitions as text: those that a piece of LaTeX makes, and those that it uses.

The formula parser interprets them; here they are only passed on to where they are used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

MAX_NESTING = 50
"""Levels of nested braces; the bound keeps many unclosed definitions from costing much."""

DEFINING = (
    r"\\(?P<command>newcommand|renewcommand|providecommand|DeclareRobustCommand|DeclareMathOperator"
    r"|(?:New|Renew|Provide|Declare)DocumentCommand|[gex]?def|let)(?![A-Za-z@])\*?"
)
"""A pattern for the commands that ``definition_at`` reads."""

# A line break, \\, is matched so that its second backslash does not begin a command.
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
    """A macro's name with its backslash, its parameters and body as written, and where it ends."""

    name: str
    parameters: str
    body: str
    end: int


def macro_definitions(latex: str) -> dict[str, str]:
    r"""The full definition of each command that the LaTeX defines, in order of definition.

    Names have their backslash. Of two definitions of one command the later counts; malformed ones
    are skipped.

    >>> macro_definitions(r"\newcommand{\R}{\mathbb R} Let \def\x#1{#1^2} be")
    {'\\R': '\\newcommand{\\R}{\\mathbb R}', '\\x': '\\def\\x#1{#1^2}'}
    """
    definitions: dict[str, str] = {}
    at = 0
    while (start := _DEFINING.search(latex, at)) is not None:
        at = start.end()
        definition = definition_at(latex, start) if start["command"] else None
        if definition is not None:
            definitions.pop(definition.name, None)  # so that a redefinition moves to the end
            definitions[definition.name] = latex[start.start() : definition.end]
            at = definition.end
    return definitions


def definition_at(latex: str, defining: re.Match[str]) -> MacroDefinition | None:
    """The definition that begins with ``defining``, a match of ``DEFINING``; None if malformed.

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
    """The position after the group or the single command at ``at``, or after blanks there."""
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
    r"""The definitions that the LaTeX needs, directly or indirectly.

    They are in the order of ``known``, one per line; empty if none is needed.

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
