r"""The numbers that LaTeX would print, as far as they can be known from the source.

A document class may number as it likes, and so may a redefined ``\thesection``. Whatever depends on
such a counter has no number here: none is better than a wrong one.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from porism.formats.documents.latex.definitions import LatexDefinitions, TheoremDeclaration

SECTION_LEVELS = {"chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
FLOATS = ("equation", "figure", "table")


class DocumentClass(NamedTuple):
    """What the class of a document says of its numbers."""

    has_chapters: bool
    is_known: bool


_CLASS = re.compile(r"\\documentclass\s*(?:\[[^\[\]]{0,500}\])?\s*\{\s*([\w-]+)\s*\}")
_WITH_CHAPTERS = frozenset("book report amsbook memoir scrbook scrreprt".split())
_WITH_OTHER_NUMBERS = ("revtex", "IEEE", "acm", "elsarticle-num")
_WITHIN = re.compile(
    r"\\(?:numberwithin|counterwithin)\*?\s*\{\s*(\w+)\s*\}\s*\{\s*(\w+)\s*\}"
    r"|\\@addtoreset\s*\{\s*(\w+)\s*\}\s*\{\s*(\w+)\s*\}"
)
_PRINTED_WITHIN = re.compile(r"\s*\\the(\w+)\s*\.\s*\\arabic\s*\{(\w+)\}\s*")


def document_class(text: str) -> DocumentClass:
    """The class of a document; one without a class has chapters if it uses them."""
    match = _CLASS.search(text)
    if match is None:
        return DocumentClass(re.search(r"\\chapter\s*[*\[{]", text) is not None, True)
    name = match[1]
    return DocumentClass(name in _WITH_CHAPTERS, not name.startswith(_WITH_OTHER_NUMBERS))


class Counters:
    """The counters of a document while it is read from its beginning."""

    def __init__(self, text: str, known: LatexDefinitions) -> None:
        kind = document_class(text)
        chapter = "chapter" if kind.has_chapters else ""
        self._within = {
            "chapter": "",
            "section": chapter,
            "subsection": "section",
            "subsubsection": "subsection",
            **dict.fromkeys(FLOATS, chapter),
        }
        self._values: Counter[str] = Counter()
        self._unknown = set() if kind.is_known else {"chapter", "section"}
        self._is_appendix = False
        self._has_chapters = kind.has_chapters
        for name, theorem in known.theorems.items():
            if not theorem.shared and not theorem.is_unnumbered:
                self._within[name] = theorem.within
        for match in _WITHIN.finditer(text):
            self._within[match[1] or match[3]] = match[2] or match[4]
        for name, macro in known.macros.items():
            if name.startswith("the") and name[3:] in self._within:
                self._redefine(name[3:], macro.body)
        self._theorems = known.theorems

    def _redefine(self, counter: str, body: str) -> None:
        printed = _PRINTED_WITHIN.fullmatch(body)
        if printed and printed[2] == counter:
            self._within[counter] = printed[1]
        elif body.strip() == f"\\arabic{{{counter}}}":
            self._within[counter] = ""
        else:
            self._unknown.add(counter)

    def step(self, counter: str) -> str:
        """Advance a counter, and return what it prints; empty if that cannot be known."""
        self.set(counter, self._values[counter] + 1)
        return self._printed(counter)

    def step_theorem(self, declaration: TheoremDeclaration, name: str) -> str:
        """Advance the counter of a theorem, and return its number, if any."""
        if declaration.is_unnumbered:
            return ""
        for _ in range(len(self._theorems)):  # each may share the counter of another
            shared = self._theorems.get(name)
            if shared is None or not shared.shared:
                break
            name = shared.shared
        return self.step(name) if name in self._within else ""

    def set(self, counter: str, value: int) -> None:
        """Set a counter, and reset those that are counted within it."""
        self._values[counter] = value
        pending = [counter]
        seen = {counter}
        while pending:
            above = pending.pop()
            for below, within in self._within.items():
                if within == above and below not in seen:
                    seen.add(below)
                    self._values[below] = 0
                    pending.append(below)

    def add(self, counter: str, amount: int) -> None:
        """Add to a counter, which resets no others."""
        self._values[counter] += amount

    def begin_appendix(self) -> None:
        """Number the chapters or sections that follow by letters."""
        self._is_appendix = True
        self.set("chapter" if self._has_chapters else "section", 0)

    def _printed(self, counter: str) -> str:
        pieces: list[str] = []
        seen: set[str] = set()
        while counter:
            if counter in self._unknown or counter in seen or counter not in self._within:
                return ""
            seen.add(counter)
            value = self._values[counter]
            # Before the first chapter, equations are numbered without one.
            if value > 0 or counter != "chapter":
                pieces.append(self._value(counter, value))
            counter = self._within[counter]
        return ".".join(reversed(pieces))

    def _value(self, counter: str, value: int) -> str:
        top = "chapter" if self._has_chapters else "section"
        if self._is_appendix and counter == top and 1 <= value <= len(_LETTERS):
            return _LETTERS[value - 1]
        return str(value)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
