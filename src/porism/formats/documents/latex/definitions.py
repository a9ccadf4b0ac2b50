r"""The definitions of a LaTeX document: as text for its formulas, as macros for its prose.

In prose only macros with plain arguments are expanded. Those whose body opens or closes an
environment, such as ``\be`` for ``\begin{equation}``, are expanded first.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formats.documents.latex.commands import LISTING
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


class LatexDefinitions(NamedTuple):
    """The definitions of a text and their positions.

    ``source`` is LaTeX, one definition per line; ``theorems`` are the titles of environments.
    """

    source: str
    macros: dict[str, ProseMacro]
    theorems: dict[str, str]
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
    theorems: dict[str, str] = {}
    spans: list[tuple[int, int]] = []
    at = 0
    for match in _DEFINING.finditer(text):
        if match.start() < at:
            continue
        if match["theorem"]:
            theorem = _NEWTHEOREM.match(text, match.end())
            if theorem is None:
                continue
            theorems[theorem[1]] = theorem[2]
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
    LISTING + "|" + DEFINING + r"|\\(?P<theorem>newtheorem)(?![A-Za-z])\*?|\\(?s:.)"
)
_NEWTHEOREM = re.compile(
    r"\s*\{([^{}]+)\}\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]*)\}(?:[ \t]*\[[^\[\]]*\])?"
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


def without_spans(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    """The text without the given spans, which are in order."""
    pieces = []
    at = 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return "".join(pieces) + text[at:]


def with_environments_expanded(text: str, macros: dict[str, ProseMacro]) -> str:
    r"""The text with all macros expanded that open or close an environment.

    >>> with_environments_expanded(r"\be x \ee", {"be": ProseMacro(0, None, r"\begin{equation}")})
    '\\begin{equation} x \\ee'
    """
    bodies = {
        name: macro.body
        for name, macro in macros.items()
        if name.isalpha() and not macro.arguments and _ENVIRONMENT.search(macro.body)
    }
    if not bodies:
        return text
    return _COMMAND.sub(lambda command: bodies.get(command[1], command[0]), text)


_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{")
_COMMAND = re.compile(r"\\([A-Za-z@]+)")
