r"""Definitions of macros as text: which ones a piece of LaTeX makes, and which ones it uses.

What a definition means is left to the parser of formulas; here it is carried from where it stands
to where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_NESTING = 50
"""Braces within each other; the bound keeps many unclosed definitions from costing much."""

_DEFINING = re.compile(
    r"\\(?:(newcommand|renewcommand|providecommand|DeclareRobustCommand)(?![A-Za-z@])\*?"
    r"|(DeclareMathOperator)(?![A-Za-z@])\*?"
    r"|([gex]?def)(?![A-Za-z@])"
    r"|(let)(?![A-Za-z@])"
    r"|(?:New|Renew|Provide|Declare)DocumentCommand(?![A-Za-z@])"
    r"|\\)"  # a line break, whose second backslash begins no command
)
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z@])")
_NAME = re.compile(
    r"\s*+(?:\{\s*+(\\(?:[A-Za-z@]+|[^A-Za-z@\s]))\s*+\}|(\\(?:[A-Za-z@]+|[^A-Za-z@\s])))"
)
_OPTION = re.compile(r"\s*+\[[^\[\]]{0,500}\]")
_PARAMETERS = re.compile(r"[^{}\\]{0,100}(?=\{)")
_LETTED = re.compile(r"\s*+=?\s?(?:\\(?:[A-Za-z@]+|[^A-Za-z@])|[^\s\\{}])")
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)


def definitions(latex: str) -> dict[str, str]:
    r"""The whole definition of each command that the LaTeX defines, in order of definition.

    Names have their backslash. Of two definitions of one command the later counts; those that are
    not well-formed are passed over.

    >>> definitions(r"\newcommand{\R}{\mathbb R} Let \def\x#1{#1^2} be")
    {'\\R': '\\newcommand{\\R}{\\mathbb R}', '\\x': '\\def\\x#1{#1^2}'}
    """
    found: dict[str, str] = {}
    at = 0
    while (start := _DEFINING.search(latex, at)) is not None:
        at = start.end()
        if start[0] == "\\\\" or (name := _NAME.match(latex, at)) is None:
            continue
        end = _definition_end(latex, start, name.end())
        if end is not None:
            command = name[1] or name[2]
            found.pop(command, None)  # so that the order is that of the definitions in force
            found[command] = latex[start.start() : end]
            at = end
    return found


def _definition_end(latex: str, start: re.Match[str], at: int) -> int | None:
    if start[4]:  # \let
        other = _LETTED.match(latex, at)
        return other.end() if other else None
    if start[3]:  # \def
        parameters = _PARAMETERS.match(latex, at)
        return _group_end(latex, parameters.end()) if parameters else None
    if start[2]:  # \DeclareMathOperator
        return _group_end(latex, at)
    if start[1]:  # \newcommand
        for _ in range(2):
            if (option := _OPTION.match(latex, at)) is not None:
                at = option.end()
        return _group_end(latex, at)
    arguments = _group_end(latex, at)
    return None if arguments is None else _group_end(latex, arguments)


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
