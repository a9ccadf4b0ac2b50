r"""The definitions of a LaTeX document: their text for the formulas, their meaning for the prose.

In prose only what is plain is expanded: macros with counted arguments. Those whose body opens or
closes an environment, such as ``\be`` for ``\begin{equation}``, are replaced first of all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formats.documents.latex.commands import LISTING
from porism.formats.markup.macros import DEFINING, MacroDefinition, definition_at


class ProseMacro(NamedTuple):
    """How many arguments a macro takes, the default of the first if it has one, and its body."""

    arguments: int
    default: str | None
    body: str

    def expanded(self, arguments: list[str]) -> str:
        """The body with the arguments in their places."""
        return _PLACE.sub(
            lambda place: arguments[int(place[1]) - 1] if int(place[1]) <= len(arguments) else "",
            self.body,
        )


class LatexDefinitions(NamedTuple):
    """What a text defines, and where in the text that stands.

    ``source`` is LaTeX, one definition a line; ``theorems`` are the titles of environments.
    """

    source: str
    macros: dict[str, ProseMacro]
    theorems: dict[str, str]
    places: tuple[tuple[int, int], ...]


def brace_pairs(text: str) -> dict[int, int]:
    """Where the group ends that begins at a place; what nothing closes is left out.

    >>> brace_pairs("{a{b}")
    {2: 4}
    """
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            pairs[opened.pop()] = found.start()
    return pairs


_BRACE = re.compile(LISTING + r"|\\(?s:.)|[{}]")


def latex_definitions(text: str) -> LatexDefinitions:
    """All definitions of a text, in order, outside of listings; broken ones are passed over."""
    sources: list[str] = []
    macros: dict[str, ProseMacro] = {}
    theorems: dict[str, str] = {}
    places: list[tuple[int, int]] = []
    at = 0
    for found in _DEFINING.finditer(text):
        if found.start() < at:
            continue
        if found["theorem"]:
            theorem = _NEWTHEOREM.match(text, found.end())
            if theorem is None:
                continue
            theorems[theorem[1]] = theorem[2]
            at = theorem.end()
        elif found["command"]:
            definition = definition_at(text, found)
            if definition is None:
                continue
            if macro := _macro(found["command"], definition):
                macros[definition.name[1:]] = macro
            at = definition.end
            sources.append(" ".join(text[found.start() : at].split()))
        else:
            continue
        places.append((found.start(), at))
    return LatexDefinitions("\n".join(sources), macros, theorems, tuple(places))


_DEFINING = re.compile(
    LISTING + "|" + DEFINING + r"|\\(?P<theorem>newtheorem)(?![A-Za-z])\*?|\\(?s:.)"
)
_NEWTHEOREM = re.compile(
    r"\s*\{([^{}]+)\}\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]*)\}(?:[ \t]*\[[^\[\]]*\])?"
)
_PLACE = re.compile(r"#([1-9])")
_COUNTED = re.compile(r"\s*(?:\[\s*([0-9])\s*\]\s*(?:\[([^\[\]]*)\]\s*)?)?")


def _macro(command: str, definition: MacroDefinition) -> ProseMacro | None:
    """What a definition means in prose; None for what is more than a pattern with places."""
    if command.endswith("def"):
        places = _PLACE.findall(definition.parameters)
        plain = definition.parameters.strip() == "".join(f"#{place}" for place in places)
        return ProseMacro(len(places), None, definition.body) if plain else None
    counted = _COUNTED.fullmatch(definition.parameters)
    if counted is None or not command.endswith(("newcommand", "providecommand", "RobustCommand")):
        return None
    return ProseMacro(int(counted[1] or 0), counted[2], definition.body)


def without_spans(text: str, places: tuple[tuple[int, int], ...]) -> str:
    """The text without what stands at the places, which are in order."""
    pieces = []
    at = 0
    for start, end in places:
        pieces.append(text[at:start])
        at = end
    return "".join(pieces) + text[at:]


def with_environments_expanded(text: str, macros: dict[str, ProseMacro]) -> str:
    r"""The text with all macros replaced that open or close an environment.

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
    return _WORD.sub(lambda found: bodies.get(found[1], found[0]), text)


_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{")
_WORD = re.compile(r"\\([A-Za-z@]+)")
