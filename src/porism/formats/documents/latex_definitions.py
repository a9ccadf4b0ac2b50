r"""The definitions of a LaTeX document: their text for the formulas, their meaning for the prose.

In prose only what is plain is expanded: macros with counted arguments. Those whose body opens or
closes an environment, such as ``\be`` for ``\begin{equation}``, are replaced first of all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formats.documents.latex_words import LISTING


class Macro(NamedTuple):
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


class Definitions(NamedTuple):
    """What a text defines, and where in the text that stands.

    ``source`` is LaTeX, one definition a line; ``theorems`` are the titles of environments.
    """

    source: str
    macros: dict[str, Macro]
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


def definitions(text: str, pairs: dict[int, int]) -> Definitions:
    """All definitions of a text, in order, outside of listings; broken ones are passed over."""
    sources: list[str] = []
    macros: dict[str, Macro] = {}
    theorems: dict[str, str] = {}
    places: list[tuple[int, int]] = []
    at = 0
    for found in _DEFINING.finditer(text):
        command = found["command"]
        if command is None or found.start() < at:
            continue
        read = _LETS.match(text, found.start()) if command == "let" else None
        if read:
            at = read.end()
        elif command == "newtheorem":
            theorem = _NEWTHEOREM.match(text, found.end())
            if not theorem:
                continue
            theorems[theorem[1]] = theorem[2]
            at = theorem.end()
        else:
            head = (_DEF if command.endswith("def") else _NEWCOMMAND).match(text, found.end())
            if not head or head.end() - 1 not in pairs:
                continue
            end = pairs[head.end() - 1]
            if macro := _macro(command, head, text[head.end() : end]):
                macros[head["name"]] = macro
            at = end + 1
        places.append((found.start(), at))
        if command != "newtheorem":
            sources.append(" ".join(text[found.start() : at].split()))
    return Definitions("\n".join(sources), macros, theorems, tuple(places))


_DEFINING = re.compile(
    LISTING
    + r"|\\(?P<command>newcommand|renewcommand|providecommand|DeclareRobustCommand|newtheorem"
    r"|DeclareMathOperator|NewDocumentCommand|RenewDocumentCommand|[gex]?def|let)(?![A-Za-z])\*?"
    r"|\\(?s:.)"
)
_NAME = r"\s*(?:\{\s*)?\\(?P<name>[A-Za-z@]+|[^A-Za-z\s])\s*(?:\}\s*)?"
_NEWCOMMAND = re.compile(
    _NAME
    + r"(?:\[(?P<count>[0-9])\]\s*(?:\[(?P<default>[^\[\]]*)\]\s*)?"
    # the signature of \\NewDocumentCommand
    + r"|\{[^{}]*\}\s*(?=\{))?\{"
)
_DEF = re.compile(r"\s*\\(?P<name>[A-Za-z@]+|[^A-Za-z\s])\s*(?P<places>[^{}\\]*)\{")
_LETS = re.compile(r"\\let\s*\\(?:[A-Za-z@]+|[^A-Za-z\s])\s*=?\s?(?:\\(?:[A-Za-z@]+|.)|[^\s\\{}])")
_NEWTHEOREM = re.compile(
    r"\s*\{([^{}]+)\}\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]*)\}(?:[ \t]*\[[^\[\]]*\])?"
)
_PLACE = re.compile(r"#([1-9])")


def _macro(command: str, head: re.Match[str], body: str) -> Macro | None:
    """What a definition means in prose; None for what is more than a pattern with places."""
    if command.endswith("def"):
        places = _PLACE.findall(head["places"])
        plain = head["places"].strip() == "".join(f"#{place}" for place in places)
        return Macro(len(places), None, body) if plain else None
    if command in ("DeclareMathOperator", "NewDocumentCommand", "RenewDocumentCommand"):
        return None
    return Macro(int(head["count"] or 0), head["default"], body)


def without(text: str, places: tuple[tuple[int, int], ...]) -> str:
    """The text without what stands at the places, which are in order."""
    pieces = []
    at = 0
    for start, end in places:
        pieces.append(text[at:start])
        at = end
    return "".join(pieces) + text[at:]


def with_environments(text: str, macros: dict[str, Macro]) -> str:
    r"""The text with all macros replaced that open or close an environment.

    >>> with_environments(r"\be x \ee", {"be": Macro(0, None, r"\begin{equation}")})
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
