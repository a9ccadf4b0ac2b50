r"""The definitions of a LaTeX document: as text for its formulas, as macros for its prose.

In prose only macros with plain arguments are expanded. Those whose body opens or closes an
environment, such as ``\be`` for ``\begin{equation}``, are expanded first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porism.formats.documents.latex.commands import LISTING
from porism.formats.documents.latex.edits import Edit
from porism.formats.markup.macros import DEFINING, MacroDefinition, definition_at


class ProseMacro(NamedTuple):
    """A macro's number of arguments, the default of the first if it has one, and its body."""

    arguments: int
    default: str | None
    body: str

    def expanded(self, arguments: list[str]) -> str:
        """The body with the arguments inserted."""
        return _PARAMETER.sub(
            lambda number: (
                arguments[int(number[1]) - 1] if int(number[1]) <= len(arguments) else ""
            ),
            self.body,
        )


class TheoremDeclaration(NamedTuple):
    """An environment of theorems: its title, and how it is numbered.

    It has a counter of its own, reset ``within`` another, unless it is ``shared``.
    """

    title: str
    shared: str = ""
    within: str = ""
    is_unnumbered: bool = False


class LatexDefinitions(NamedTuple):
    """The definitions of a text and their positions.

    ``source`` is LaTeX, one definition per line; ``theorems`` are environments by name.
    """

    source: str
    macros: dict[str, ProseMacro]
    theorems: dict[str, TheoremDeclaration]
    spans: tuple[tuple[int, int], ...]


def brace_pairs(text: str) -> dict[int, int]:
    """The position of each opening brace and of its closing brace; unclosed ones are left out.

    >>> brace_pairs("{a{b}")
    {2: 4}
    """
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            pairs[opened.pop()] = match.start()
    return pairs


_BRACE = re.compile(LISTING + r"|\\(?s:.)|[{}]")


def latex_definitions(text: str) -> LatexDefinitions:
    """All definitions of a text outside of listings, in order; malformed ones are skipped."""
    sources: list[str] = []
    macros: dict[str, ProseMacro] = {}
    theorems: dict[str, TheoremDeclaration] = {}
    spans: list[tuple[int, int]] = []
    at = 0
    for match in _DEFINING.finditer(text):
        if match.start() < at:
            continue
        if match["theorem"]:
            theorem = _NEWTHEOREM.match(text, match.end())
            if theorem is None:
                continue
            theorems[theorem["name"]] = TheoremDeclaration(
                theorem["title"],
                (theorem["shared"] or "").strip(),
                (theorem["within"] or "").strip(),
                match["theorem"].endswith("*"),
            )
            at = theorem.end()
        elif match["command"]:
            definition = definition_at(text, match)
            if definition is None:
                continue
            if macro := _macro(match["command"], definition):
                macros[definition.name[1:]] = macro
            at = definition.end
            sources.append(" ".join(text[match.start() : at].split()))
        else:
            continue
        spans.append((match.start(), at))
    return LatexDefinitions("\n".join(sources), macros, theorems, tuple(spans))


_DEFINING = re.compile(
    LISTING + "|" + DEFINING + r"|\\(?P<theorem>newtheorem\*|newtheorem(?![A-Za-z]))|\\(?s:.)"
)
_NEWTHEOREM = re.compile(
    r"\s*\{(?P<name>[^{}]+)\}\s*(?:\[(?P<shared>[^\[\]]*)\]\s*)?\{(?P<title>[^{}]*)\}"
    r"(?:[ \t]*\[(?P<within>[^\[\]]*)\])?"
)
_PARAMETER = re.compile(r"#([1-9])")
_COUNTED = re.compile(r"\s*(?:\[\s*([0-9])\s*\]\s*(?:\[([^\[\]]*)\]\s*)?)?")


def _macro(command: str, definition: MacroDefinition) -> ProseMacro | None:
    """The macro of a definition; None if it has more than plain arguments."""
    if command.endswith("def"):
        numbers = _PARAMETER.findall(definition.parameters)
        is_plain = definition.parameters.strip() == "".join(f"#{number}" for number in numbers)
        return ProseMacro(len(numbers), None, definition.body) if is_plain else None
    counted = _COUNTED.fullmatch(definition.parameters)
    if counted is None or not command.endswith(("newcommand", "providecommand", "RobustCommand")):
        return None
    return ProseMacro(int(counted[1] or 0), counted[2], definition.body)


def environment_expansions(text: str, macros: dict[str, ProseMacro]) -> Iterator[Edit]:
    r"""Edits that expand all macros that open or close an environment.

    >>> macros = {"be": ProseMacro(0, None, r"\begin{equation}")}
    >>> [edit.text for edit in environment_expansions(r"\be x \ee", macros)]
    ['\\begin{equation}']
    """
    bodies = {
        name: macro.body
        for name, macro in macros.items()
        if name.isalpha() and not macro.arguments and _ENVIRONMENT.search(macro.body)
    }
    for command in _COMMAND.finditer(text) if bodies else ():
        if command[1] in bodies:
            yield Edit(command.start(), command.end(), bodies[command[1]])


_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{")
_COMMAND = re.compile(r"\\([A-Za-z@]+)")
